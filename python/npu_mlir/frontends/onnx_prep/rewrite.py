# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write operators in the form that lowers best: constants worked in, no f64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx

from .infer import known_types, static_shape
from .work import Work, replace_nodes, to_array

def rewrite(work: Work) -> None:
    """Apply all rewrites; types must be inferred."""
    result: list[onnx.NodeProto] = []
    for node in work.graph.node:
        step = _STEPS.get(node.op_type)
        made = step(work, node) if step is not None else None
        if made is None:
            result.append(node)
            continue
        origin = work.origins.get(node.name, node.name)
        for new in made:
            if new.name != node.name:
                work.origins[new.name] = origin
        result += made
    replace_nodes(work.graph, result)


def _constants(work: Work, names: list[str]) -> list[np.ndarray] | None:
    known = work.constants()
    if any(name not in known for name in names):
        return None
    return [to_array(known[name]) for name in names]


def _batch_norm(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """Constant statistics: `x * scale + shift`, the form that all runtimes compute."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    values = _constants(work, list(node.input[1:5]))
    shape = static_shape(known_types(work.graph).get(node.input[0]))
    is_training = attributes.get("training_mode", 0) or any(node.output[1:])
    if values is None or shape is None or is_training:
        return None
    gamma, beta, mean, variance = (value.astype(np.float32) for value in values)
    dtype = values[0].dtype
    scale = gamma / np.sqrt(variance + np.float32(attributes.get("epsilon", 1e-5)))
    shift = beta - mean * scale
    extents = (-1, *[1] * (len(shape) - 2))
    build = _Builder(work, node)
    names = [
        build.constant("scale", scale.reshape(extents).astype(dtype)),
        build.constant("shift", shift.reshape(extents).astype(dtype)),
    ]
    product = build.op("Mul", [node.input[0], names[0]], "product")
    build.op("Add", [product, names[1]], "shifted")
    return build.finish()


def _gemm(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """A constant B is transposed now."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if not attributes.get("transB", 0):
        return None
    values = _constants(work, [node.input[1]])
    if values is None:
        return None
    name = f"{node.name}/transposed"
    work.add_constant(name, np.ascontiguousarray(values[0].T))
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    copy.input[1] = name
    kept = [attribute for attribute in node.attribute if attribute.name != "transB"]
    del copy.attribute[:]
    copy.attribute.extend(kept)
    return [copy]


class _Builder:
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

    def op(self, op_type: str, inputs: list[str], label: str, **attributes: object) -> str:
        """A node with one result, whose name is returned."""
        name = f"{self._node.name}/{label}"
        self.nodes.append(
            onnx.helper.make_node(op_type, inputs, [name], name=name, **attributes)
        )
        return name

    def mean(self, value: str, axes: list[int], label: str) -> str:
        """Mean over axes, which are an input from opset 18 on."""
        if self._work.opset() < 18:
            return self.op("ReduceMean", [value], label, axes=axes, keepdims=1)
        name = self.constant(f"{label}_axes", np.array(axes, dtype=np.int64))
        return self.op("ReduceMean", [value, name], label, keepdims=1)

    def finish(self) -> list[onnx.NodeProto]:
        """Give the last node the name and the result of the source node."""
        self.nodes[-1].name = self._node.name
        self.nodes[-1].output[0] = self._node.output[0]
        return self.nodes


def _normalize(build: _Builder, value: str, axes: list[int], epsilon: float) -> str:
    """`(x - mean) / sqrt(variance + epsilon)` in two passes, which does not cancel."""
    centered = build.op("Sub", [value, build.mean(value, axes, "mean")], "centered")
    square = build.op("Mul", [centered, centered], "square")
    eps = build.constant("epsilon", np.array(epsilon, dtype=np.float32))
    variance = build.op("Add", [build.mean(square, axes, "variance"), eps], "variance_eps")
    deviation = build.op("Sqrt", [variance], "deviation")
    return build.op("Div", [centered, deviation], "normalized")


def _float_shape(work: Work, name: str) -> tuple[int, ...] | None:
    """Static shape of a float32 value, None for any other."""
    type_ = known_types(work.graph).get(name)
    if type_ is None or type_.tensor_type.elem_type != onnx.TensorProto.FLOAT:
        return None
    return static_shape(type_)


def _layer_norm(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """The lowering of the op itself accumulates in f64; its ONNX definition cancels."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    shape = _float_shape(work, node.input[0])
    if shape is None or any(node.output[1:]):
        return None
    first = int(attributes.get("axis", -1)) % len(shape)
    build = _Builder(work, node)
    axes = list(range(first, len(shape)))
    value = _normalize(build, node.input[0], axes, float(attributes.get("epsilon", 1e-5)))
    value = build.op("Mul", [value, node.input[1]], "scaled")
    if len(node.input) > 2 and node.input[2]:
        build.op("Add", [value, node.input[2]], "shifted")
    return build.finish()


def _instance_norm(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """As for layer normalisation, over the spatial axes."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    shape = _float_shape(work, node.input[0])
    values = _constants(work, list(node.input[1:3]))
    if shape is None or values is None or len(shape) < 3:
        return None
    build = _Builder(work, node)
    axes = list(range(2, len(shape)))
    value = _normalize(build, node.input[0], axes, float(attributes.get("epsilon", 1e-5)))
    extents = (-1, *[1] * len(axes))
    scale, shift = (constant.reshape(extents) for constant in values)
    value = build.op("Mul", [value, build.constant("scale", scale)], "scaled")
    build.op("Add", [value, build.constant("shift", shift)], "shifted")
    return build.finish()


_STEPS: dict[str, Callable[[Work, onnx.NodeProto], list[onnx.NodeProto] | None]] = {
    "BatchNormalization": _batch_norm,
    "Gemm": _gemm,
    "InstanceNormalization": _instance_norm,
    "LayerNormalization": _layer_norm,
}
