# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompose a program into the operators that have a lowering."""

from __future__ import annotations

import warnings

import torch
from torch._decomp import get_decompositions
from torch.export import ExportedProgram

from ...errors import InputError
from .source import error_position


def decompose(program: ExportedProgram, where: str) -> ExportedProgram:
    """Run the decompositions that torch-mlir wants, and those of scans that it has no lowering for.

    Raises:
        InputError: A decomposition fails.
    """
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    table = dict(get_decomposition_table())
    # Without these a scan op comes out that is not linalg; the cost is quadratic in the length.
    table.update(get_decompositions([torch.ops.aten.cumsum, torch.ops.aten.cumprod]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return program.run_decompositions(table)
    except Exception as error:
        # Decompositions are Python functions of torch and of the user's custom operators.
        raise InputError(
            "the operators of the program cannot be decomposed",
            code="E-EXPORT",
            where=error_position(error) or where,
            why=f"{type(error).__name__}: {error}".splitlines()[0],
        ) from error
