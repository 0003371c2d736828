# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gates see every fault of a kernel that they must see, and pass the correct kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from npu_mlir.compare import compare_tensors, contraction_bound

CHANNELS, POSITIONS, K = 64, 3136, 576


@pytest.fixture(scope="module")
def conv() -> dict[str, np.ndarray]:
    """A convolution as a matrix product of half-positive data, in two orders of summation."""
    rng = np.random.default_rng(7)
    x = np.maximum(rng.standard_normal((POSITIONS, K)), 0.0).astype(np.float32)
    w = (rng.standard_normal((K, CHANNELS)) / np.sqrt(K)).astype(np.float32)
    bias = (0.1 * rng.standard_normal(CHANNELS)).astype(np.float32)
    # The reference adds everything at once, the candidate in tiles of 32 as an NPU does.
    reference = x @ w + bias
    candidate = np.broadcast_to(bias, reference.shape).copy()
    for k in range(0, K, 32):
        candidate += x[:, k : k + 32] @ w[k : k + 32]
    return {
        "bias": bias,
        "reference": reference,
        "candidate": candidate,
        "bound": contraction_bound(x, w, K, bias=bias),
    }


def _one_element(y: np.ndarray, _: np.ndarray) -> np.ndarray:
    y[1234, 17] += np.sqrt(np.mean(y**2))
    return y


def _tile_tail(y: np.ndarray, _: np.ndarray) -> np.ndarray:
    y[:, -4:] = 0.0
    return y


def _bias_missing(y: np.ndarray, bias: np.ndarray) -> np.ndarray:
    y[:, 5] -= bias[5]
    return y


def _factor(y: np.ndarray, _: np.ndarray) -> np.ndarray:
    return y * np.float32(1.005)


def _one_nan(y: np.ndarray, _: np.ndarray) -> np.ndarray:
    y[10, 10] = np.nan
    return y


def _swapped(y: np.ndarray, _: np.ndarray) -> np.ndarray:
    y[:, [3, 4]] = y[:, [4, 3]]
    return y


def _channel_factor(y: np.ndarray, _: np.ndarray) -> np.ndarray:
    y[:, 9] *= np.float32(1.1)
    return y


def _half_store(y: np.ndarray, _: np.ndarray) -> np.ndarray:
    return y.astype(np.float16).astype(np.float32)


FAULTS: list[tuple[Callable[[np.ndarray, np.ndarray], np.ndarray], float, str]] = [
    (_one_element, 1e3, "a single wrong element out of 200704"),
    (_tile_tail, 1e2, "a tile edge: the last 4 of 64 positions of axis 1 are zero"),
    (_bias_missing, 1e2, "a missing or wrong bias in 1 of 64 channels of axis 1"),
    (_factor, 40.0, "a wrong scale: candidate = 1.005 * reference"),
    (_one_nan, 0.0, ""),
    (_swapped, 1e2, "a permutation: 2 of 64 positions of axis 1 hold each other's values"),
    (_channel_factor, 1e2, "a wrong scale in 1 of 64 channels of axis 1"),
    (_half_store, 5.0, ""),
]


def test_tiled_order_passes(conv: dict[str, np.ndarray]) -> None:
    result = compare_tensors(conv["reference"], conv["candidate"], bound=conv["bound"])
    assert result, result.explain()
    assert result.err_over_bound is not None and 0.0 < result.err_over_bound < 0.2


@pytest.mark.parametrize(
    ("fault", "at_least", "hint"), FAULTS, ids=[f[0].__name__.strip("_") for f in FAULTS]
)
def test_float_fault_is_caught(
    conv: dict[str, np.ndarray],
    fault: Callable[[np.ndarray, np.ndarray], np.ndarray],
    at_least: float,
    hint: str,
) -> None:
    broken = fault(conv["candidate"].copy(), conv["bias"])
    result = compare_tensors(conv["reference"], broken, bound=conv["bound"], name="/c1")
    assert not result.ok
    if at_least:
        assert result.err_over_bound is not None and result.err_over_bound > at_least, (
            result.explain()
        )
    assert result.hint == hint
    assert "'/c1' BAD" in result.explain()


