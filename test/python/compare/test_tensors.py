# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structure, special values, gates, measures and bounds of single tensors."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from npu_mlir.compare import (
    compare_tensors,
    contraction_bound,
    error_constant,
    float_format,
    lsb_statistics,
    normalization_bound,
    reduction_bound,
    softmax_bound,
    sqnr_db,
    top_k_agreement,
    ulp_distance,
    worst_channel_sqnr,
)


def test_shape_is_not_broadcast() -> None:
    result = compare_tensors(np.zeros((2,), np.float32), np.zeros((1, 2), np.float32))
    assert not result and "expected shape [2], but found [1, 2]" in result.reason


def test_dtype_is_not_converted() -> None:
    result = compare_tensors(np.zeros(2, np.uint8), np.zeros(2, np.int8))
    assert not result and "expected type uint8, but found int8" in result.reason


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_special_values_fail_before_any_bound(bad: float) -> None:
    ref = np.ones(8, np.float32)
    got = ref.copy()
    got[3] = bad
    result = compare_tensors(ref, got, bound=np.inf)
    assert not result and result.worst_index == (3,)


def test_equal_special_values_pass_and_infinities_keep_their_sign() -> None:
    ref = np.array([np.nan, np.inf, -np.inf, 1.0], np.float32)
    assert compare_tensors(ref, ref.copy(), bound=0.0)
    assert compare_tensors(ref, ref.copy())
    assert not compare_tensors(
        ref, np.array([np.nan, -np.inf, -np.inf, 1.0], np.float32), bound=np.inf
    )


def test_all_nan_on_one_side_is_not_equal() -> None:
    result = compare_tensors(np.ones(6, np.float32), np.full(6, np.nan, np.float32), bound=1.0)
    assert not result and "expected 0 NaN, but found 6" in result.reason


def test_exact_sees_one_bit_and_the_sign_of_zero() -> None:
    ref = np.array([1.0, 0.0], np.float32)
    assert not compare_tensors(
        ref, np.array([np.nextafter(np.float32(1), np.float32(2)), 0.0], np.float32)
    )
    result = compare_tensors(ref, np.array([1.0, -0.0], np.float32))
    assert not result and result.hint == "the sign of zero"


def test_empty_and_scalar_tensors() -> None:
    assert compare_tensors(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32), bound=0.0)
    assert compare_tensors(np.float32(2.0), np.float32(2.0))
    assert not compare_tensors(np.float32(2.0), np.float32(3.0))


def test_zero_bound_allows_only_equality() -> None:
    ref = np.array([0.0, 1.0], np.float32)
    assert compare_tensors(ref, np.array([-0.0, 1.0], np.float32), bound=0.0)
    result = compare_tensors(ref, np.array([1e-30, 1.0], np.float32), bound=0.0)
    assert not result and result.err_over_bound == np.inf


