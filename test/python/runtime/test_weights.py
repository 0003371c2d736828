# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights arrive in the module as they were, whatever their element type and shape."""

from __future__ import annotations

import npu_mlir as npu
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper


@pytest.mark.parametrize("shape", [(8,), (65,), (3, 5, 7), (7, 2, 5, 7)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "float16", "float32"])
def test_a_constant_comes_out_as_it_is(shape: tuple[int, ...], dtype: str) -> None:
    values = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    elem = helper.np_dtype_to_tensor_dtype(values.dtype)
    x = helper.make_tensor_value_info("x", elem, shape)
    y = helper.make_tensor_value_info("y", elem, (2 * shape[0], *shape[1:]))
    node = helper.make_node("Concat", ["x", "c"], ["y"], axis=0, name="concat")
    graph = helper.make_graph([node], "g", [x], [y], [numpy_helper.from_array(values, "c")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    given = np.flip(values).copy()
    got = npu.compile(model, target="tiny")(given)
    assert got.dtype == values.dtype
    assert np.array_equal(got, np.concatenate([given, values]))
