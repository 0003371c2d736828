# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans along an axis, written as reductions under a triangular mask."""

from __future__ import annotations

import numpy as np
import onnx

from .builder import Builder, attributes_of, constants_of
from .infer import known_types, static_shape
from .work import Work

# The masked operand has this many times more elements than the input.
_MAX_LENGTH = 1024


def _scan(
    work: Work, node: onnx.NodeProto, reduce_op: str, neutral: int
) -> list[onnx.NodeProto] | None:
    type_ = known_types(work.graph).get(node.input[0])
    shape, axes = static_shape(type_), constants_of(work, [node.input[1]])
    if type_ is None or not shape or axes is None:
        return None
    axis = int(axes[0].reshape(())) % len(shape)
    length = shape[axis]
    if length > _MAX_LENGTH:
        return None
    attributes = attributes_of(node)
    mask = np.tril(np.ones((length, length), dtype=bool), -int(attributes.get("exclusive", 0)))
    if attributes.get("reverse", 0):
        mask = mask[::-1, ::-1]
    build = Builder(work, node)
    order = [i for i in range(len(shape)) if i != axis] + [axis]
    moved = build.op("Transpose", [node.input[0]], "moved", perm=order)
    axes_name = build.constant("row_axis", np.array([len(shape) - 1], dtype=np.int64))
    rows = build.op("Unsqueeze", [moved, axes_name], "rows")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(type_.tensor_type.elem_type)
    zero = build.constant("neutral", np.array(neutral, dtype=dtype))
    # Not a product with the mask: zero times infinity is not a number.
    kept = build.op("Where", [build.constant("mask", mask), rows, zero], "kept")
    total = build.reduce(reduce_op, kept, [len(shape)], "total", keepdims=0)
    back = [order.index(i) for i in range(len(shape))]
    build.op("Transpose", [total], "result", perm=back)
    return build.finish()


def cumulative_sum(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """Each result is the sum of its part of the row."""
    return _scan(work, node, "ReduceSum", 0)


def cumulative_product(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """Each result is the product of its part of the row."""
    return _scan(work, node, "ReduceProd", 1)