@pytest.mark.parametrize(
    ("kind", "steps", "ok"),
    [
        ("elementwise", 1, True),
        ("elementwise", 2, False),
        ("transcendental", 4, True),
        ("transcendental", 5, False),
    ],
)
def test_ulp_limits(kind: str, steps: int, ok: bool) -> None:
    ref = np.array([1.5, -3.0, 1e-20], np.float32)
    got = (ref.view(np.int32) + steps).view(np.float32)
    assert compare_tensors(ref, got, kind=kind).ok is ok
    assert compare_tensors(ref, got, kind=kind, max_ulp=float(steps)).ok


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"kind": "close"}, "'close' is not a kind"),
        ({"kind": "bounded"}, "needs 'bound'"),
        ({"kind": "exact", "bound": 1.0}, "takes no 'bound'"),
        ({"kind": "quantized"}, "for integer tensors"),
        ({"max_ulp": 2.0}, "takes no 'max_ulp'"),
        ({"bound": -1.0}, "non-negative"),
        ({"bound": np.nan}, "non-negative"),
    ],
)
def test_wrong_requests(kwargs: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare_tensors(np.ones(2, np.float32), np.ones(2, np.float32), **kwargs)


def test_explain_and_json() -> None:
    ref = np.ones((2, 3), np.float32)
    got = ref.copy()
    got[1, 2] = 5.0
    result = compare_tensors(ref, got, bound=1e-6, name="logits")
    assert "worst at [1, 2]: reference 1.0, candidate 5.0" in result.explain()
    assert json.loads(json.dumps(result.to_dict()))["worst_index"] == [1, 2]
    zero = compare_tensors(np.zeros(2, np.float32), np.ones(2, np.float32))
    assert json.loads(json.dumps(zero.to_dict()))["rms_rel"] == "inf"


def test_integer_differences_do_not_wrap() -> None:
    stats = lsb_statistics(np.array([127], np.int8), np.array([-128], np.int8))
    assert stats.max == 255 and stats.saturated == 1
    assert (
        lsb_statistics(np.array([2**64 - 1], np.uint64), np.array([0], np.uint64)).max == 2**64 - 1
    )


def test_spacing_agrees_with_numpy() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        values = np.array([1.0, 1.5, 65504.0 / 3, 1e-7, 0.0], dtype)
        np.testing.assert_array_equal(
            float_format(dtype).spacing(values), np.spacing(values).astype(np.float64)
        )
    assert float_format("bfloat16").unit_roundoff == 2.0**-8
    with pytest.raises(ValueError, match="int8"):
        float_format("int8")


def test_measures() -> None:
    ref = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 5.0]], np.float32)
    assert top_k_agreement(ref, [[9.0, 0, 0], [9.0, 0, 0]]) == 0.5
    assert top_k_agreement(ref, np.array([[9.0, 0, 0], [0, 0, 9.0]])) == 1.0
    with pytest.raises(ValueError, match="last extent 3"):
        top_k_agreement(ref, ref, 4)
    assert sqnr_db([1.0, 1.0], [1.1, 1.1]) == pytest.approx(20.0)
    assert sqnr_db([0.0], [0.0]) == np.inf and sqnr_db([0.0], [1.0]) == -np.inf
    assert ulp_distance(np.float32(1.0), np.float32(1.0 + 2**-23), float_format("float32")) == 1.0
    got = ref.copy()
    got[:, 1] *= 1.1
    assert worst_channel_sqnr(ref, got, 1)[0] == 1


def test_error_constant() -> None:
    assert error_constant(576) == 56.0
    with pytest.raises(ValueError, match="-1"):
        error_constant(-1)


def test_bounds_hold_for_float32_kernels_and_are_not_idle() -> None:
    """Each bound covers a plain float32 kernel, and is not more than 300 times its error."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((64, 333)).astype(np.float32) * 3
    x64 = x.astype(np.float64)

    e = np.exp(x - x.max(-1, keepdims=True))
    e64 = np.exp(x64 - x64.max(-1, keepdims=True))
    mean, mean64 = x.mean(-1, keepdims=True), x64.mean(-1, keepdims=True)
    sigma = np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + np.float32(1e-5))
    sigma64 = np.sqrt(((x64 - mean64) ** 2).mean(-1, keepdims=True) + 1e-5)
    sequential = np.cumsum(x, axis=-1, dtype=np.float32)[:, -1]
    cases = {
        "softmax": (
            e64 / e64.sum(-1, keepdims=True),
            e / e.sum(-1, keepdims=True),
            softmax_bound(x),
        ),
        "layer norm": (
            (x64 - mean64) / sigma64,
            (x - mean) / sigma,
            normalization_bound(x, -1, epsilon=1e-5),
        ),
        "sum": (x64.sum(-1), sequential, reduction_bound(x, -1)),
        "mean": (x64.mean(-1), sequential / np.float32(333), reduction_bound(x, -1, mean=True)),
        "matmul": (x64 @ x64.T, x @ x.T, contraction_bound(x, x.T, 333)),
    }
    for name, (exact, got, bound) in cases.items():
        ratio = np.max(np.abs(got - exact) / bound)
        assert 1 / 300 < ratio <= 1.0, (name, ratio)


def test_zero_variance_is_wide_not_infinite() -> None:
    bound = normalization_bound(np.full((2, 64), 7.0), -1, epsilon=1e-5)
    assert np.isfinite(bound).all() and bound.max() < 0.1


def test_import_loads_neither_torch_nor_onnx() -> None:
    code = (
        "import sys, npu_mlir.compare\n"
        "print([m for m in ('torch', 'onnx', 'onnxruntime') if m in sys.modules])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert out.stdout.strip() == "[]"
