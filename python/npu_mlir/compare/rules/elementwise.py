# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise arithmetic and functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ..evaluate import erf
from ..formats import FloatArray
from ..metrics import AnyArray
from .registry import Call, Tracked, rule

Function = Callable[[FloatArray], FloatArray]


def _reference(call: Call) -> AnyArray:
    return call.runner.run([None if o is None else o.value for o in call.operands])[0]


def _native(call: Call) -> list[Tracked]:
    """Integer and boolean arithmetic is exact."""
    value = _reference(call)
    return [Tracked(value, np.zeros(np.shape(value)), value.dtype.name)]


@rule("Add", "Sub")
def _add(call: Call) -> Sequence[Tracked]:
    value = _reference(call)
    if not call[0].is_float:
        return _native(call)
    carried = call.error(0) + call.error(1)
    return [call.result(value, carried + call.rounding(np.abs(value) + carried))]


@rule("Sum", "Mean")
def _sum(call: Call) -> Sequence[Tracked]:
    value = _reference(call)
    count = len(call.operands)
    errors = sum((call.error(i) for i in range(count)), np.zeros(()))
    magnitude = sum((np.abs(call.value(i)) for i in range(count)), np.zeros(()))
    scale = 1.0 / count if call.runner.node.op_type == "Mean" else 1.0
    return [call.result(value, scale * (errors + call.rounding(magnitude + errors, count)))]


@rule("Mul")
def _mul(call: Call) -> Sequence[Tracked]:
    value = _reference(call)
    if not call[0].is_float:
        return _native(call)
    a, b, ea, eb = call.value(0), call.value(1), call.error(0), call.error(1)
    with np.errstate(invalid="ignore"):
        carried = np.nan_to_num(np.abs(a) * eb) + np.nan_to_num(np.abs(b) * ea) + ea * eb
    return [call.result(value, carried + call.rounding(np.abs(value) + carried))]


@rule("Div")
def _div(call: Call) -> Sequence[Tracked]:
    if not call[0].is_float:
        return _native(call)
    b, ea, eb = call.value(1), call.error(0), call.error(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = call.value(0) / b
        smallest = np.maximum(np.abs(b) - eb, 0.0)
        # An operand of which the error reaches zero may be divided by anything: no bound there.
        carried = np.where((ea == 0.0) & (eb == 0.0), 0.0, (ea + np.abs(value) * eb) / smallest)
        carried = np.where(np.isnan(carried), np.inf, carried)
    return [call.result(value, carried + call.rounding(np.abs(value) + carried))]


@rule("Pow")
def _pow(call: Call) -> Sequence[Tracked]:
    base, exponent, error = call.value(0), call.value(1).astype(np.float64), call.error(0)
    if not call[0].is_float or not call[1].is_exact:
        return [
            Tracked(
                _reference(call),
                None,
                call.dtype,
                "Pow has an error rule for float bases and exact exponents only",
            )
        ]
    value = np.power(base, exponent)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The derivative is largest at the end of the interval that is farther from zero, or nearer
        # for exponents < 1.
        end = np.where(exponent >= 1.0, np.abs(base) + error, np.maximum(np.abs(base) - error, 0.0))
        slope = np.abs(exponent) * np.power(end, exponent - 1.0)
        carried = np.where((error == 0.0) | (exponent == 0.0), 0.0, slope * error)
    return [call.result(value, carried + call.rounding(np.abs(value) + carried, 4.0))]


@rule("PRelu")
def _prelu(call: Call) -> Sequence[Tracked]:
    x, slope = call.value(0), call.value(1)
    value = np.where(x >= 0.0, x, x * slope)
    steepest = np.maximum(1.0, np.abs(slope) + call.error(1))
    carried = steepest * call.error(0) + np.abs(x) * call.error(1)
    return [call.result(value, carried + call.rounding(np.abs(value) + carried))]


@rule("Clip")
def _clip(call: Call) -> Sequence[Tracked]:
    value = _reference(call)
    if not call[0].is_float:
        return _native(call)
    limits = [call.error(i) for i in (1, 2) if call.has(i)]
    return [
        call.result(
            value,
            np.maximum(
                call.error(0), max((float(e.max(initial=0.0)) for e in limits), default=0.0)
            ),
        )
    ]


@rule("Neg", "Abs")
def _exact_sign(call: Call) -> Sequence[Tracked]:
    return [call.result(_reference(call), call.error(0))] if call[0].is_float else _native(call)


@rule(
    "And",
    "Or",
    "Not",
    "Xor",
    "Mod",
    "BitShift",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseNot",
    "BitwiseXor",
)
def _integer(call: Call) -> Sequence[Tracked]:
    if call[0].is_float:
        return [
            Tracked(
                _reference(call),
                None,
                call.dtype,
                f"{call.runner.node.op_type} of floats has no error rule",
            )
        ]
    return _native(call)


def _sigmoid(x: FloatArray) -> FloatArray:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0 / (1.0 + e), e / (1.0 + e))


def _leaky_relu(x: FloatArray, alpha: float = 0.01) -> FloatArray:
    return np.where(x >= 0.0, x, alpha * x)


