# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move, select or compare: no rounding of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..metrics import AnyArray, as_float64
from .registry import Call, Tracked, rule


def _values(call: Call) -> list[AnyArray | None]:
    return [None if o is None else o.value for o in call.operands]


def _copies(
    call: Call, operands: Sequence[AnyArray | None], errors: Sequence[AnyArray | None]
) -> list[Tracked]:
    """Results of running the node on the values, with errors from running it on the errors."""
    source = call[0] if call.runner.node.op_type != "Where" else call[1]
    values = call.runner.run(operands)
    if source.is_exact and not source.is_float:
        return [Tracked(v, np.zeros(np.shape(v)), source.dtype) for v in values]
    moved = call.runner.run(errors)
    if not source.is_float:
        return [Tracked(v, as_float64(e), source.dtype) for v, e in zip(values, moved, strict=True)]
    return [call.result(v, e, source.dtype) for v, e in zip(values, moved, strict=True)]


#: Rules that carry the errors of integers too, which quantisation makes.
MOVES = frozenset({
    "Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND",
    "GlobalMaxPool", "Identity", "MaxPool", "Pad", "Reshape", "Slice", "SpaceToDepth", "Split",
    "Squeeze", "Tile", "Transpose", "Trilu", "Unsqueeze", "Where",
})  # fmt: skip


@rule(
    "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Identity",
    "Reshape", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Trilu",
    "Unsqueeze",
)  # fmt: skip
def _move_first(call: Call) -> Sequence[Tracked]:
    values = _values(call)
    return _copies(call, values, [call.error(0), *values[1:]])


@rule("Dropout")
def _dropout(call: Call) -> Sequence[Tracked]:
    training = call.has(2) and bool(call.value(2))
    if training:
        return [Tracked(call.value(0), None, call.dtype, "Dropout in training mode is random")]
    return [
        call[0],
        Tracked(np.ones(call.value(0).shape, bool), np.zeros(call.value(0).shape), "bool"),
    ]


@rule("Pad")
def _pad(call: Call) -> Sequence[Tracked]:
    values = _values(call)
    errors = list(values)
    errors[0] = call.error(0)
    if call.has(2):
        errors[2] = call.error(2)
    return _copies(call, values, errors)


@rule("Concat")
def _concat(call: Call) -> Sequence[Tracked]:
    return _copies(call, _values(call), [call.error(i) for i in range(len(call.operands))])


@rule("Where")
def _where(call: Call) -> Sequence[Tracked]:
    return _copies(call, _values(call), [call.value(0), call.error(1), call.error(2)])


@rule("MaxPool")
def _max_pool(call: Call) -> Sequence[Tracked]:
    if len([n for n in call.runner.node.output if n]) > 1:
        values = call.runner.run([call.value(0)])
        reason = "the indices of MaxPool change where two elements are closer than their errors"
        return [
            Tracked(v, None, call.dtype if i == 0 else "int64", reason)
            for i, v in enumerate(values)
        ]
    return _copies(call, _values(call), [call.error(0)])


@rule("GlobalMaxPool")
def _global_max_pool(call: Call) -> Sequence[Tracked]:
    return _copies(call, _values(call), [call.error(0)])


@rule("ReduceMax", "ReduceMin")
def _reduce_extreme(call: Call) -> Sequence[Tracked]:
    values = _values(call)
    (value,) = call.runner.run(values)
    if not call[0].is_float:
        return [Tracked(value, np.zeros(np.shape(value)), call[0].dtype)]
    (largest,) = call.runner.run([call.error(0), *values[1:]], op_type="ReduceMax")
    return [call.result(value, largest)]


@rule("Max", "Min")
def _extreme(call: Call) -> Sequence[Tracked]:
    (value,) = call.runner.run(_values(call))
    if not call[0].is_float:
        return [Tracked(value, np.zeros(np.shape(value)), call[0].dtype)]
    errors = np.broadcast_arrays(*[call.error(i) for i in range(len(call.operands))])
    return [call.result(value, np.max(np.stack(errors), axis=0))]


@rule("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
def _compare(call: Call) -> Sequence[Tracked]:
    (value,) = call.runner.run(_values(call))
    margin = (
        np.abs(np.where(call.value(0) == call.value(1), 0.0, call.value(0) - call.value(1)))
        if call[0].is_float
        else None
    )
    error = call.error(0) + call.error(1)
    if margin is None or not error.any() or bool(np.all((margin > error) | (error == 0.0))):
        return [Tracked(value, np.zeros(value.shape), "bool")]
    return [
        Tracked(
            value,
            None,
            "bool",
            f"{call.runner.node.op_type} compares values closer than their errors",
        )
    ]
