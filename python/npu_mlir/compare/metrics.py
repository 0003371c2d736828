# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures of the difference between two tensors of equal shape, all computed in float64.

A measure says how large a difference is; whether it is allowed is decided in `gates`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .formats import FloatArray, FloatFormat

AnyArray = npt.NDArray[Any]


@dataclass(frozen=True)
class LsbStatistics:
    """How two integer tensors differ, in steps of the last bit.

    Attributes:
        max: largest absolute difference.
        differing: fraction (0..1) of elements that differ at all.
        above_one: fraction (0..1) of elements that differ by more than one step.
        mean_signed: mean of candidate - reference; a bias here tells truncation from rounding.
        saturated: number of reference elements at an end of the type's range. When this is 0 the
            comparison says nothing about saturation.
    """

    max: int
    differing: float
    above_one: float
    mean_signed: float
    saturated: int


def as_float64(values: npt.ArrayLike) -> FloatArray:
    """``values`` as float64; unsigned types keep their value, bool becomes 0 and 1."""
    return np.asarray(values).astype(np.float64)


def same_bits(ref: AnyArray, got: AnyArray) -> npt.NDArray[np.bool_]:
    """Elementwise: equal bit patterns, where any NaN equals any NaN.

    Both arrays have the same shape and dtype. +0.0 and -0.0 are different.
    """
    bits = np.dtype(f"u{ref.dtype.itemsize}") if ref.dtype.itemsize in (1, 2, 4, 8) else None
    if bits is None or ref.dtype.kind == "c":
        return np.asarray(ref == got)
    equal = np.ascontiguousarray(ref).view(bits) == np.ascontiguousarray(got).view(bits)
    if ref.dtype.kind in "biu":
        return np.asarray(equal)
    return np.asarray(equal | (np.isnan(ref) & np.isnan(got)))


def root_mean_square(values: npt.ArrayLike) -> float:
    """Root of the mean square; 0.0 of an empty tensor. Safe against overflow for finite input."""
    flat = as_float64(values).ravel()
    peak = float(np.max(np.abs(flat), initial=0.0))
    if peak == 0.0 or not np.isfinite(peak):
        return peak
    return peak * float(np.sqrt(np.mean((flat / peak) ** 2)))


def sqnr_db(ref: npt.ArrayLike, got: npt.ArrayLike) -> float:
    """Signal to quantisation noise in dB: 10 log10(sum ref^2 / sum (got - ref)^2).

    Larger is better. +inf when the two are equal, -inf when ref is all zero and got is not.
    """
    noise = root_mean_square(as_float64(got) - as_float64(ref))
    signal = root_mean_square(ref)
    if noise == 0.0:
        return float("inf")
    if signal == 0.0:
        return float("-inf")
    return 20.0 * float(np.log10(signal / noise))


def cosine(ref: npt.ArrayLike, got: npt.ArrayLike) -> float:
    """Cosine of the angle between the two as vectors. For reports only: it is blind to scale.

    Two zero vectors give 1.0, one zero vector 0.0.
    """
    a, b = as_float64(ref).ravel(), as_float64(got).ravel()
    norm_a, norm_b = root_mean_square(a), root_mean_square(b)
    if norm_a == 0.0 or norm_b == 0.0:
        return 1.0 if norm_a == norm_b else 0.0
    return float(np.mean((a / norm_a) * (b / norm_b)))


def ulp_distance(ref: npt.ArrayLike, got: npt.ArrayLike, fmt: FloatFormat) -> FloatArray:
    """|got - ref| in units in the last place of ``ref`` in the format ``fmt``; same shape."""
    r, g = as_float64(ref), as_float64(got)
    return np.asarray(np.abs(g - r) / fmt.spacing(r))


def lsb_statistics(ref: AnyArray, got: AnyArray) -> LsbStatistics:
    """Difference of two integer tensors of equal shape and dtype, in steps.

    The difference is taken in 64 bits (128 by Python integers for 64-bit unsigned), in the declared
    signedness, so that a wrapped value shows as the large difference that it is.
    """
    wide = object if ref.dtype == np.uint64 else np.int64
    d = got.astype(wide) - ref.astype(wide)
    if d.size == 0:
        return LsbStatistics(0, 0.0, 0.0, 0.0, 0)
    magnitude = np.abs(d)
    info = np.iinfo(ref.dtype)
    return LsbStatistics(
        max=int(magnitude.max()),
        differing=float(np.mean(magnitude != 0)),
        above_one=float(np.mean(magnitude > 1)),
        mean_signed=float(np.mean(d)),
        saturated=int(np.count_nonzero((ref == info.min) | (ref == info.max))),
    )


def top_k_agreement(ref: npt.ArrayLike, got: npt.ArrayLike, k: int = 1) -> float:
    """Fraction of rows whose ``k`` largest elements of the last axis are the same set.

    Rows where the reference itself has a tie across the k-th place count as agreeing if the
    candidate's choice has the tied values. A tensor without rows gives 1.0.

    Raises:
        ValueError: k is not between 1 and the extent of the last axis.
    """
    r, g = as_float64(ref), as_float64(got)
    if r.ndim == 0 or not 1 <= k <= r.shape[-1]:
        extent = r.shape[-1] if r.ndim else 0
        raise ValueError(f"expected k between 1 and the last extent {extent}, but found {k}")
    r, g = r.reshape(-1, r.shape[-1]), g.reshape(-1, g.shape[-1])
    if r.shape[0] == 0:
        return 1.0
    chosen = np.argsort(-g, axis=-1, kind="stable")[:, :k]
    best = -np.sort(-r, axis=-1)[:, :k]
    picked = -np.sort(-np.take_along_axis(r, chosen, axis=-1), axis=-1)
    return float(np.mean(np.all(best == picked, axis=-1)))


def worst_channel_sqnr(ref: npt.ArrayLike, got: npt.ArrayLike, axis: int) -> tuple[int, float]:
    """The channel along ``axis`` with the smallest SQNR, and that SQNR in dB.

    Channels that are equal count as +inf; if all are, channel 0 is named.
    """
    r = np.moveaxis(as_float64(ref), axis, 0)
    g = np.moveaxis(as_float64(got), axis, 0)
    values = [sqnr_db(a, b) for a, b in zip(r, g, strict=True)]
    worst = int(np.argmin(values))
    return worst, values[worst]