def test_sequential_sum_of_positive_data_passes() -> None:
    """The worst honest case: 4608 positive terms, one after the other."""
    rng = np.random.default_rng(3)
    a = rng.uniform(0.0, 1.0, (64, 4608)).astype(np.float32)
    b = rng.uniform(0.0, 1.0, (4608, 8)).astype(np.float32)
    got = np.zeros((64, 8), np.float32)
    for k in range(a.shape[1]):
        got += a[:, k : k + 1] * b[k]
    result = compare_tensors(a @ b, got, bound=contraction_bound(a, b, a.shape[1]))
    assert result, result.explain()


@pytest.mark.parametrize(
    ("accumulate", "dtype"), [("float16", np.float16), ("float32", np.float16)]
)
def test_bound_knows_the_accumulator(accumulate: str, dtype: type) -> None:
    """Sums in 16 bits pass the bound of a 16-bit accumulator and fail that of a 32-bit one."""
    rng = np.random.default_rng(5)
    a = np.abs(rng.standard_normal((32, 512))).astype(dtype)
    b = np.abs(rng.standard_normal((512, 16))).astype(dtype)
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(dtype)
    got = np.zeros(exact.shape, dtype)
    for k in range(a.shape[1]):
        got += a[:, k : k + 1] * b[k]
    bound = contraction_bound(a, b, 512, accumulate=accumulate, output="float16")
    assert compare_tensors(exact, got, bound=bound).ok is (accumulate == "float16")


@pytest.fixture(scope="module")
def quantized() -> dict[str, np.ndarray]:
    """An int8 convolution with scales per channel; some results saturate."""
    rng = np.random.default_rng(11)
    x = rng.integers(-128, 128, (1024, K), dtype=np.int8)
    w = rng.integers(-127, 128, (K, CHANNELS), dtype=np.int8)
    acc = x.astype(np.int32) @ w.astype(np.int32)
    scale = (50.0 / np.std(acc, axis=0) * rng.uniform(0.5, 1.5, CHANNELS)).astype(np.float32)
    return {"acc": acc, "scale": scale, "y": _requantize(acc, scale)}


def _requantize(
    acc: np.ndarray, scale: np.ndarray, zero_point: int = 3, rounding: Callable = np.rint
) -> np.ndarray:
    return np.clip(rounding(acc.astype(np.float32) * scale) + zero_point, -128, 127).astype(np.int8)


def test_integer_reference_saturates_somewhere(quantized: dict[str, np.ndarray]) -> None:
    result = compare_tensors(quantized["y"], quantized["y"], kind="quantized")
    assert result and result.lsb is not None and result.lsb.saturated > 100


def test_truncation_is_caught_by_its_bias(quantized: dict[str, np.ndarray]) -> None:
    got = _requantize(quantized["acc"], quantized["scale"], rounding=np.floor)
    result = compare_tensors(quantized["y"], got, kind="quantized")
    assert not result and result.lsb is not None
    assert result.lsb.max == 1 and result.lsb.mean_signed < -0.4
    assert result.hint.startswith("another rounding mode")


def test_zero_point_off_by_one_is_caught(quantized: dict[str, np.ndarray]) -> None:
    got = _requantize(quantized["acc"], quantized["scale"], zero_point=4)
    result = compare_tensors(quantized["y"], got, kind="quantized")
    assert not result and result.lsb is not None and result.lsb.differing > 0.9


def test_scale_of_the_whole_tensor_is_caught(quantized: dict[str, np.ndarray]) -> None:
    got = _requantize(quantized["acc"], np.mean(quantized["scale"]))
    assert not compare_tensors(quantized["y"], got, kind="quantized")


def test_wrap_instead_of_saturate_is_caught(quantized: dict[str, np.ndarray]) -> None:
    got = (
        (np.rint(quantized["acc"].astype(np.float32) * quantized["scale"]) + 3)
        .astype(np.int64)
        .astype(np.int8)
    )
    result = compare_tensors(quantized["y"], got, kind="quantized")
    assert not result and result.lsb is not None and result.lsb.max > 100


def test_round_half_away_on_few_ties_passes(quantized: dict[str, np.ndarray]) -> None:
    """A difference in ties only: one step, far below one per cent, no bias worth naming."""
    got = quantized["y"].copy()
    few = got.reshape(-1)[::997]
    few += np.where(np.arange(few.size) % 2, 1, -1).astype(np.int8) * (
        np.abs(few.astype(np.int16)) < 120
    )
    assert compare_tensors(quantized["y"], got, kind="quantized")
    assert not compare_tensors(quantized["y"], got)
