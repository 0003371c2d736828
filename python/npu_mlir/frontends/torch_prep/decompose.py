# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompose a program into the operators that have a lowering, in the form that suits an NPU."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._decomp import get_decompositions
from torch.export import ExportedProgram
from torch.fx import Node

from ...errors import InputError
from .source import error_position

aten = torch.ops.aten
Table = dict[Any, Callable[..., Any]]


def _batch_norm_inference(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor,
    variance: torch.Tensor,
    momentum: float,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`x * scale + shift`, as the CPU kernel of PyTorch does it; both are constants."""
    scale = torch.rsqrt(variance + eps)
    if weight is not None:
        scale = scale * weight
    shift = -mean * scale
    if bias is not None:
        shift = shift + bias
    shape = [1, -1] + [1] * (x.dim() - 2)
    scale, shift = scale.reshape(shape).to(x.dtype), shift.reshape(shape).to(x.dtype)
    return x * scale + shift, x.new_empty(0), x.new_empty(0)


def _var_mean(
    x: torch.Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Two passes in the type of `x`: the lowering of the op itself accumulates in f64."""
    dims = list(dim) if dim else list(range(x.dim()))
    count = math.prod(x.shape[d] for d in dims)
    mean = torch.mean(x, dims, keepdim=True)
    centered = x - mean
    total = torch.sum(centered * centered, dims, keepdim=keepdim)
    divisor = max(count - (1 if correction is None else correction), 0)
    variance = total / divisor
    return variance, mean.reshape(variance.shape)


def _var(
    x: torch.Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> torch.Tensor:
    return _var_mean(x, dim, correction=correction, keepdim=keepdim)[0]


def _gelu(x: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """The tanh form: the lowering of the op itself uses rounded constants."""
    if approximate != "tanh":
        return NotImplemented  # type: ignore[no-any-return]
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + torch.tanh(inner))


def _table() -> Table:
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    table: Table = dict(get_decomposition_table())
    # Without these a scan op comes out that is not linalg; the cost is quadratic in the length.
    table.update(get_decompositions([aten.cumsum, aten.cumprod]))
    table[aten._native_batch_norm_legit_no_training.default] = _batch_norm_inference
    table[aten.gelu.default] = _gelu
    table[aten.var_mean.correction] = _var_mean
    table[aten.var.correction] = _var
    return table


# What may stand between the scores of an attention and its softmax without making a row all -inf.
_KEEPS_FINITE = frozenset(
    {
        aten.view.default,
        aten._unsafe_view.default,
        aten.reshape.default,
        aten.expand.default,
        aten.clone.default,
        aten.permute.default,
        aten.mul.Tensor,
        aten.mul.Scalar,
        aten.div.Tensor,
        aten.div.Scalar,
    }
)
_ATTENTION = (
    aten.scaled_dot_product_attention.default,
    aten._scaled_dot_product_flash_attention_for_cpu.default,
    aten._scaled_dot_product_attention_math.default,
)
_PRODUCTS = frozenset({aten.bmm.default, aten.mm.default, aten.matmul.default})


def _is_unmasked(node: Node) -> bool:
    """Whether the values come straight out of a matrix product, without a mask in between."""
    while node.target in _KEEPS_FINITE:
        tensors = node.all_input_nodes
        if len(tensors) != 1:
            return False
        node = tensors[0]
    return node.target in _PRODUCTS


def _simplify_softmax(program: ExportedProgram) -> None:
    """Plain softmax for attention without a mask: the safe one guards rows that a mask empties."""
    for node in program.graph.nodes:
        if node.target == aten._safe_softmax.default and _is_unmasked(node.args[0]):
            dtype = node.kwargs.get("dtype")
            if dtype is None and len(node.args) == 2:
                node.target = aten._softmax.default
                node.args = (*node.args, False)
                node.kwargs = {}
    program.graph_module.recompile()


def _attention_table(table: Table) -> Table:
    """Takes attention apart, but leaves its softmax whole."""
    everything = torch.export.default_decompositions()
    picked = {op: table.get(op) or everything.get(op) for op in _ATTENTION}
    return {op: function for op, function in picked.items() if function is not None}


def decompose(program: ExportedProgram, where: str) -> ExportedProgram:
    """Run the decompositions that torch-mlir wants, with some of our own.

    Raises:
        InputError: A decomposition fails.
    """
    table = _table()
    attention = _attention_table(table)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if any(node.target in attention for node in program.graph.nodes):
                program = program.run_decompositions(attention)
                _simplify_softmax(program)
            decomposed: ExportedProgram = program.run_decompositions(table)
            return decomposed
    except Exception as error:
        # Decompositions are Python functions of torch and of the user's custom operators.
        raise InputError(
            "the operators of the program cannot be decomposed",
            code="E-EXPORT",
            where=error_position(error) or where,
            why=f"{type(error).__name__}: {error}".splitlines()[0],
        ) from error
