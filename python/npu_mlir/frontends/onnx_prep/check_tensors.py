# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that the constants of a model hold what they say; the ONNX checker lets too much data pass."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import onnx
from onnx import TensorProto

from ...errors import InputError
from .work import Work, all_graphs

_NAMES = {number: name for name, number in TensorProto.DataType.items()}
_SUB_BYTE_BITS = {"UINT4": 4, "INT4": 4, "FLOAT4E2M1": 4, "UINT2": 2, "INT2": 2}


def refuse_broken_tensors(work: Work) -> None:
    """Check every initializer and every tensor in an attribute.

    Raises:
        InputError: Lists all whose element type is unknown or whose bytes do not fill their shape.
    """
    found = []
    for graph in all_graphs(work.graph):
        for label, tensor in _tensors(graph):
            fault = _fault(tensor)
            if fault:
                found.append(f"{label}: {fault}")
    if found:
        raise InputError(
            "the ONNX model has broken constants",
            code="E-ONNX",
            where=work.where,
            why="\n".join(found),
            fix="export the model again",
        )


def _tensors(graph: onnx.GraphProto) -> Iterator[tuple[str, TensorProto]]:
    for tensor in graph.initializer:
        yield f"initializer '{tensor.name}'", tensor
    for node in graph.node:
        for attribute in node.attribute:
            label = f"attribute '{attribute.name}' of node '{node.name or node.op_type}'"
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield label, attribute.t
            yield from ((label, tensor) for tensor in attribute.tensors)


def _fault(tensor: TensorProto) -> str | None:
    name = _NAMES.get(tensor.data_type)
    if name is None or name == "UNDEFINED":
        return f"there is no element type {tensor.data_type}"
    if any(dim < 0 for dim in tensor.dims):
        return f"its shape {list(tensor.dims)} has a negative extent"
    if not tensor.HasField("raw_data"):
        return None  # the ONNX checker counts the elements of the typed fields
    elements = prod(tensor.dims)
    bits = _SUB_BYTE_BITS.get(name) or 8 * onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
    wanted = -(-elements * bits // 8)
    if len(tensor.raw_data) != wanted:
        return f"{list(tensor.dims)} of {name} takes {wanted} bytes, but it holds {len(tensor.raw_data)}"
    return None
