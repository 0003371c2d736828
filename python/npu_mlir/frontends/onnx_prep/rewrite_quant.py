# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised operators in forms that the importer gets right: unsigned, for each channel, by default."""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import TensorProto

from .builder import Builder, attributes_of, constants_of, float_shape, shape_of
from .infer import known_types
from .work import Work


def _input(node: onnx.NodeProto, index: int) -> str:
    """Name of an input, empty if it is left out."""
    return node.input[index] if index < len(node.input) else ""


def _dtype_of(work: Work, name: str) -> np.dtype | None:
    type_ = known_types(work.graph).get(name)
    if type_ is None or type_.tensor_type.elem_type == TensorProto.UNDEFINED:
        return None
    return np.dtype(onnx.helper.tensor_dtype_to_np_dtype(type_.tensor_type.elem_type))


def _is_single(shape: tuple[int, ...]) -> bool:
    return math.prod(shape) == 1


def _along(build: Builder, name: str, rank: int, axis: int, label: str) -> str:
    """A list of values for one axis, in the shape that broadcasts along it."""
    extents = [1] * rank
    extents[axis] = -1
    return build.op("Reshape", [name, build.constant(f"{label}_shape", np.array(extents))], label)


def _saturate(build: Builder, value: str, zero_point: str, dtype: np.dtype) -> None:
    """Round, add the zero point (f32, may be empty) and cast to the range of an integer type."""
    value = build.op("Round", [value], "rounded")
    if zero_point:
        value = build.op("Add", [value, zero_point], "shifted")
    bounds = np.iinfo(dtype)
    low = build.constant("low", np.array(bounds.min, dtype=np.float32))
    high = build.constant("high", np.array(bounds.max, dtype=np.float32))
    value = build.op("Clip", [value, low, high], "clipped")
    _to_narrow(build, value, dtype)


def _to_narrow(build: Builder, value: str, dtype: np.dtype) -> None:
    # By way of i32, where the sign does not matter: a cast of a float takes unsigned types for signed.
    value = build.op("Cast", [value], "wide", to=TensorProto.INT32)
    build.op("Cast", [value], "narrow", to=onnx.helper.np_dtype_to_tensor_dtype(dtype))


