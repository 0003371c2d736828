# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that only move or pick elements, written as reshapes, transposes and gathers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import onnx

from .builder import Builder, attributes_of, constants_of, shape_of
from .infer import known_types
from .work import Work


def gemm(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """A constant B is transposed now; without C the lowering of the op itself ignores alpha."""
    attributes = attributes_of(node)
    values = constants_of(work, [node.input[1]]) if attributes.get("transB", 0) else None
    alpha = float(attributes.get("alpha", 1.0))
    elem = known_types(work.graph)[node.input[0]].tensor_type.elem_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(elem)
    scales = alpha != 1.0 and (len(node.input) < 3 or not node.input[2]) and dtype.kind not in "iu"
    if values is None and not scales:
        return None
    inputs = list(node.input)
    if values is not None:
        inputs[1] = f"{node.name}/transposed"
        work.add_constant(inputs[1], np.ascontiguousarray(values[0].T))
    dropped = ({"transB"} if values is not None else set()) | ({"alpha"} if scales else set())
    kept = {name: value for name, value in attributes.items() if name not in dropped}
    build = Builder(work, node)
    product = build.op("Gemm", inputs, "product", **kept)
    if scales:
        build.op("Mul", [product, build.constant("alpha", np.array(alpha, dtype))], "scaled")
    return build.finish()


def _move(
    work: Work, node: onnx.NodeProto, split: list[int], order: list[int], joined: list[int]
) -> list[onnx.NodeProto]:
    """Reshape, transpose, reshape."""
    build = Builder(work, node)
    target = build.constant("split_shape", np.array(split, dtype=np.int64))
    value = build.op("Reshape", [node.input[0], target], "split")
    value = build.op("Transpose", [value], "moved", perm=order)
    build.op(
        "Reshape", [value, build.constant("shape", np.array(joined, dtype=np.int64))], "joined"
    )
    return build.finish()


def depth_to_space(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """The lowering of the op itself ignores the mode CRD."""
    shape, attributes = shape_of(work, node.input[0]), attributes_of(node)
    if shape is None:
        return None
    batch, channels, height, width = shape
    block = int(attributes["blocksize"])
    depth = channels // (block * block)
    if attributes.get("mode", b"DCR") == b"CRD":
        split, order = [batch, depth, block, block, height, width], [0, 1, 4, 2, 5, 3]
    else:
        split, order = [batch, block, block, depth, height, width], [0, 3, 4, 1, 5, 2]
    return _move(work, node, split, order, [batch, depth, height * block, width * block])


def space_to_depth(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """The inverse of `depth_to_space`, with the same modes."""
    shape, attributes = shape_of(work, node.input[0]), attributes_of(node)
    if shape is None:
        return None
    batch, channels, height, width = shape
    block = int(attributes["blocksize"])
    split = [batch, channels, height // block, block, width // block, block]
    order = [0, 3, 5, 1, 2, 4] if attributes.get("mode", b"DCR") == b"DCR" else [0, 1, 3, 5, 2, 4]
    joined = [batch, channels * block * block, height // block, width // block]
    return _move(work, node, split, order, joined)


# A Fraction or a np.float32; both are used with the same operators, never mixed.
Number = Any


def _source_position(
    mode: str, index: int, size: int, resized: int, scale: Number
) -> Number | None:
    """Where an output position lies in the input, in the arithmetic of `scale`."""
    number = type(scale)
    here, half = number(index), number(1) / number(2)
    if mode == "asymmetric":
        return here / scale
    if mode == "align_corners":
        return number(0) if resized == 1 else here * number(size - 1) / number(resized - 1)
    if mode == "pytorch_half_pixel" and resized == 1:
        return number(0)
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return (here + half) / scale - half
    if mode == "half_pixel_symmetric":
        adjustment = number(resized) / (scale * number(size))
        offset = number(size) * half * (number(1) - adjustment)
        return offset + (here + half) / scale - half
    return None


def _nearest(position: Number, rounding: str) -> int:
    floor: int = math.floor(position)
    if rounding == "floor":
        return floor
    if rounding == "ceil":
        ceiling: int = math.ceil(position)
        return ceiling
    twice = 2 * (position - floor)
    if twice == 1:
        return floor if rounding == "round_prefer_floor" else floor + 1
    return floor if twice < 1 else floor + 1


def _nearest_indices(
    node: onnx.NodeProto, size: int, resized: int, scale: np.float32 | None
) -> np.ndarray | None:
    """The input index for each output index of one axis.

    A given scale is used in f32, as runtimes do; a given size means the exact ratio.
    """
    attributes = attributes_of(node)
    mode = attributes.get("coordinate_transformation_mode", b"half_pixel").decode()
    rounding = attributes.get("nearest_mode", b"round_prefer_floor").decode()
    ratio: Number = Fraction(resized, size) if scale is None else scale
    found = [_source_position(mode, i, size, resized, ratio) for i in range(resized)]
    indices = [_nearest(position, rounding) for position in found if position is not None]
    if len(indices) != resized:
        return None
    return np.clip(np.array(indices, dtype=np.int64), 0, size - 1)


def resize_nearest(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """A gather with constant indices for each resized axis: exact at ties, in every mode."""
    attributes = attributes_of(node)
    shape, resized = shape_of(work, node.input[0]), shape_of(work, node.output[0])
    mode = attributes.get("mode", b"nearest").decode()
    policy = attributes.get("keep_aspect_ratio_policy", b"stretch")
    if mode != "nearest" or policy != b"stretch" or shape is None or resized is None:
        return None
    axes = list(attributes.get("axes", range(len(shape))))
    given = dict(zip([a % len(shape) for a in axes], _scales(work, node, len(axes)), strict=True))
    build, value = Builder(work, node), node.input[0]
    for axis, (size, target) in enumerate(zip(shape, resized, strict=True)):
        index = _nearest_indices(node, size, target, given.get(axis))
        if index is None:
            return None
        if size == target and np.array_equal(index, np.arange(size)):
            continue
        name = build.constant(f"index{axis}", index)
        value = build.op("Gather", [value, name], f"axis{axis}", axis=axis)
    if not build.nodes:
        build.op("Identity", [value], "same")
    return build.finish()


def _scales(work: Work, node: onnx.NodeProto, count: int) -> list[np.float32] | list[None]:
    """The scale given for each axis; None where only sizes are."""
    if len(node.input) > 2 and node.input[2]:
        values = constants_of(work, [node.input[2]])
        if values is not None and values[0].size == count:
            return list(values[0].astype(np.float32))
    return [None] * count