def _elu(x: FloatArray, alpha: float = 1.0) -> FloatArray:
    return np.where(x >= 0.0, x, alpha * np.expm1(np.minimum(x, 0.0)))


def _selu(
    x: FloatArray,
    alpha: float = 1.67326319217681884765625,
    gamma: float = 1.05070102214813232421875,
) -> FloatArray:
    return gamma * _elu(x, alpha)


def _celu(x: FloatArray, alpha: float = 1.0) -> FloatArray:
    return np.maximum(x, 0.0) + np.minimum(0.0, alpha * np.expm1(np.minimum(x, 0.0) / alpha))


def _hard_sigmoid(x: FloatArray, alpha: float = 0.2, beta: float = 0.5) -> FloatArray:
    return np.clip(alpha * x + beta, 0.0, 1.0)


# Monotone functions: the largest change over [x - e, x + e] is at one of its ends. Value: function,
# ULP of a correct kernel, and the names of the attributes that it takes.
_MONOTONE: dict[str, tuple[Callable[..., FloatArray], float, tuple[str, ...]]] = {
    "Relu": (lambda x: np.maximum(x, 0.0), 0.0, ()),
    "LeakyRelu": (_leaky_relu, 1.0, ("alpha",)),
    "Elu": (_elu, 6.0, ("alpha",)),
    "Selu": (_selu, 6.0, ("alpha", "gamma")),
    "Celu": (_celu, 6.0, ("alpha",)),
    "HardSigmoid": (_hard_sigmoid, 2.0, ("alpha", "beta")),
    "Sigmoid": (_sigmoid, 4.0, ()),
    "Tanh": (np.tanh, 4.0, ()),
    "Erf": (erf, 4.0, ()),
    "Exp": (np.exp, 4.0, ()),
    "Log": (np.log, 4.0, ()),
    "Sqrt": (np.sqrt, 1.0, ()),
    "Reciprocal": (lambda x: 1.0 / x, 1.0, ()),
    "Softplus": (lambda x: np.logaddexp(0.0, x), 6.0, ()),
    "Softsign": (lambda x: x / (1.0 + np.abs(x)), 2.0, ()),
    "Atan": (np.arctan, 4.0, ()),
    "Floor": (np.floor, 0.0, ()),
    "Ceil": (np.ceil, 0.0, ()),
    "Round": (np.rint, 0.0, ()),
    "Sign": (np.sign, 0.0, ()),
}


def _monotone(
    call: Call, function: Callable[..., FloatArray], ulps: float, names: tuple[str, ...]
) -> list[Tracked]:
    x, error = call.value(0), call.error(0)
    if not call[0].is_float:
        return _native(call)
    f = partial(function, **{n: call.attribute(n) for n in names if call.attribute(n) is not None})
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = f(x)
        carried = np.where(
            error == 0.0,
            0.0,
            np.maximum(np.abs(f(x + error) - value), np.abs(value - f(x - error))),
        )
        if call.runner.node.op_type == "Reciprocal":
            carried = np.where((np.abs(x) > error) | (error == 0.0), carried, np.inf)
    # Outside the domain of log and sqrt the interval gives NaN: the error there has no bound.
    carried = np.where(np.isnan(carried), np.inf, carried)
    return [
        call.result(value, carried + call.rounding(np.abs(value) + carried, ulps) * (ulps > 0.0))
    ]


def _gelu(call: Call, x: FloatArray) -> FloatArray:
    if call.attribute("approximate", "none") == "tanh":
        return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))


# Functions with a bounded slope: value by (call, x), the slope, ULP of a correct kernel relative to
# ``scale(x)``.
_LIPSCHITZ: dict[str, tuple[Callable[[Call, FloatArray], FloatArray], float, float, Function]] = {
    "Gelu": (_gelu, 1.13, 6.0, np.abs),
    "HardSwish": (lambda _, x: x * np.clip(x / 6.0 + 0.5, 0.0, 1.0), 1.5, 4.0, np.abs),
    "Swish": (lambda call, x: x * _sigmoid(call.attribute("alpha", 1.0) * x), 1.1, 6.0, np.abs),
    "Mish": (lambda _, x: x * np.tanh(np.logaddexp(0.0, x)), 1.1, 8.0, np.abs),
    "Sin": (lambda _, x: np.sin(x), 1.0, 4.0, np.ones_like),
    "Cos": (lambda _, x: np.cos(x), 1.0, 4.0, np.ones_like),
}


def _lipschitz(
    call: Call, entry: tuple[Callable[[Call, FloatArray], FloatArray], float, float, Function]
) -> list[Tracked]:
    function, slope, ulps, scale = entry
    value = function(call, call.value(0))
    own = call.rounding(scale(call.value(0)) + call.error(0), ulps)
    return [call.result(value, slope * call.error(0) + own)]


for _name, _entry in _MONOTONE.items():
    rule(_name)(partial(_monotone, function=_entry[0], ulps=_entry[1], names=_entry[2]))
for _name, _bounded in _LIPSCHITZ.items():
    rule(_name)(partial(_lipschitz, entry=_bounded))
