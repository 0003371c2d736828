# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model while it is being prepared, and small helpers that several steps need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import numpy_helper


@dataclass
class Work:
    """A model in preparation.

    Attributes:
        model: The model. After `split_weights` no large initializer is left in it.
        where: What the model is called in messages.
        weights: Large constants; each is a graph input of `model` of the same name.
        warnings: For the user.
        origins: Names of nodes that the preparation made, to the node of the source they stand for.
        op_types: Source node name to (operator, domain).
    """

    model: onnx.ModelProto
    where: str
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)
    op_types: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def graph(self) -> onnx.GraphProto:
        """The main graph."""
        return self.model.graph

    def opset(self) -> int:
        """Version of the default domain; 1 if it is not named."""
        for entry in self.model.opset_import:
            if entry.domain in ("", "ai.onnx"):
                return int(entry.version)
        return 1

    def add_constant(self, name: str, value: np.ndarray) -> None:
        """Make `value` known under `name`: inline if small, as a weight otherwise."""
        if stays_inline(value):
            self.graph.initializer.append(inline_tensor(value, name))
        else:
            self.weights[name] = value
            elem = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
            self.graph.input.append(onnx.helper.make_tensor_value_info(name, elem, value.shape))

    def constants(self) -> dict[str, onnx.TensorProto | np.ndarray]:
        """All known values of the main graph by name."""
        known: dict[str, onnx.TensorProto | np.ndarray] = dict(self.weights)
        known.update({tensor.name: tensor for tensor in self.graph.initializer})
        return known


# Larger float constants travel beside the text. Shape-like integers stay in it: lowerings look at
# their values.
MAX_INLINE_ELEMENTS = 64
MAX_INLINE_SHAPE_ELEMENTS = 1024
_TYPED_FIELDS = frozenset({"float32", "bool", "uint8", "int8", "int16", "int32", "int64"})


def stays_inline(value: np.ndarray) -> bool:
    """Whether a constant stays in the text instead of becoming a weight."""
    if value.size <= MAX_INLINE_ELEMENTS:
        return True
    shape_like = value.ndim <= 1 and value.dtype.name in ("int32", "int64")
    return shape_like and value.size <= MAX_INLINE_SHAPE_ELEMENTS


def inline_tensor(value: np.ndarray, name: str) -> onnx.TensorProto:
    """TensorProto in the typed fields where they exist: raw bytes would become resource blobs."""
    if value.dtype.name not in _TYPED_FIELDS:
        return numpy_helper.from_array(np.ascontiguousarray(value), name)
    elem = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
    return onnx.helper.make_tensor(name, elem, value.shape, value.flatten())


def to_array(value: onnx.TensorProto | np.ndarray) -> np.ndarray:
    """The numpy value of a constant."""
    return value if isinstance(value, np.ndarray) else numpy_helper.to_array(value)


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """Graphs held by the attributes of a node."""
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == onnx.AttributeProto.GRAPHS:
            yield from attribute.graphs


def all_graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """The graph and all graphs below it, outermost first."""
    yield graph
    for node in graph.node:
        for inner in subgraphs(node):
            yield from all_graphs(inner)


def node_uses(node: onnx.NodeProto) -> Iterator[str]:
    """Names that a node reads, those captured by its graphs included; may repeat."""
    yield from (name for name in node.input if name)
    for graph in subgraphs(node):
        yield from graph_captures(graph)


def graph_captures(graph: onnx.GraphProto) -> Iterator[str]:
    """Names that a graph reads from outside of itself; may repeat."""
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        yield from (name for name in node_uses(node) if name not in own)
        own.update(node.output)
    yield from (value.name for value in graph.output if value.name not in own)


def rename_uses(graph: onnx.GraphProto, renames: dict[str, str]) -> None:
    """Replace the names that nodes read, in `graph` and below, by their value in `renames`."""
    if not renames:
        return
    for inner in all_graphs(graph):
        for node in inner.node:
            for index, name in enumerate(node.input):
                if name in renames:
                    node.input[index] = renames[name]
        if inner is not graph:
            for value in inner.output:
                value.name = renames.get(value.name, value.name)


def replace_nodes(graph: onnx.GraphProto, nodes: list[onnx.NodeProto]) -> None:
    """Make `nodes` the nodes of `graph`."""
    kept = list(nodes)
    del graph.node[:]
    graph.node.extend(kept)
