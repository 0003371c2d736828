# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions, sums and averages: linear in each operand.

With f the operator: ``|f(a', b') - f(a, b)| <= f(e_a, |b|) + f(|a| + e_a, e_b)``, and the own
rounding of the sum is ``u * c(K) * f(|a| + e_a, |b| + e_b)`` (see `bounds`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..bounds import bound_from_magnitude
from ..formats import FloatArray
from ..metrics import AnyArray
from .registry import Call, Tracked, rule

Bilinear = Callable[[AnyArray, AnyArray], FloatArray]


def _contraction(call: Call, run: Bilinear, k: int, bias: Tracked | None) -> list[Tracked]:
    a, b = call.value(0), call.value(1)
    magnitude_a, magnitude_b = np.abs(a) + call.error(0), np.abs(b) + call.error(1)
    value, magnitude = run(a, b), run(magnitude_a, magnitude_b)
    carried = np.zeros_like(value)
    if not call[0].is_exact:
        carried = carried + run(call.error(0), np.abs(b))
    if not call[1].is_exact:
        carried = carried + run(magnitude_a, call.error(1))
    if bias is not None:
        assert bias.error is not None
        value = value + bias.value
        magnitude = magnitude + np.abs(bias.value) + bias.error
        carried = carried + bias.error
    own = bound_from_magnitude(
        magnitude, k, result=np.abs(value) + carried, accumulate=call.accumulate, output=call.dtype
    )
    return [call.result(value, carried + own)]


@rule("MatMul")
def _matmul(call: Call) -> Sequence[Tracked]:
    return _contraction(call, np.matmul, call.value(0).shape[-1], None)


@rule("Gemm")
def _gemm(call: Call) -> Sequence[Tracked]:
    alpha, beta = float(call.attribute("alpha", 1.0)), float(call.attribute("beta", 1.0))
    transpose_a, transpose_b = call.attribute("transA", 0), call.attribute("transB", 0)

    def run(a: AnyArray, b: AnyArray, factor: float) -> FloatArray:
        return np.asarray(factor * np.matmul(a.T if transpose_a else a, b.T if transpose_b else b))

    k = call.value(0).shape[0 if transpose_a else 1]
    bias = None
    if call.has(2):
        bias = Tracked(beta * call.value(2), abs(beta) * call.error(2), call.dtype)
    if alpha >= 0.0:
        return _contraction(call, lambda a, b: run(a, b, alpha), k, bias)
    # f must be monotone on magnitudes: a negative alpha is carried by the left operand.
    negated = Call(
        call.runner,
        [Tracked(-call.value(0), call.error(0), call.dtype), *call.operands[1:]],
        call.accumulate,
    )
    return _contraction(negated, lambda a, b: run(a, b, -alpha), k, bias)


@rule("Conv", "ConvTranspose")
def _conv(call: Call) -> Sequence[Tracked]:
    weight = call.value(1)
    channels = weight.shape[1]
    if call.runner.node.op_type == "ConvTranspose":
        channels = weight.shape[0] // int(call.attribute("group", 1))
    bias = None
    if call.has(2):
        shape = (-1, *[1] * (weight.ndim - 2))
        bias = Tracked(call.value(2).reshape(shape), call.error(2).reshape(shape), call.dtype)

    def run(a: AnyArray, b: AnyArray) -> FloatArray:
        return np.asarray(call.runner.run([a, b])[0])

    return _contraction(call, run, channels * math.prod(weight.shape[2:]), bias)


@rule("Einsum")
def _einsum(call: Call) -> Sequence[Tracked]:
    equation = str(call.attribute("equation")).replace(" ", "")
    if len(call.operands) == 1:
        value = np.einsum(equation, call.value(0))
        k = max(1, call.value(0).size // max(1, value.size))
        return [
            _sum(
                call,
                value,
                np.einsum(equation, np.abs(call.value(0))),
                np.einsum(equation, call.error(0)),
                k,
            )
        ]
    if len(call.operands) != 2:
        value = np.einsum(equation, *[call.value(i) for i in range(len(call.operands))])
        return [
            Tracked(value, None, call.dtype, "Einsum of more than two operands has no error rule")
        ]
    terms, _, kept = equation.partition("->")
    extents: dict[str, int] = {}
    for term, index in zip(terms.split(","), range(2), strict=True):
        extents.update(
            zip(
                term.replace("...", ""),
                call.value(index).shape[::-1][: len(term)][::-1],
                strict=False,
            )
        )
    k = math.prod(n for letter, n in extents.items() if letter not in kept)
    return _contraction(call, lambda a, b: np.asarray(np.einsum(equation, a, b)), k, None)


def _sum(call: Call, value: AnyArray, magnitude: AnyArray, carried: AnyArray, k: int) -> Tracked:
    own = bound_from_magnitude(
        magnitude + carried,
        k,
        result=np.abs(value) + carried,
        accumulate=call.accumulate,
        output=call.dtype,
    )
    return call.result(value, carried + own)


@rule("AveragePool", "GlobalAveragePool", "ReduceSum", "ReduceMean", "Resize")
def _sum_or_average(call: Call) -> Sequence[Tracked]:
    rest = [None if o is None else o.value for o in call.operands[1:]]
    x, error = call.value(0), call.error(0)
    (value,) = call.runner.run([x, *rest])
    if not call[0].is_float:
        return [Tracked(value, np.zeros(np.shape(value)), call[0].dtype)]
    (magnitude,) = call.runner.run([np.abs(x), *rest])
    (carried,) = call.runner.run([error, *rest])
    op_type = call.runner.node.op_type
    if op_type == "AveragePool":
        k = math.prod(call.attribute("kernel_shape"))
    elif op_type == "Resize":
        k = 4 ** (x.ndim - 2)
        # Cubic weights are negative in part, so f is not monotone; linear and nearest ones are.
        if call.attribute("mode", "nearest") == "cubic":
            return [Tracked(value, None, call.dtype, "Resize of mode 'cubic' has no error rule")]
    else:
        k = x.size // max(1, value.size)
    return [_sum(call, value, magnitude, carried, k)]