def quantize(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """A zero point that is left out is 0; a scale for each channel is a division."""
    shape, scales = float_shape(work, node.input[0]), shape_of(work, node.input[1])
    dtype, zero_point = _dtype_of(work, node.output[0]), _input(node, 2)
    attributes = attributes_of(node)
    if shape is None or scales is None or dtype is None or dtype.kind not in "iu":
        return None
    build = Builder(work, node)
    if not scales:
        if zero_point:
            return None
        zero = build.constant("zero", np.array(0, dtype=dtype))
        build.op("QuantizeLinear", [*node.input[:2], zero], "quantized")
        return build.finish()
    if dtype.itemsize > 2 or len(scales) != 1:
        return None
    axis = int(attributes.get("axis", 1)) if not _is_single(scales) else 0
    scale = _along(build, node.input[1], len(shape), axis, "scale")
    value = build.op("Div", [node.input[0], scale], "scaled")
    if zero_point:
        zero_point = build.op("Cast", [zero_point], "zero", to=TensorProto.FLOAT)
        zero_point = _along(build, zero_point, len(shape), axis, "zeros")
    _saturate(build, value, zero_point, dtype)
    return build.finish()


def dequantize(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """A zero point that is left out is 0; unsigned values with a scale for each channel become signed."""
    shape, scales = shape_of(work, node.input[0]), shape_of(work, node.input[1])
    dtype, zero_point = _dtype_of(work, node.input[0]), _input(node, 2)
    if shape is None or scales is None or dtype is None or dtype.kind not in "iu" or len(scales) > 1:
        return None
    build = Builder(work, node)
    is_unsigned = dtype == np.uint8 and bool(scales)
    if zero_point and not is_unsigned:
        return None
    if not zero_point:
        zero_point = build.constant("zero", np.zeros(scales, dtype=dtype))
    value = node.input[0]
    if is_unsigned:
        values = constants_of(work, [value, zero_point])
        if values is None:
            return _dequantize_by_steps(work, node, zero_point, len(shape), _is_single(scales))
        # The same distance to the zero point, in the type that contractions are fast in.
        value, zero_point = (
            build.constant(label, (constant.astype(np.int16) - 128).astype(np.int8))
            for label, constant in zip(("signed", "signed_zero"), values, strict=True)
        )
    kept = {a.name: a for a in node.attribute}
    build.op("DequantizeLinear", [value, node.input[1], zero_point], "dequantized")
    build.nodes[-1].attribute.extend(kept.values())
    return build.finish()


def _dequantize_by_steps(
    work: Work, node: onnx.NodeProto, zero_point: str, rank: int, is_single: bool
) -> list[onnx.NodeProto]:
    build = Builder(work, node)
    axis = 0 if is_single else int(attributes_of(node).get("axis", 1))
    value = build.op("Cast", [node.input[0]], "wide", to=TensorProto.INT32)
    zero = build.op("Cast", [zero_point], "wide_zero", to=TensorProto.INT32)
    value = build.op("Sub", [value, _along(build, zero, rank, axis, "zeros")], "centered")
    value = build.op("Cast", [value], "float", to=TensorProto.FLOAT)
    build.op("Mul", [value, _along(build, node.input[1], rank, axis, "scale")], "scaled")
    return build.finish()


def dynamic_quantize(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """The lowering of the op itself clamps the zero point to the range of a signed type."""
    shape = float_shape(work, node.input[0])
    if shape is None:
        return None
    build, source = Builder(work, node), node.input[0]
    axes = list(range(len(shape)))
    names = [name or f"{node.name}/output{i}" for i, name in enumerate(node.output)]
    y, scale, zero_point = names
    none = build.constant("none", np.array(0, dtype=np.float32))
    largest = build.op("Max", [build.reduce("ReduceMax", source, axes, "max", keepdims=0), none], "upper")
    least = build.op("Min", [build.reduce("ReduceMin", source, axes, "min", keepdims=0), none], "lower")
    span = build.op("Sub", [largest, least], "span")
    steps = build.constant("steps", np.array(255, dtype=np.float32))
    step = build.op("Div", [span, steps], "step")
    # All zeros: any scale will do, but not zero.
    one = build.constant("one", np.array(1, dtype=np.float32))
    build.op("Where", [build.op("Equal", [span, none], "is_flat"), one, step], "scale")
    build.nodes[-1].output[0] = scale
    ideal = build.op("Div", [build.op("Neg", [least], "distance"), scale], "ideal")
    _saturate(build, ideal, "", np.dtype(np.uint8))
    build.nodes[-1].output[0] = zero_point
    build.op("QuantizeLinear", [source, scale, zero_point], "quantized")
    build.nodes[-1].name, build.nodes[-1].output[0] = node.name, y
    return build.nodes


def _explicit_pads(attributes: dict[str, object], shape: tuple[int, ...], kernel: tuple[int, ...]) -> list[int]:
    """Padding of a convolution at the begin of each axis, then at the end of each."""
    rank = len(shape) - 2
    policy = attributes.get("auto_pad", b"NOTSET")
    if policy == b"NOTSET":
        return list(attributes.get("pads", [0] * (2 * rank)))  # type: ignore[call-overload, no-any-return]
    begins, ends = [0] * rank, [0] * rank
    if policy == b"VALID":
        return begins + ends
    strides = list(attributes.get("strides", [1] * rank))  # type: ignore[call-overload]
    dilations = list(attributes.get("dilations", [1] * rank))  # type: ignore[call-overload]
    for i in range(rank):
        extent = shape[i + 2]
        window = (kernel[i + 2] - 1) * dilations[i] + 1
        total = max(0, (-(-extent // strides[i]) - 1) * strides[i] + window - extent)
        begins[i] = total // 2 if policy == b"SAME_UPPER" else -(-total // 2)
        ends[i] = total - begins[i]
    return begins + ends


def _integer_conv(build: Builder, work: Work, node: onnx.NodeProto, names: list[str]) -> str | None:
    """Sums of products of `names` (x, w and their zero points, which may be empty) in i32."""
    x, w, x_zero, w_zero = names
    attributes = attributes_of(node)
    shape, kernel = shape_of(work, x), shape_of(work, w)
    x_dtype, w_dtype = _dtype_of(work, x), _dtype_of(work, w)
    if shape is None or kernel is None or x_dtype is None or w_dtype is None:
        return None
    x_zero = _single_zero(build, work, x_zero, x_dtype, "x_zero")
    parts = _weight_parts(build, work, w, w_zero, w_dtype)
    if parts is None:
        return None
    pads, rank = _explicit_pads(attributes, shape, kernel), len(shape) - 2
    kept = {k: v for k, v in attributes.items() if k in ("dilations", "group", "strides")}
    height = ""
    if rank == 1:
        # A window over time is one over an image of height 1.
        rank, pads = 2, [0, pads[0], 0, pads[1]]
        kept.update({k: [1, *v] for k, v in kept.items() if k != "group"})
        height = build.constant("height", np.array([2], dtype=np.int64))
        x = build.op("Unsqueeze", [x, height], "image")
        parts = [(build.op("Unsqueeze", [w, height], f"filter{i}"), z) for i, (w, z) in enumerate(parts)]
    if pads[:rank] != pads[rank:]:
        amounts = np.array([0, 0, *pads[:rank], 0, 0, *pads[rank:]], dtype=np.int64)
        x = build.op("Pad", [x, build.constant("pads", amounts), x_zero], "padded")
        pads = [0] * (2 * rank)
    total = ""
    for i, (weight, zero) in enumerate(parts):
        operands = [x, weight, x_zero, zero]
        made = build.op("ConvInteger", operands, f"sums{i}", pads=pads, **kept)
        total = build.op("Add", [total, made], f"total{i}") if total else made
    return build.op("Squeeze", [total, height], "row") if height else total


def _single_zero(build: Builder, work: Work, name: str, dtype: np.dtype, label: str) -> str:
    """A zero point without dimensions."""
    if not name:
        return build.constant(label, np.array(0, dtype=dtype))
    if shape_of(work, name) == ():
        return name
    return build.op("Reshape", [name, build.constant(f"{label}_shape", np.zeros(0, np.int64))], label)


def _weight_parts(build: Builder, work: Work, w: str, zero: str, dtype: np.dtype) -> list[tuple[str, str]] | None:
    """Weights and their zero points whose products together are those of the weight."""
    if not zero or _is_single(shape_of(work, zero) or ()):
        return [(w, _single_zero(build, work, zero, dtype, "w_zero"))]
    values = constants_of(work, [w, zero])
    if values is None:
        return None
    if np.all(values[1] == values[1].flat[0]):
        return [(w, build.constant("w_zero", np.array(values[1].flat[0], dtype=dtype)))]
    # Nothing multiplies with a zero point for each channel: the differences, in as many i8 as they need.
    extents = (-1, *[1] * (values[0].ndim - 1))
    rest = values[0].astype(np.int16) - values[1].astype(np.int16).reshape(extents)
    none = build.constant("w_zero", np.array(0, dtype=np.int8))
    parts: list[tuple[str, str]] = []
    while rest.any() or not parts:
        part = np.clip(rest, -128, 127)
        parts.append((build.constant(f"w{len(parts)}", part.astype(np.int8)), none))
        rest -= part
    return parts


def _has_plain_window(work: Work, node: onnx.NodeProto) -> bool:
    """Whether the importer knows the window as it is: two axes, padding in numbers and symmetric."""
    if len(shape_of(work, node.output[0]) or ()) == 3:
        return False
    attributes = attributes_of(node)
    pads = attributes.get("pads", [])
    half = len(pads) // 2
    is_explicit = attributes.get("auto_pad", b"NOTSET") == b"NOTSET"
    return is_explicit and list(pads[:half]) == list(pads[half:])


def conv_integer(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """Zero points are all there, padding is symmetric and in numbers."""
    zero = _input(node, 3)
    is_single = bool(zero) and _is_single(shape_of(work, zero) or ())
    if _has_plain_window(work, node) and (is_single or len(node.input) == 2):
        return None
    build = Builder(work, node)
    made = _integer_conv(build, work, node, [*node.input[:2], _input(node, 2), zero])
    return build.finish() if made is not None else None


def qlinear_conv(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """The lowering of the op itself does not know a scale for each channel."""
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = node.input[:8]
    shape, dtype = shape_of(work, x), _dtype_of(work, y_zero)
    scales = shape_of(work, w_scale)
    if shape is None or dtype is None or scales is None:
        return None
    if scales == () and shape_of(work, w_zero) == () and _has_plain_window(work, node):
        return None
    build = Builder(work, node)
    total = _integer_conv(build, work, node, [x, w, x_zero, w_zero])
    if total is None:
        return None
    rank = len(shape)
    if _input(node, 8):
        total = build.op("Add", [total, _along(build, node.input[8], rank, 1, "bias")], "biased")
    _requantize(build, total, [x_scale, w_scale, y_scale, y_zero], rank, 1, dtype)
    return build.finish()


def _requantize(build: Builder, total: str, parameters: list[str], rank: int, axis: int, dtype: np.dtype) -> None:
    """Sums in i32 to the result; parameters are both scales of operands, scale and zero point of the result."""
    a_scale, b_scale, scale, zero_point = parameters
    factor = build.op("Div", [build.op("Mul", [a_scale, b_scale], "scales"), scale], "factors")
    factor = _along(build, factor, rank, axis, "factor")
    value = build.op("Mul", [build.op("Cast", [total], "float", to=TensorProto.FLOAT), factor], "scaled")
    zero = build.op("Cast", [zero_point], "zero", to=TensorProto.FLOAT)
    _saturate(build, value, zero, dtype)


def qlinear_matmul(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """The lowering of the op itself knows matrices only."""
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = node.input
    shapes = [shape_of(work, name) for name in (a, b, node.output[0])]
    scales, dtype = [shape_of(work, name) for name in (a_scale, b_scale)], _dtype_of(work, y_zero)
    if None in shapes or None in scales or dtype is None:
        return None
    left, right, result = (len(shape or ()) for shape in shapes)
    if left == right == 2 or not _is_single(scales[0] or ()) or len(scales[1] or ()) > 1:
        return None
    build = Builder(work, node)
    total = build.op("MatMulInteger", [a, b, a_zero, b_zero], "sums")
    _requantize(build, total, [a_scale, b_scale, y_scale, y_zero], max(result, 1), -1, dtype)
    return build.finish()
