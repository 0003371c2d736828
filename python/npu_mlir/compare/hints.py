# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cheap tests on a difference that name the mistake it looks like."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .formats import FloatArray, is_integer
from .metrics import AnyArray, as_float64

BoolArray = npt.NDArray[np.bool_]

# A pattern counts as present when what it leaves unexplained is this small part of the difference.
_RESIDUAL = 1e-2
# Differences below this part of the largest one are rounding, not the mistake.
_SIGNIFICANT = 1e-3


def hint_for(ref: AnyArray, got: AnyArray) -> str:
    """Name the likely mistake behind the difference of two tensors of equal shape.

    Args:
        ref: reference values, finite where they matter.
        got: candidate values.

    Returns:
        A noun phrase such as "a missing or wrong bias in 1 of 64 channels of axis 1", or an empty
        string.
    """
    r, g = as_float64(ref), as_float64(got)
    finite = np.isfinite(r) & np.isfinite(g)
    if r.ndim == 0 or r.size < 2 or not finite.all():
        return ""
    d = g - r
    if not d.any():
        return "the sign of zero" if not is_integer(ref.dtype) else ""
    if is_integer(ref.dtype):
        wrapped = _wrapped(ref, d)
        if wrapped:
            return wrapped
        if np.abs(d).max() <= 1.0:
            mean = float(d.mean())
            return (
                f"another rounding mode (mean signed difference {mean:+.2f} steps)"
                if abs(mean) > 0.02
                else ""
            )
    scale = _constant_factor(r, d)
    if scale is not None:
        return f"a wrong scale: candidate = {scale:.6g} * reference"
    wrong = np.abs(d) > _SIGNIFICANT * np.abs(d).max()
    if np.count_nonzero(wrong) == 1:
        return f"a single wrong element out of {d.size}"
    zero = _zero_strip(g, wrong)
    if zero:
        return zero
    for axis in range(r.ndim):
        permuted = _permuted_slices(r, g, wrong, axis)
        if permuted:
            return permuted
    for axis in range(r.ndim):
        per_channel = _per_channel(r, d, axis)
        if per_channel:
            return per_channel
    return ""


def _wrapped(ref: AnyArray, d: FloatArray) -> str:
    """Differences of exactly the range of the type: wrap-around where saturation was due."""
    modulus = 2.0 ** (8 * ref.dtype.itemsize)
    large = np.abs(d) >= modulus / 2
    return (
        "wrap-around where the reference saturates" if large.any() and not d[~large].any() else ""
    )


def _constant_factor(r: FloatArray, d: FloatArray) -> float | None:
    power = float(np.sum(r * r))
    if power == 0.0:
        return None
    factor = float(np.sum(r * d)) / power
    residual = float(np.max(np.abs(d - factor * r)))
    return 1.0 + factor if residual <= _RESIDUAL * float(np.max(np.abs(d))) else None


def _zero_strip(g: FloatArray, wrong: BoolArray) -> str:
    """Zeros at one edge of one axis and nothing else wrong: a rest of a tile not computed."""
    for axis in range(g.ndim):
        bad = np.flatnonzero(wrong.any(axis=tuple(i for i in range(g.ndim) if i != axis)))
        extent = g.shape[axis]
        if 0 < bad.size < extent and not np.take(g, bad, axis=axis).any():
            at_end = bool(bad[-1] == extent - 1 and bad.size == extent - bad[0])
            at_start = bool(bad[0] == 0 and bad.size == bad[-1] + 1)
            if at_end or at_start:
                edge = "last" if at_end else "first"
                where = f"the {edge} {bad.size} of {extent} positions of axis {axis}"
                return f"a tile edge: {where} are zero"
    return ""


def _permuted_slices(r: FloatArray, g: FloatArray, wrong: BoolArray, axis: int) -> str:
    """Wrong slices that are right slices of another position: channels swapped, wrong layout."""
    a = np.moveaxis(r, axis, 0).reshape(r.shape[axis], -1)
    b = np.moveaxis(g, axis, 0).reshape(r.shape[axis], -1)
    bad = np.flatnonzero(np.moveaxis(wrong, axis, 0).reshape(r.shape[axis], -1).any(axis=1))
    # One element a slice is too little to tell a permutation; many slices are too slow to search.
    if not 2 <= bad.size <= 64 or a.shape[1] < 2:
        return ""
    tolerance = 1e-4 * max(float(np.max(np.abs(a))), 1e-300)
    taken: set[int] = set()
    for i in bad:
        match = next(
            (int(j) for j in bad if j != i and np.max(np.abs(b[i] - a[j])) <= tolerance), None
        )
        if match is None or match in taken:
            return ""
        taken.add(match)
    where = f"{bad.size} of {a.shape[0]} positions of axis {axis}"
    return f"a permutation: {where} hold each other's values"


def _per_channel(r: FloatArray, d: FloatArray, axis: int) -> str:
    """A constant or a constant factor in each of the few slices that differ."""
    a = np.moveaxis(r, axis, 0).reshape(r.shape[axis], -1)
    e = np.moveaxis(d, axis, 0).reshape(r.shape[axis], -1)
    largest = np.max(np.abs(e), axis=1)
    wrong = np.flatnonzero(largest > _SIGNIFICANT * largest.max())
    if wrong.size == 0 or a.shape[1] < 2:
        return ""
    where = f"in {wrong.size} of {a.shape[0]} channels of axis {axis}"
    spread = np.max(np.abs(e[wrong] - e[wrong].mean(axis=1, keepdims=True)), axis=1)
    if np.all(spread <= _RESIDUAL * largest[wrong]):
        return f"a missing or wrong bias {where}"
    power = np.sum(a[wrong] ** 2, axis=1, keepdims=True)
    factor = np.divide(
        np.sum(a[wrong] * e[wrong], axis=1, keepdims=True),
        power,
        out=np.zeros_like(power),
        where=power > 0,
    )
    rest = np.max(np.abs(e[wrong] - factor * a[wrong]), axis=1)
    return f"a wrong scale {where}" if np.all(rest <= _RESIDUAL * largest[wrong]) else ""
