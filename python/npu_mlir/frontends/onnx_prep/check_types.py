# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that operands which must have one element type have one; neither checker nor inference of ONNX does."""

from __future__ import annotations

from collections.abc import Iterator

import onnx

from ...errors import InputError
from .infer import known_types
from .work import Work, all_graphs

_NAMES = {number: name for name, number in onnx.TensorProto.DataType.items()}


def refuse_mixed_types(work: Work) -> None:
    """Check the type variables of every node's schema.

    Raises:
        InputError: Lists all nodes with operands of different types that must be the same.
    """
    found = []
    for graph in all_graphs(work.graph):
        types = {name: type_.tensor_type.elem_type for name, type_ in known_types(graph).items()}
        for node in graph.node:
            fault = _fault(node, types, work.opset())
            if fault:
                found.append(f"{node.op_type} '{node.name}': {fault}")
    if found:
        raise InputError(
            "operands of the model have types that do not go together",
            code="E-ONNX",
            where=work.where,
            why="\n".join(found),
            fix="insert Cast nodes, or export the model again",
        )


def _operands(node: onnx.NodeProto, schema: onnx.defs.OpSchema) -> Iterator[tuple[str, str]]:
    """Name and type variable of each operand that is bound to one."""
    variables = {constraint.type_param_str for constraint in schema.type_constraints}
    for index, name in enumerate(node.input):
        formal = schema.inputs[min(index, len(schema.inputs) - 1)] if schema.inputs else None
        if name and formal is not None and formal.is_homogeneous and formal.type_str in variables:
            yield name, formal.type_str


def _fault(node: onnx.NodeProto, types: dict[str, int], opset: int) -> str | None:
    try:
        schema = onnx.defs.get_schema(node.op_type, opset, "" if node.domain == "ai.onnx" else node.domain)
    except onnx.defs.SchemaError:
        return None  # an operator that is refused elsewhere, or a function of the model
    bound: dict[str, tuple[str, int]] = {}
    for name, variable in _operands(node, schema):
        elem = types.get(name, 0)
        if not elem:
            continue
        first, expected = bound.setdefault(variable, (name, elem))
        if elem != expected:
            return f"'{first}' is {_NAMES.get(expected, expected)}, but '{name}' is {_NAMES.get(elem, elem)}"
    return None
