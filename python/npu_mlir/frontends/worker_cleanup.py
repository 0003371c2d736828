# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remove what the lowering leaves behind and no target wants; runs in the worker only.

- A reduction for `max` also computes the index of the maximum in i64, nearly always unused.
- Scalar parameters (`epsilon`, scales) arrive as an f64 constant and an `arith.truncf`.
- Maximum, minimum and clamp arrive as comparison and `arith.select`, which loses a NaN in one of the operands.
"""

from __future__ import annotations

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

_TIDY = "builtin.module(func.func(canonicalize,cse))"


def _is_used(value: ir.Value) -> bool:
    return any(True for _ in value.uses)


def _block(op: ir.Operation) -> ir.Block:
    return op.regions[0].blocks[0]


def _needed(block: ir.Block, values: list[ir.Value]) -> tuple[set[int], set[int]]:
    """What `values` are computed from: indices of block arguments, and of ops in the block."""
    ops = [view.operation for view in block.operations]
    arguments: set[int] = set()
    used: set[int] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value.owner, ir.Block):
            if value.owner == block:
                arguments.add(ir.BlockArgument(value).arg_number)
            continue
        index = next((i for i, op in enumerate(ops) if op == value.owner.operation), None)
        if index is not None and index not in used:
            used.add(index)
            pending += list(ops[index].operands)
    return arguments, used


def _drop_results(op: ir.Operation) -> None:
    """Rebuild a `linalg.generic` without the results that nothing uses, where that is possible.

    An accumulator may only go if nothing that stays is computed from it: the index of a maximum
    needs the maximum.
    """
    block = _block(op)
    ops = [view.operation for view in block.operations]
    values = list(ops[-1].operands)
    kept = [i for i, result in enumerate(op.results) if _is_used(result)]
    if not kept or len(kept) == len(values) or any(len(inner.regions) for inner in ops):
        return
    inputs = len(op.operands) - len(values)
    dropped = [i for i in range(len(values)) if i not in kept]
    effects = [v for inner in ops[:-1] if inner.name == "cf.assert" for v in inner.operands]
    arguments, used = _needed(block, [values[i] for i in kept] + effects)
    if any(inputs + i in arguments for i in dropped):
        return
    with ir.InsertionPoint(ops[-1]), ops[-1].location:
        ir.Operation.create("linalg.yield", operands=[values[i] for i in kept])
    ops[-1].erase()
    for index in reversed(range(len(ops) - 1)):
        if index not in used and ops[index].name != "cf.assert":
            ops[index].erase()
    maps = list(ir.ArrayAttr(op.attributes["indexing_maps"]))
    positions = [*range(inputs), *(inputs + i for i in kept)]
    with ir.InsertionPoint(op), op.location:
        attributes = {name: op.attributes[name] for name in op.attributes}
        attributes["indexing_maps"] = ir.ArrayAttr.get([maps[i] for i in positions])
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([inputs, len(kept)])
        new = ir.Operation.create(
            "linalg.generic",
            results=[op.results[i].type for i in kept],
            operands=[op.operands[i] for i in positions],
            attributes=attributes,
            regions=1,
        )
    for i in reversed(dropped):
        block.erase_argument(inputs + i)
    block.append_to(new.regions[0])
    for index, i in enumerate(kept):
        op.results[i].replace_all_uses_with(new.results[index])
    op.erase()


def _fold_truncation(op: ir.Operation) -> None:
    """`arith.truncf` of a scalar f64 constant to the f32 constant nearest to it."""
    source = op.operands[0].owner
    if isinstance(source, ir.Block) or source.operation.name != "arith.constant":
        return
    value = source.operation.attributes["value"]
    type_ = op.results[0].type
    if not isinstance(value, ir.FloatAttr) or not isinstance(type_, ir.F32Type):
        return
    with ir.InsertionPoint(op), op.location:
        constant = ir.Operation.create(
            "arith.constant",
            results=[type_],
            attributes={"value": ir.FloatAttr.get(type_, value.value)},
        )
    op.results[0].replace_all_uses_with(constant.results[0])
    op.erase()


# Predicates of arith.cmpf, ordered and unordered.
_GREATER = (2, 3, 9, 10)
_LESS = (4, 5, 11, 12)


def _restore_extremum(op: ir.Operation) -> None:
    """`select(a > b, a, b)` to `maximumf`, its kind to `maximumf` or `minimumf`: both give NaN for NaN.

    A choice that is written in the model itself compares and selects in two ops on tensors, so it
    does not look like this.
    """
    condition, chosen, other = op.operands
    if isinstance(condition.owner, ir.Block) or condition.owner.operation.name != "arith.cmpf":
        return
    compare = condition.owner.operation
    if sum(1 for _ in condition.uses) != 1:
        return  # The index of a maximum depends on the comparison too.
    predicate = ir.IntegerAttr(compare.attributes["predicate"]).value
    left, right = compare.operands
    if predicate not in _GREATER + _LESS or (chosen, other) not in ((left, right), (right, left)):
        return
    takes_left = chosen == left
    name = "maximumf" if (predicate in _GREATER) == takes_left else "minimumf"
    with ir.InsertionPoint(op), op.location:
        extremum = ir.Operation.create(f"arith.{name}", results=[op.results[0].type], operands=[left, right])
    op.results[0].replace_all_uses_with(extremum.results[0])
    op.erase()


def clean(module: ir.Operation) -> None:
    """Clean a module on linalg level, in place."""
    generics: list[ir.Operation] = []
    truncations: list[ir.Operation] = []
    selects: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "linalg.generic":
            generics.append(op)
        elif op.name == "arith.truncf":
            truncations.append(op)
        elif op.name == "arith.select":
            selects.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    with module.context:
        for op in truncations:
            _fold_truncation(op)
        for op in selects:
            _restore_extremum(op)
        # Users first: what one drops may be what another was kept for.
        for op in reversed(generics):
            _drop_results(op)
        PassManager.parse(_TIDY).run(module)
