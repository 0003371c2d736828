# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuse element types that the importer, the host and the NPU do not know."""

from __future__ import annotations

import onnx

from ...errors import UnsupportedNode, UnsupportedOpError
from .infer import known_types
from .work import Work, all_graphs

_UNKNOWN = {
    value: name
    for name, value in onnx.TensorProto.DataType.items()
    if name in ("INT2", "INT4", "STRING", "UINT2", "UINT4") or name.startswith(("FLOAT4", "FLOAT8"))
}


def refuse_element_types(work: Work) -> None:
    """Refuse inputs, and nodes with results or operands, of types without a form in the importer.

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
            for word, names in (("result", node.output), ("operand", node.input)):
                held = [types[n].tensor_type.elem_type for n in names if n in types]
                name = next((_UNKNOWN[elem] for elem in held if elem in _UNKNOWN), None)
                if name:
                    source = work.origins.get(node.name, node.name)
                    reason = f"its {word} has the element type {name}"
                    found.append(UnsupportedNode(source, node.op_type, "ai.onnx", reason))
                    break
    if found:
        raise UnsupportedOpError(found, where=work.where)
