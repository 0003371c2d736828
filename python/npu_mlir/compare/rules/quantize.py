# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts and quantisation: where an error may flip a rounding and so become a whole step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..formats import FloatArray, float_format, is_float
from ..metrics import AnyArray, as_float64
from .registry import Call, Tracked, rule


@rule("Cast")
def _cast(call: Call) -> Sequence[Tracked]:
    from onnx import helper

    x, error = call.value(0), call.error(0)
    target = np.dtype(helper.tensor_dtype_to_np_dtype(int(call.attribute("to"))))
    if is_float(target):
        value = as_float64(x)
        # To a narrower type the cast rounds; to a wider one it is exact, as are integers that the
        # significand holds.
        precision = float_format(target).precision
        if call[0].is_float:
            exact = precision >= float_format(call[0].dtype).precision
        else:
            exact = float(np.abs(value).max(initial=0.0)) <= 2.0**precision
        own = (
            np.zeros(value.shape)
            if exact
            else call.rounding(np.abs(value) + error, 0.5, target.name)
        )
        return [call.result(value, error + own, target.name)]
    if call[0].is_float:
        with np.errstate(invalid="ignore"):
            value = x.astype(target)
        if target.kind == "b":
            flips = (np.abs(x) <= error) & (error > 0.0)
        else:
            flips = np.trunc(x - error) != np.trunc(x + error)
        if flips.any():
            return [
                Tracked(
                    value,
                    None,
                    target.name,
                    f"Cast to {target.name} of values closer to a step than their errors",
                )
            ]
        return [Tracked(value, np.zeros(value.shape), target.name)]
    value = x.astype(target)
    if not error.any():
        return [Tracked(value, np.zeros(value.shape), target.name)]
    return [Tracked(value, error, target.name)]


def _along_axis(parameter: AnyArray, rank: int, axis: int) -> AnyArray:
    """A per-axis scale or zero point shaped to broadcast; scalars stay."""
    if parameter.ndim == 0 or parameter.size == 1:
        return parameter.reshape(())
    shape = [1] * rank
    shape[axis % rank] = -1
    return parameter.reshape(shape)


@rule("QuantizeLinear")
def _quantize(call: Call) -> Sequence[Tracked]:
    x, error = call.value(0), call.error(0)
    axis = int(call.attribute("axis", 1))
    scale = _along_axis(as_float64(call.value(1)), x.ndim, axis)
    zero_point = call.value(2) if call.has(2) else np.zeros((), np.uint8)
    if (
        zero_point.dtype.kind not in "iu"
        or call.attribute("block_size", 0)
        or zero_point.dtype.itemsize < 1
    ):
        return [
            Tracked(x, None, zero_point.dtype.name, "QuantizeLinear to this type has no error rule")
        ]
    info = np.iinfo(zero_point.dtype)
    offset = _along_axis(zero_point.astype(np.float64), x.ndim, axis)

    def steps(values: FloatArray) -> FloatArray:
        return np.asarray(np.clip(np.rint(values / scale) + offset, info.min, info.max))

    # The division itself is rounded, so a tie may go either way even for an exact operand.
    reach = error + call.rounding(x, 1.0)
    exact = np.abs(x / scale - np.rint(x / scale)) != 0.5
    reach = np.where((error == 0.0) & ~exact, 0.0, reach)
    value = steps(x)
    moved = np.maximum(np.abs(steps(x + reach) - value), np.abs(value - steps(x - reach)))
    return [Tracked(value.astype(zero_point.dtype), moved, zero_point.dtype.name)]


@rule("DequantizeLinear")
def _dequantize(call: Call) -> Sequence[Tracked]:
    x = call.value(0)
    axis = int(call.attribute("axis", 1))
    scale = _along_axis(as_float64(call.value(1)), x.ndim, axis)
    offset = _along_axis(call.value(2).astype(np.float64), x.ndim, axis) if call.has(2) else 0.0
    value = (x.astype(np.float64) - offset) * scale
    carried = call.error(0) * np.abs(scale)
    return [
        call.result(value, carried + call.rounding(np.abs(value) + carried, 0.5), call[1].dtype)
    ]
