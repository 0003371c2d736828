# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that hold the weights of an ONNX model outside of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError


def external_files(path: Path) -> list[Path]:
    """The files that the tensors of a model lie in, each once; none if it cannot be read.

    Args:
        path: the .onnx file.
    """
    model = onnx.ModelProto()
    try:
        model.ParseFromString(path.read_bytes())
    except (OSError, DecodeError):
        return []
    names: dict[str, None] = {}
    for tensor in _tensors(model):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            names.update((entry.value, None) for entry in tensor.external_data if entry.key == "location")
    return [path.parent / name for name in names]


def _tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    yield from _graph(model.graph)
    for function in model.functions:
        for node in function.node:
            yield from _node(node)


def _graph(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    for node in graph.node:
        yield from _node(node)


def _node(node: onnx.NodeProto) -> Iterator[onnx.TensorProto]:
    for attribute in node.attribute:
        if attribute.HasField("t"):
            yield attribute.t
        yield from attribute.tensors
        if attribute.HasField("g"):
            yield from _graph(attribute.g)
        for graph in attribute.graphs:
            yield from _graph(graph)
