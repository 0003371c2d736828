# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler driver: from an imported model to an executable, one pass at a time."""

from __future__ import annotations

from .custom import CustomPass, RewritePass
from .driver import compile, compile_module, lower

__all__ = ["CustomPass", "RewritePass", "compile", "compile_module", "lower"]
