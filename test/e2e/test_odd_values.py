# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values at the edges of their types, where importers and kernels go wrong in silence; onnxruntime is the reference."""

from __future__ import annotations

import npu_mlir as npu
import numpy as np
import onnx
import onnxruntime as ort
import pytest

NAN, INF = np.nan, np.inf


def check(text: str, *values: np.ndarray, opset: int = 18) -> None:
    """The model gives the bits of onnxruntime on the simulator and on every level above it."""
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]>\n{text}')
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {spec.name: value for spec, value in zip(session.get_inputs(), values, strict=True)}
    (expected,) = session.run(None, feeds)
    executable = npu.compile(model, target="tiny")
    for level in ("npuisa", "buffers", "npu"):
        (got,) = executable.run(feeds, level=level)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected, err_msg=level)


def integers(dtype: str, *values: int) -> np.ndarray:
    return np.array(values, dtype)


@pytest.mark.parametrize("op", ["Max", "Min"])
def test_extrema_keep_nan(op: str) -> None:
    x = np.array([NAN, 0, 1, NAN, -INF, INF], np.float32)
    y = np.array([0, NAN, 2, NAN, NAN, 1], np.float32)
    check(f"g (float[6] x, float[6] y) => (float[6] z) {{ z = {op}(x, y) }}", x, y)


def test_clip_keeps_nan() -> None:
    x = np.array([NAN, -5, 0.5, 5, -INF, INF], np.float32)
    check("g (float[6] x) => (float[6] z) <float low = {-1}, float high = {1}> { z = Clip(x, low, high) }", x)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_negation_of_integers_is_exact(dtype: str) -> None:
    info = np.iinfo(dtype)
    x = integers(dtype, info.min, info.max, 0, 1, info.max - 1)
    check(f"g ({dtype}[5] x) => ({dtype}[5] z) {{ z = Neg(x) }}", x)


def test_power_of_integers_is_exact() -> None:
    x = integers("int32", 2**30 - 1, -(2**24) - 1, 7)
    check("g (int32[3] x, int32 n) => (int32[3] z) { z = Pow(x, n) }", x, np.array(1, np.int32))


@pytest.mark.parametrize("op", ["Div", "Mod", "Max", "Min"])
def test_bytes_without_sign(op: str) -> None:
    x, y = integers("uint8", 255, 200, 128, 127, 3), integers("uint8", 52, 255, 3, 200, 128)
    check(f"g (uint8[5] x, uint8[5] y) => (uint8[5] z) {{ z = {op}(x, y) }}", x, y)


def test_clip_of_bytes_without_sign() -> None:
    x = integers("uint8", 0, 100, 127, 128, 255)
    check("g (uint8[5] x) => (uint8[5] z) <uint8 low = {50}, uint8 high = {200}> { z = Clip(x, low, high) }", x)


def test_comparison_of_bytes_without_sign() -> None:
    x, y = integers("uint8", 255, 1, 128, 127), integers("uint8", 1, 255, 127, 128)
    check("g (uint8[4] x, uint8[4] y) => (bool[4] z) { z = Less(x, y) }", x, y)


def test_pool_of_bytes_without_sign() -> None:
    x = integers("uint8", *range(0, 256, 16)).reshape(1, 1, 4, 4)
    check("g (uint8[1,1,4,4] x) => (uint8[1,1,2,2] z) { z = MaxPool<kernel_shape=[2,2], strides=[2,2]>(x) }", x)


@pytest.mark.parametrize("more", ["", ", transB=1", ", transA=1"])
def test_gemm_without_c_scales(more: str) -> None:
    x, y = (np.arange(9, dtype=np.float32).reshape(3, 3) + i for i in range(2))
    check(f"g (float[3,3] x, float[3,3] y) => (float[3,3] z) {{ z = Gemm<alpha=0.5{more}>(x, y) }}", x, y)


def test_a_position_in_a_dimension_of_one_element() -> None:
    x = np.array([3], np.float32)
    check("g (float[1] x) => (int64 z) { z = ArgMin<axis=0, keepdims=0, select_last_index=1>(x) }", x)


@pytest.mark.parametrize(("op", "by_zero", "overflow"), [("Div", -1, None), ("Mod", None, 0)])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_division_by_zero_is_defined(op: str, by_zero: int | None, overflow: int | None, dtype: str) -> None:
    # docs/numerics.md; on a CPU the instruction traps, and onnxruntime with it.
    least = int(np.iinfo(dtype).min)
    x, y = integers(dtype, 5, least, least), integers(dtype, 0, -1, 0)
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 18]> '
        f"g ({dtype}[3] x, {dtype}[3] y) => ({dtype}[3] z) {{ z = {op}(x, y) }}"
    )
    expected = [
        5 if by_zero is None else by_zero,
        least if overflow is None else overflow,
        least if by_zero is None else by_zero,
    ]
    executable = npu.compile(model, target="tiny")
    for level in ("npuisa", "npu", "linalg"):
        assert executable.run([x, y], level=level)[0].tolist() == expected, level


@pytest.mark.parametrize("index", [2, 7, -3])
def test_a_constant_index_out_of_range_ends_the_run(index: int) -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 18]> '
        f"g (float[2,3] x) => (float[1,3] z) <int64[1] i = {{{index}}}> {{ [pick] z = Gather<axis=0>(x, i) }}"
    )
    executable = npu.compile(model, target="tiny")
    with pytest.raises(npu.NPUError, match="node 'pick'") as caught:
        executable(np.zeros((2, 3), np.float32))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("index", [1, -1, -2])
def test_a_constant_index_in_range(index: int) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    check(f"g (float[2,3] x) => (float[1,3] z) <int64[1] i = {{{index}}}> {{ z = Gather<axis=0>(x, i) }}", x)


@pytest.mark.parametrize(
    ("dtype", "body", "reason"),
    [
        ("int32", "r = Neg(x)", "through floats"),
        ("uint8", "r = Div(x, y)", None),
        ("float", "r = Gemm<alpha=0.5>(x, y)", "alpha would be ignored"),
    ],
)
def test_the_same_inside_of_a_branch(dtype: str, body: str, reason: str | None) -> None:
    text = (
        f"g (bool c, {dtype}[2,2] x, {dtype}[2,2] y) => ({dtype}[2,2] z) {{ z = If(c) <"
        f"then_branch = t () => ({dtype}[2,2] r) {{ {body} }}, "
        f"else_branch = e () => ({dtype}[2,2] s) {{ s = Identity(x) }}> }}"
    )
    if reason is None:
        x, y = integers(dtype, 255, 200, 128, 3), integers(dtype, 52, 255, 3, 128)
        check(text, np.array(True), x.reshape(2, 2), y.reshape(2, 2))
        return
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]>\n{text}')
    with pytest.raises(npu.UnsupportedOpError, match=reason):
        npu.compile(model, target="tiny")
