# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalisations: constant statistics worked in, run-time statistics in two passes of f32."""

from __future__ import annotations

import numpy as np
import onnx

from .builder import Builder, attributes_of, constants_of, float_shape, shape_of
from .work import Work


def batch_norm(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """Constant statistics: `x * scale + shift`, the form that all runtimes compute."""
    attributes = attributes_of(node)
    values = constants_of(work, list(node.input[1:5]))
    shape = shape_of(work, node.input[0])
    is_training = attributes.get("training_mode", 0) or any(node.output[1:])
    if values is None or shape is None or is_training:
        return None
    gamma, beta, mean, variance = (value.astype(np.float32) for value in values)
    dtype = values[0].dtype
    scale = gamma / np.sqrt(variance + np.float32(attributes.get("epsilon", 1e-5)))
    shift = beta - mean * scale
    extents = (-1, *[1] * (len(shape) - 2))
    build = Builder(work, node)
    names = [
        build.constant("scale", scale.reshape(extents).astype(dtype)),
        build.constant("shift", shift.reshape(extents).astype(dtype)),
    ]
    product = build.op("Mul", [node.input[0], names[0]], "product")
    build.op("Add", [product, names[1]], "shifted")
    return build.finish()


def lp_normalization(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """A row of zeros stays zero: the lowering of the op itself divides zero by zero."""
    attributes = attributes_of(node)
    order = int(attributes.get("p", 2))
    if float_shape(work, node.input[0]) is None or order not in (1, 2):
        return None
    build, value = Builder(work, node), node.input[0]
    axes = [int(attributes.get("axis", -1))]
    if order == 1:
        norm = build.reduce("ReduceSum", build.op("Abs", [value], "abs"), axes, "norm")
    else:
        total = build.reduce("ReduceSum", build.op("Mul", [value, value], "square"), axes, "total")
        norm = build.op("Sqrt", [total], "norm")
    zero = build.constant("zero", np.array(0, dtype=np.float32))
    one = build.constant("one", np.array(1, dtype=np.float32))
    is_zero = build.op("Equal", [norm, zero], "is_zero")
    divisor = build.op("Where", [is_zero, one, norm], "divisor")
    build.op("Div", [value, divisor], "quotient")
    return build.finish()


def reduce_log_sum_exp(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """log(sum(exp(x - m))) + m for the maximum m: the lowering of the op itself overflows from x = 89 on."""
    shape, attributes = float_shape(work, node.input[0]), attributes_of(node)
    if shape is None or 0 in shape:
        return None
    axes = attributes.get("axes")
    if len(node.input) > 1 and node.input[1]:
        values = constants_of(work, [node.input[1]])
        if values is None:
            return None
        axes = values[0].tolist()
    if not axes and attributes.get("noop_with_empty_axes", 0):
        return None
    axes = [int(axis) for axis in axes] if axes else list(range(len(shape)))
    build, value = Builder(work, node), node.input[0]
    largest = build.reduce("ReduceMax", value, axes, "largest")
    # An infinite maximum would make inf - inf; the sum is what it is without it.
    zero = build.constant("zero", np.zeros((), np.float32))
    infinite = build.op("IsInf", [largest], "infinite")
    shift = build.op("Where", [infinite, zero, largest], "shift")
    exponential = build.op("Exp", [build.op("Sub", [value, shift], "shifted")], "exponential")
    keepdims = int(attributes.get("keepdims", 1))
    logarithm = build.op("Log", [build.reduce("ReduceSum", exponential, axes, "sum", keepdims=keepdims)], "logarithm")
    if not keepdims:
        kept = [extent for axis, extent in enumerate(shape) if axis not in {a % len(shape) for a in axes}]
        target = build.constant("shape", np.array(kept, np.int64))
        shift = build.op("Reshape", [shift, target], "shift_shape")
    build.op("Add", [logarithm, shift], "result")
    return build.finish()


def _normalize(build: Builder, value: str, axes: list[int], epsilon: float) -> str:
    """`(x - mean) / sqrt(variance + epsilon)` in two passes, which does not cancel."""
    centered = build.op("Sub", [value, build.reduce("ReduceMean", value, axes, "mean")], "centered")
    square = build.op("Mul", [centered, centered], "square")
    eps = build.constant("epsilon", np.array(epsilon, dtype=np.float32))
    variance = build.op(
        "Add", [build.reduce("ReduceMean", square, axes, "variance"), eps], "variance_eps"
    )
    deviation = build.op("Sqrt", [variance], "deviation")
    return build.op("Div", [centered, deviation], "normalized")


def layer_norm(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """The lowering of the op itself accumulates in f64; its ONNX definition cancels."""
    attributes = attributes_of(node)
    shape = float_shape(work, node.input[0])
    if shape is None or any(node.output[1:]):
        return None
    first = int(attributes.get("axis", -1)) % len(shape)
    build = Builder(work, node)
    axes = list(range(first, len(shape)))
    value = _normalize(build, node.input[0], axes, float(attributes.get("epsilon", 1e-5)))
    value = build.op("Mul", [value, node.input[1]], "scaled")
    if len(node.input) > 2 and node.input[2]:
        build.op("Add", [value, node.input[2]], "shifted")
    return build.finish()


def instance_norm(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """As for layer normalisation, over the spatial axes."""
    attributes = attributes_of(node)
    shape = float_shape(work, node.input[0])
    values = constants_of(work, list(node.input[1:3]))
    if shape is None or values is None or len(shape) < 3:
        return None
    build = Builder(work, node)
    axes = list(range(2, len(shape)))
    value = _normalize(build, node.input[0], axes, float(attributes.get("epsilon", 1e-5)))
    extents = (-1, *[1] * len(axes))
    scale, shift = (constant.reshape(extents) for constant in values)
    value = build.op("Mul", [value, build.constant("scale", scale)], "scaled")
    build.op("Add", [value, build.constant("shift", shift)], "shifted")
    return build.finish()
