# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward error bounds of single operators: how far apart two correct kernels may be.

A kernel that adds the K products of a dot product in any order, with or without fused multiply-add,
in a format of unit roundoff u, errs by at most about ``u * sqrt(K) * B`` in practice and ``u * K *
B`` in the worst case, where ``B = sum |a||b| + |bias|`` is the same operator on absolute values.
The gate uses ``c = 8 + 2 sqrt(K)`` in place of K: wide enough for sequential sums of positive data,
and still tens of times narrower than the smallest real fault (a bias missing in one channel, a
factor of 1.005, a 16-bit store).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .formats import FloatArray, float_format
from .metrics import as_float64

Contraction = Callable[[FloatArray, FloatArray], FloatArray]


def error_constant(k: int) -> float:
    """``c = 8 + 2 sqrt(k)``: the allowed multiple of u * B for a sum of ``k`` terms.

    Raises:
        ValueError: k is negative.
    """
    if k < 0:
        raise ValueError(f"expected a non-negative number of summed terms, but found {k}")
    return 8.0 + 2.0 * math.sqrt(k)


def bound_from_magnitude(
    magnitude: npt.ArrayLike,
    k: int,
    *,
    result: npt.ArrayLike | None = None,
    accumulate: str = "float32",
    output: str = "float32",
) -> FloatArray:
    """Bound of a sum of ``k`` terms from the sum of their absolute values.

    Args:
        magnitude: B, the operator evaluated on absolute values; any shape.
        k: number of terms in one sum.
        result: the operator's value, for the rounding to the output type; without it B stands for
            it (wider).
        accumulate: type in which the sum runs.
        output: type in which the result is stored.

    Returns:
        Elementwise bound of the absolute error, float64, shape of ``magnitude``.
    """
    b = np.abs(as_float64(magnitude))
    stored = b if result is None else np.abs(as_float64(result))
    fmt = float_format(output)
    rounding = fmt.unit_roundoff * stored + 2.0 ** (fmt.min_exponent - fmt.precision)
    return float_format(accumulate).unit_roundoff * error_constant(k) * b + rounding


def contraction_bound(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    k: int,
    *,
    bias: npt.ArrayLike | None = None,
    contract: Contraction | None = None,
    accumulate: str = "float32",
    output: str = "float32",
) -> FloatArray:
    """Bound of a matrix product, a convolution or any other bilinear operator.

    Args:
        a: left operand (values or absolute values).
        b: right operand (values or absolute values).
        k: number of products in one sum (channels * kernel height * kernel width of a convolution).
        bias: addend that broadcasts against the result, optional.
        contract: the operator on two float64 arrays; `numpy.matmul` by default.
        accumulate: type in which the sum runs ("float32", "float16", "bfloat16").
        output: type in which the result is stored.

    Returns:
        Elementwise bound of the absolute error, float64, shape of the result.

    Raises:
        ValueError: k is negative or a type is unknown.

    Example:
        >>> bound = contraction_bound(x, w, x.shape[-1], bias=bias)
        >>> compare_tensors(reference, candidate, bound=bound).ok
    """
    run = contract or np.matmul
    a64, b64 = as_float64(a), as_float64(b)
    magnitude = run(np.abs(a64), np.abs(b64))
    result = run(a64, b64)
    if bias is not None:
        bias64 = as_float64(bias)
        magnitude = magnitude + np.abs(bias64)
        result = result + bias64
    return bound_from_magnitude(magnitude, k, result=result, accumulate=accumulate, output=output)


