# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How errors pass through ONNX operators: one rule per operator, grouped by what the groups share.

A rule computes the float64 value of a node and an elementwise bound of the error that any correct
kernel can have: the errors of its operands carried through, plus its own rounding. Importing the
package fills `registry.RULES`.
"""

from . import elementwise, linear, norm, quantize, structure
from .registry import RULES, Call, Tracked, unknown

__all__ = [
    "RULES",
    "Call",
    "Tracked",
    "elementwise",
    "linear",
    "norm",
    "quantize",
    "structure",
    "unknown",
]
