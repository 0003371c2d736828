# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Find every op that cannot be lowered, by lowering each one alone; runs in the worker only.

A pipeline stops at its first failure and a crash leaves no message at all, so after a failure this
is how all the nodes at fault become known. Operands made by constants are kept (many lowerings
need them); all others become arguments.
"""

from __future__ import annotations

from typing import Any

from torch_mlir import ir
from torch_mlir.dialects import func as func_dialect

from . import worker_lower
from .worker_lower import StageError, locate, op_label
from .worker_progress import Progress

_CONSTANT_PREFIXES = ("torch.constant.", "torch.vtensor.literal", "torch.prim.ListConstruct")


def _is_constant(op: ir.Operation) -> bool:
    return op.name.startswith(_CONSTANT_PREFIXES) or (
        op.name == "torch.operator" and op_label(op) == "onnx.Constant"
    )


def _inside(op: ir.Operation, root: ir.Operation) -> bool:
    current: ir.Operation | None = op
    while current is not None:
        if current == root:
            return True
        current = current.parent
    return False


def _owner_op(value: ir.Value) -> ir.Operation:
    """The op that holds a value: its producer, or the parent of its block."""
    owner = value.owner
    return owner.owner.operation if isinstance(owner, ir.Block) else owner.operation


def _free_operands(op: ir.Operation) -> list[ir.Value]:
    """Values from outside that `op` or anything inside of it uses, each once."""
    found: list[ir.Value] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        for value in inner.operands:
            is_inner = _inside(_owner_op(value), op) and inner != op
            if not is_inner and value not in found:
                found.append(value)
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


class _Isolated:
    """Builds a module with one op and what it needs of constants."""

    def __init__(self, op: ir.Operation, function: ir.Operation) -> None:
        self._arguments: list[ir.Value] = []
        self._constants: list[ir.Operation] = []
        for value in _free_operands(op):
            self._collect(value)
        context = op.context
        with context, ir.Location.unknown():
            self.module = ir.Module.create()
            inputs = [value.type for value in self._arguments]
            results = [value.type for value in op.results]
            with ir.InsertionPoint(self.module.body):
                main = func_dialect.FuncOp("main", ir.FunctionType.get(inputs, results))
            for name in function.attributes:
                if name.startswith("torch."):
                    main.attributes[name] = function.attributes[name]
            block = main.add_entry_block()
            mapping = list(zip(self._arguments, block.arguments, strict=True))
            with ir.InsertionPoint(block):
                for constant in self._constants:
                    copy = self._clone(constant, mapping)
                    mapping.extend(zip(constant.results, copy.results, strict=True))
                copy = self._clone(op, mapping)
                func_dialect.ReturnOp(list(copy.results))

    def _collect(self, value: ir.Value) -> None:
        producer = value.owner
        if isinstance(producer, ir.Block) or not _is_constant(producer.operation):
            if value not in self._arguments:
                self._arguments.append(value)
            return
        constant = producer.operation
        if constant in self._constants:
            return
        for operand in constant.operands:
            self._collect(operand)
        self._constants.append(constant)

    @staticmethod
    def _clone(op: ir.Operation, mapping: list[tuple[ir.Value, ir.Value]]) -> ir.Operation:
        copy = op.clone().operation

        def replace(inner: ir.Operation) -> ir.WalkResult:
            for index, operand in enumerate(inner.operands):
                for old, new in mapping:
                    if operand == old:
                        inner.operands[index] = new
                        break
            return ir.WalkResult.ADVANCE

        copy.walk(replace, ir.WalkOrder.PRE_ORDER)
        return copy


def _main(module: ir.Operation) -> ir.Operation:
    for op in module.regions[0].blocks[0].operations:
        if op.operation.name == "func.func":
            name = ir.StringAttr(op.operation.attributes["sym_name"]).value
            if name == "main":
                return op.operation
    raise StageError("probe", "the imported module has no @main", [])


def probe(module: ir.Operation, kind: str, progress: Progress, skip: int) -> dict[str, Any]:
    """Lower each op of `@main` alone.

    Args:
        module: Module in the torch dialect, before any lowering.
        kind: `onnx` or `torch`.
        progress: Gets a note before each op, with its index, name and locations.
        skip: Index of the first op to try.

    Returns:
        `status` `probed` and `problems`, one entry for each failing op: `op`, `names`, `files`,
        `reason`.
    """
    function = _main(module)
    problems: list[dict[str, Any]] = []
    known: dict[str, str | None] = {}
    for index, view in enumerate(function.regions[0].blocks[0].operations):
        op = view.operation
        if index < skip or op.name == "func.return" or _is_constant(op):
            continue
        where = {"op": op_label(op), **locate(op.location)}
        progress.note("probe", index=index, problems=problems, **where)
        single = _Isolated(op, function).module.operation
        key = str(single)
        if key not in known:
            known[key] = _failure(single, kind)
        reason = known[key]
        if reason is not None:
            problems.append({**where, "reason": reason})
    return {"status": "probed", "problems": problems}


def _failure(module: ir.Operation, kind: str) -> str | None:
    try:
        worker_lower.lower(module, kind, None)
        worker_lower.check_contract(module)
    except StageError as error:
        return error.message
    return None
