# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the rewrites share: looking at a node, and making the nodes that replace it."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from .infer import known_types, static_shape
from .work import Work, to_array


def attributes_of(node: onnx.NodeProto) -> dict[str, Any]:
    """Attribute values of a node by name."""
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def constants_of(work: Work, names: list[str]) -> list[np.ndarray] | None:
    """Values of all names, or None if one of them is not constant."""
    known = work.constants()
    if any(name not in known for name in names):
        return None
    return [to_array(known[name]) for name in names]


def float_shape(work: Work, name: str) -> tuple[int, ...] | None:
    """Static shape of a float32 value, None for any other."""
    type_ = known_types(work.graph).get(name)
    if type_ is None or type_.tensor_type.elem_type != onnx.TensorProto.FLOAT:
        return None
    return static_shape(type_)


def shape_of(work: Work, name: str) -> tuple[int, ...] | None:
    """Static shape of a value, None if it is not known."""
    return static_shape(known_types(work.graph).get(name))


class Builder:
    """Nodes that stand for one node of the source; the last one made has its name."""

    def __init__(self, work: Work, node: onnx.NodeProto) -> None:
        self._work = work
        self._node = node
        self.nodes: list[onnx.NodeProto] = []

    def constant(self, label: str, value: np.ndarray) -> str:
        """A constant under a name of its own."""
        name = f"{self._node.name}/{label}"
        self._work.add_constant(name, value)
        return name

    def op(self, op_type: str, inputs: list[str], label: str, **attributes: Any) -> str:
        """A node with one result, whose name is returned."""
        name = f"{self._node.name}/{label}"
        self.nodes.append(onnx.helper.make_node(op_type, inputs, [name], name=name, **attributes))
        return name

    def reduce(
        self, op_type: str, value: str, axes: list[int], label: str, *, keepdims: int = 1
    ) -> str:
        """A reduction; its axes are an attribute in old opsets and an input in new ones."""
        since = 13 if op_type == "ReduceSum" else 18
        if self._work.opset() < since:
            return self.op(op_type, [value], label, axes=axes, keepdims=keepdims)
        name = self.constant(f"{label}_axes", np.array(axes, dtype=np.int64))
        return self.op(op_type, [value, name], label, keepdims=keepdims)

    def finish(self) -> list[onnx.NodeProto]:
        """Give the last node the name and the result of the source node."""
        self.nodes[-1].name = self._node.name
        self.nodes[-1].output[0] = self._node.output[0]
        return self.nodes
