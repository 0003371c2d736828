# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What rules work with: values that carry an error bound, and the table from operator to rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evaluate import NodeRunner
from ..formats import FloatArray, float_format
from ..metrics import AnyArray, as_float64


@dataclass(frozen=True)
class Tracked:
    """A tensor of the float64 run with the bound of its error.

    Attributes:
        value: float64 for floating-point tensors, the native type for all others.
        error: elementwise bound of |computed - value|, float64, shape of ``value``; None if there
            is no rule.
        dtype: element type in the model, numpy's name.
        reason: why there is no bound.
    """

    value: AnyArray
    error: FloatArray | None
    dtype: str
    reason: str = ""

    @property
    def is_float(self) -> bool:
        """Whether the tensor is a floating-point one in the model."""
        return bool(np.asarray(self.value).dtype.kind == "f")

    @property
    def is_exact(self) -> bool:
        """Whether the error is known to be zero everywhere."""
        return self.error is not None and not self.error.any()


@dataclass
class Call:
    """One node with its operands.

    Attributes:
        runner: the node, ready to run.
        operands: one value per input; None for optional inputs left out.
        accumulate: type in which sums run.
    """

    runner: NodeRunner
    operands: list[Tracked | None]
    accumulate: str = "float32"

    def __getitem__(self, index: int) -> Tracked:
        operand = self.operands[index]
        assert operand is not None, f"operand {index} of '{self.runner.node.op_type}' is required"
        return operand

    def has(self, index: int) -> bool:
        """Whether optional operand ``index`` is there."""
        return index < len(self.operands) and self.operands[index] is not None

    def value(self, index: int) -> AnyArray:
        """Value of operand ``index``."""
        return self[index].value

    def error(self, index: int) -> FloatArray:
        """Error bound of operand ``index``; rules are called only when all bounds are known."""
        error = self[index].error
        assert error is not None
        return error

    def attribute(self, name: str, default: Any = None) -> Any:
        """Attribute ``name`` of the node, or ``default``."""
        return self.runner.attributes.get(name, default)

    @property
    def dtype(self) -> str:
        """Element type of the first floating-point operand, which arithmetic results have too."""
        return next((o.dtype for o in self.operands if o is not None and o.is_float), "float32")

    def rounding(self, value: AnyArray, ulps: float = 1.0, dtype: str = "") -> FloatArray:
        """Absolute error of ``ulps`` units in the last place of ``value``, underflow included.

        Zero is exact: it is the result of exact operands only.
        """
        fmt = float_format(dtype or self.dtype)
        finite = np.where(np.isfinite(value), np.abs(value), 0.0)
        error = ulps * (
            2.0 * fmt.unit_roundoff * finite + 2.0 ** (fmt.min_exponent - fmt.precision)
        )
        return np.where(finite == 0.0, 0.0, error)

    def result(self, value: AnyArray, error: AnyArray, dtype: str = "") -> Tracked:
        """A floating-point result.

        Where the value is infinite or NaN any finite error is zero: a mask of -inf stays one. An
            unbounded error
        stays, as at a pole.
        """
        spread = np.broadcast_to(as_float64(error), np.shape(value))
        special = np.where(np.isfinite(spread), 0.0, np.inf)
        return Tracked(
            as_float64(value), np.where(np.isfinite(value), spread, special), dtype or self.dtype
        )


Rule = Callable[[Call], Sequence[Tracked]]

#: Rule by operator of the default domain.
RULES: dict[str, Rule] = {}


def rule(*op_types: str) -> Callable[[Rule], Rule]:
    """Register the decorated function as the rule of ``op_types``."""

    def register(function: Rule) -> Rule:
        for op_type in op_types:
            RULES[op_type] = function
        return function

    return register


def unknown(value: AnyArray, dtype: str, reason: str) -> Tracked:
    """A value without bound."""
    return Tracked(value, None, dtype, reason)
