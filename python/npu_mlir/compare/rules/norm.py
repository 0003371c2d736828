# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and the normalisations, taken whole: their parts alone would give far wider bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..bounds import normalization_bound, softmax_bound
from ..formats import FloatArray
from ..metrics import AnyArray
from .registry import Call, Tracked, rule


def _with_softmax_axis(call: Call, array: AnyArray) -> tuple[AnyArray, int]:
    """``array`` with the normalised elements on one axis.

    Before opset 13 all dimensions from ``axis`` on are normalised together.
    """
    if call.runner.opset >= 13:
        return array, int(call.attribute("axis", -1))
    axis = int(call.attribute("axis", 1)) % max(array.ndim, 1)
    return array.reshape(int(np.prod(array.shape[:axis])), -1), 1


@rule("Softmax", "LogSoftmax")
def _softmax(call: Call) -> Sequence[Tracked]:
    shape = call.value(0).shape
    x, axis = _with_softmax_axis(call, call.value(0))
    e, _ = _with_softmax_axis(call, call.error(0))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        shifted = x - np.max(x, axis=axis, keepdims=True)
        p = np.exp(shifted)
        p = p / np.sum(p, axis=axis, keepdims=True)
        # exp(x + d) changes by at most the factor exp(e), the sum by at most the weighted mean of
        # those factors.
        growth = e + np.log(np.sum(np.where(p > 0.0, p * np.exp(e), 0.0), axis=axis, keepdims=True))
        if call.runner.node.op_type == "LogSoftmax":
            log_sum = np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
            value = shifted - log_sum
            error = growth + call.rounding(
                np.abs(shifted) + np.abs(log_sum) + np.abs(x), 8.0 + x.shape[axis] ** 0.5
            )
        else:
            own = softmax_bound(x, axis, accumulate=call.accumulate)
            value, error = p, np.minimum(p * np.expm1(growth), 1.0) + own
        error = np.where(np.isnan(error), np.inf, error)
    error = error + call.rounding(value)
    return [call.result(value.reshape(shape), error.reshape(shape))]


def _normalized_error(
    x: FloatArray, error: FloatArray, axes: tuple[int, ...], epsilon: float, centre: bool
) -> FloatArray:
    """Error of (x - mean) / sigma by errors of x: first order, times a factor for the second."""
    mean = np.mean(x, axis=axes, keepdims=True) if centre else 0.0
    sigma = np.sqrt(np.mean((x - mean) ** 2, axis=axes, keepdims=True) + epsilon)
    y = (x - mean) / sigma
    mean_error = np.mean(error, axis=axes, keepdims=True) if centre else 0.0
    drift = np.mean(np.abs(y) * error, axis=axes, keepdims=True)
    largest = np.max(error, axis=axes, keepdims=True) / sigma
    with np.errstate(divide="ignore"):
        second_order = np.where(
            largest < 0.25, 1.0 / (1.0 - np.minimum(2.0 * largest, 0.5)), np.inf
        )
    carried = (error + mean_error + np.abs(y) * drift) / sigma
    return np.where(carried == 0.0, 0.0, carried * second_order)


def _parameter(call: Call, index: int, shape: tuple[int, ...] | None = None) -> Tracked:
    """Scale or bias as an operand of shape ``shape``; zero where an optional one is left out."""
    if not call.has(index):
        return Tracked(np.zeros(()), np.zeros(()), call.dtype)
    value, error = call.value(index), call.error(index)
    if shape is None:
        return call[index]
    return Tracked(value.reshape(shape), error.reshape(shape), call.dtype)


def _scaled(
    normal: FloatArray, carried: FloatArray, scale: Tracked, bias: Tracked
) -> tuple[FloatArray, FloatArray]:
    """``normal * scale + bias`` and its error, own rounding not included."""
    assert scale.error is not None and bias.error is not None
    value = normal * scale.value + bias.value
    error = carried * (np.abs(scale.value) + scale.error) + np.abs(normal) * scale.error
    return np.asarray(value), np.asarray(error + bias.error)


