# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer operators that the lowering takes through floats, which hold integers up to 2^24 only."""

from __future__ import annotations

import numpy as np
import onnx

from .builder import Builder
from .infer import known_types
from .work import Work


def negate(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """-x of an integer is 0 - x, modulo 2^n."""
    type_ = known_types(work.graph).get(node.input[0])
    dtype = onnx.helper.tensor_dtype_to_np_dtype(type_.tensor_type.elem_type) if type_ is not None else None
    if dtype is None or dtype.kind not in "iu":
        return None
    build = Builder(work, node)
    build.op("Sub", [build.constant("zero", np.zeros((), dtype)), node.input[0]], "negated")
    return build.finish()