def reduction_bound(
    x: npt.ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    *,
    mean: bool = False,
    keepdims: bool = False,
    accumulate: str = "float32",
    output: str = "float32",
) -> FloatArray:
    """Bound of a sum or a mean over ``axis``.

    Args:
        x: operand, any shape.
        axis: axes that are summed; all by default.
        mean: whether the sum is divided by the number of its terms.
        keepdims: whether summed axes stay with extent 1.
        accumulate: type in which the sum runs.
        output: type in which the result is stored.

    Returns:
        Elementwise bound of the absolute error, float64, shape of the result.
    """
    x64 = as_float64(x)
    result = np.sum(x64, axis=axis, keepdims=keepdims)
    magnitude = np.sum(np.abs(x64), axis=axis, keepdims=keepdims)
    k = x64.size // max(1, np.size(result))
    if mean and k:
        result, magnitude = result / k, magnitude / k
    return bound_from_magnitude(magnitude, k, result=result, accumulate=accumulate, output=output)


def softmax_bound(x: npt.ArrayLike, axis: int = -1, *, accumulate: str = "float32") -> FloatArray:
    """Bound of a softmax with the usual subtraction of the maximum.

    The argument ``x - max`` is rounded (an absolute error of u * |x - max| that exp turns into a
    relative one), exp errs by up to 4 ULP, and the sum by `error_constant` of its length.

    Args:
        x: operand, any shape, at least one dimension.
        axis: axis that is normalised.
        accumulate: type of all intermediate values and of the result.

    Returns:
        Elementwise bound of the absolute error, float64, shape of ``x``.
    """
    x64 = as_float64(x)
    fmt = float_format(accumulate)
    shifted = x64 - np.max(x64, axis=axis, keepdims=True)
    e = np.exp(shifted)
    p = e / np.sum(e, axis=axis, keepdims=True)
    argument = np.where(p > 0.0, np.abs(shifted), 0.0)
    spread = np.sum(p * argument, axis=axis, keepdims=True)
    relative = fmt.unit_roundoff * (argument + spread + 16.0 + error_constant(x64.shape[axis]))
    return np.asarray(relative * p + 2.0 ** (fmt.min_exponent - 1))


def normalization_bound(
    x: npt.ArrayLike,
    axis: int | tuple[int, ...],
    *,
    epsilon: float,
    scale: npt.ArrayLike = 1.0,
    bias: npt.ArrayLike = 0.0,
    accumulate: str = "float32",
    output: str = "float32",
) -> FloatArray:
    """Bound of ``(x - mean) / sqrt(var + epsilon) * scale + bias`` (layer, instance, group norm).

    The subtraction of the mean cancels: its absolute error is in proportion to max |x|, and the
    division magnifies it by 1 / max(sigma, sqrt(epsilon)). A zero variance is therefore a wide
    bound, not a division by zero.

    Args:
        x: operand.
        axis: axes over which mean and variance run.
        epsilon: the addend under the root.
        scale: factor, broadcasts against ``x``.
        bias: addend, broadcasts against ``x``.
        accumulate: type of mean, variance and the arithmetic.
        output: type in which the result is stored.

    Returns:
        Elementwise bound of the absolute error, float64, shape of ``x``.
    """
    x64, s64, b64 = as_float64(x), as_float64(scale), as_float64(bias)
    mean = np.mean(x64, axis=axis, keepdims=True)
    centred = x64 - mean
    sigma = np.sqrt(np.mean(centred**2, axis=axis, keepdims=True) + epsilon)
    k = x64.size // max(1, np.size(mean))
    u = float_format(accumulate).unit_roundoff
    peak = np.max(np.abs(x64), axis=axis, keepdims=True)
    normal = np.abs(centred) / sigma
    # Mean: c*u*peak. Variance: relative 2*c*u*(peak/sigma) through the centred values, and c*u of
    # its own sum.
    condition = np.maximum(1.0, peak / sigma)
    local = u * error_constant(k) * condition * (1.0 + normal)
    result = centred / sigma * s64 + b64
    magnitude = normal * np.abs(s64) + np.abs(b64)
    fmt = float_format(output)
    rounding = (
        4.0 * u * magnitude
        + fmt.unit_roundoff * np.abs(result)
        + 2.0 ** (fmt.min_exponent - fmt.precision)
    )
    return np.asarray(local * np.abs(s64) + rounding)
