# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Take large constants out of the model: they become graph inputs, their values go beside it."""

from __future__ import annotations

import onnx
from onnx import numpy_helper

from ...errors import UnsupportedNode, UnsupportedOpError
from ..validate import refuse_nan
from .work import Work, inline_tensor, replace_nodes, stays_inline


def split_weights(work: Work) -> None:
    """Turn `Constant` nodes into initializers and large initializers into graph inputs.

    Inputs that have an initializer (the style of IR version 3) stop being inputs: the initializer
    is their value.

    Raises:
        UnsupportedOpError: A sparse initializer.
        InputError: An initializer with NaN.
    """
    graph = work.graph
    if graph.sparse_initializer:
        nodes = [
            UnsupportedNode(tensor.values.name, "sparse initializer", "ai.onnx")
            for tensor in graph.sparse_initializer
        ]
        raise UnsupportedOpError(nodes, where=work.where, fix="export the model with dense weights")
    trained = {tensor.name for tensor in graph.initializer}
    _lift_constant_nodes(graph)
    initialized = {tensor.name for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in initialized]
    tensors = list(graph.initializer)
    values = [(tensor.name, numpy_helper.to_array(tensor)) for tensor in tensors]
    # Constants of the graph may be NaN on purpose; those that stay in the text are not looked at again.
    refuse_nan({name: value for name, value in values if name in trained}, work.where)
    large = [(name, value) for name, value in values if not stays_inline(value)]
    small = [inline_tensor(value, name) for name, value in values if stays_inline(value)]
    del graph.input[:]
    del graph.initializer[:]
    graph.input.extend(inputs)
    graph.initializer.extend(small)
    for name, value in large:
        work.add_constant(name, value)


def _lift_constant_nodes(graph: onnx.GraphProto) -> None:
    kept = []
    for node in graph.node:
        value = constant_value(node)
        if value is None:
            kept.append(node)
        else:
            value.name = node.output[0]
            graph.initializer.append(value)
    if len(kept) != len(graph.node):
        replace_nodes(graph, kept)


def constant_value(node: onnx.NodeProto) -> onnx.TensorProto | None:
    """The tensor of a `Constant` node in any of its numeric forms; None for all other nodes."""
    if node.op_type != "Constant" or node.domain not in ("", "ai.onnx"):
        return None
    for attribute in node.attribute:
        if attribute.name == "value":
            copy = onnx.TensorProto()
            copy.CopyFrom(attribute.t)
            return copy
        if attribute.name == "value_float":
            return onnx.helper.make_tensor("", onnx.TensorProto.FLOAT, [], [attribute.f])
        if attribute.name == "value_floats":
            floats = list(attribute.floats)
            return onnx.helper.make_tensor("", onnx.TensorProto.FLOAT, [len(floats)], floats)
        if attribute.name == "value_int":
            return onnx.helper.make_tensor("", onnx.TensorProto.INT64, [], [attribute.i])
        if attribute.name == "value_ints":
            ints = list(attribute.ints)
            return onnx.helper.make_tensor("", onnx.TensorProto.INT64, [len(ints)], ints)
    return None