def _normalize(
    call: Call,
    x: AnyArray,
    error: FloatArray,
    axes: tuple[int, ...],
    scale: Tracked,
    bias: Tracked,
) -> tuple[FloatArray, FloatArray]:
    epsilon = float(call.attribute("epsilon", 1e-5))
    mean = np.mean(x, axis=axes, keepdims=True)
    sigma = np.sqrt(np.mean((x - mean) ** 2, axis=axes, keepdims=True) + epsilon)
    carried = _normalized_error(x, error, axes, epsilon, True)
    value, spread = _scaled((x - mean) / sigma, carried, scale, bias)
    own = normalization_bound(
        x,
        axes,
        epsilon=epsilon,
        scale=scale.value,
        bias=bias.value,
        accumulate=call.accumulate,
        output=call.dtype,
    )
    return value, spread + own


@rule("LayerNormalization")
def _layer_norm(call: Call) -> Sequence[Tracked]:
    x = call.value(0)
    axis = int(call.attribute("axis", -1)) % x.ndim
    axes = tuple(range(axis, x.ndim))
    scale, bias = _parameter(call, 1), _parameter(call, 2)
    first = call.result(*_normalize(call, x, call.error(0), axes, scale, bias))
    rest = call.runner.run([o.value if o is not None else None for o in call.operands])[1:]
    reason = "statistics of LayerNormalization have no error rule"
    return [first, *(Tracked(v, None, call.dtype, reason) for v in rest)]


@rule("RMSNormalization")
def _rms_norm(call: Call) -> Sequence[Tracked]:
    x = call.value(0)
    axis = int(call.attribute("axis", -1)) % x.ndim
    axes, epsilon = tuple(range(axis, x.ndim)), float(call.attribute("epsilon", 1e-5))
    sigma = np.sqrt(np.mean(x**2, axis=axes, keepdims=True) + epsilon)
    carried = _normalized_error(x, call.error(0), axes, epsilon, False)
    zero = Tracked(np.zeros(()), np.zeros(()), call.dtype)
    value, spread = _scaled(x / sigma, carried, _parameter(call, 1), zero)
    own = call.rounding(np.abs(value) + spread, 4.0 + float(np.prod(x.shape[axis:])) ** 0.5)
    return [call.result(value, spread + own)]


@rule("InstanceNormalization", "GroupNormalization")
def _group_norm(call: Call) -> Sequence[Tracked]:
    x = call.value(0)
    channels = x.shape[1]
    groups = channels
    if call.runner.node.op_type == "GroupNormalization":
        groups = int(call.attribute("num_groups"))
    grouped = (x.shape[0], groups, channels // groups, *x.shape[2:])
    # One parameter per channel, or before opset 21 one per group.
    each = channels // groups if call.value(1).size == channels else 1
    shape = (1, groups, each, *[1] * (x.ndim - 2))
    value, error = _normalize(
        call,
        x.reshape(grouped),
        call.error(0).reshape(grouped),
        tuple(range(2, len(grouped))),
        _parameter(call, 1, shape),
        _parameter(call, 2, shape),
    )
    return [call.result(value.reshape(x.shape), error.reshape(x.shape))]


@rule("BatchNormalization")
def _batch_norm(call: Call) -> Sequence[Tracked]:
    x = call.value(0)
    shape = (1, -1, *[1] * (x.ndim - 2))
    scale, bias, mean, variance = (call.value(i).reshape(shape) for i in range(1, 5))
    factor = scale / np.sqrt(variance + float(call.attribute("epsilon", 1e-5)))
    value = (x - mean) * factor + bias
    if call.attribute("training_mode", 0) or not all(call[i].is_exact for i in range(1, 5)):
        return [
            Tracked(
                value,
                None,
                call.dtype,
                "BatchNormalization with computed statistics has no error rule",
            )
        ]
    carried = np.abs(factor) * call.error(0)
    # Kernels fold the four parameters into a factor and an addend, so x and mean do not cancel in
    # them.
    magnitude = np.abs(factor) * (np.abs(x) + call.error(0) + np.abs(mean)) + np.abs(bias)
    return [call.result(value, carried + call.rounding(magnitude, 3.0))]
