# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuse element types that the importer does not know."""

from __future__ import annotations

import onnx

from ...errors import UnsupportedNode, UnsupportedOpError
from .infer import known_types
from .work import Work, all_graphs

_UNKNOWN = {
    value: name
    for name, value in onnx.TensorProto.DataType.items()
    if name in ("FLOAT4E2M1", "FLOAT8E8M0", "INT2", "UINT2", "STRING")
}


def refuse_element_types(work: Work) -> None:
    """Refuse inputs, and nodes with results, of types without a form in the importer.

    Raises:
        UnsupportedOpError: Lists all of them.
    """
    found = []
    for graph in all_graphs(work.graph):
        types = known_types(graph)
        for value in graph.input:
            name = _UNKNOWN.get(value.type.tensor_type.elem_type)
            if name:
                reason = f"the element type {name}"
                found.append(UnsupportedNode(value.name, "input", "ai.onnx", reason))
        for node in graph.node:
            held = [types[n].tensor_type.elem_type for n in node.output if n in types]
            name = next((_UNKNOWN[elem] for elem in held if elem in _UNKNOWN), None)
            if name:
                source = work.origins.get(node.name, node.name)
                reason = f"its result has the element type {name}"
                found.append(UnsupportedNode(source, node.op_type, "ai.onnx", reason))
    if found:
        raise UnsupportedOpError(found, where=work.where)
