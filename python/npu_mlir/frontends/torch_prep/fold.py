# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compute at import what depends on weights and constants only."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Graph, Node

# A result may always have this many elements; beyond, it must not be larger than its operands.
_MAX_GROWN_ELEMENTS = 1 << 16


def _is_pure(node: Node) -> bool:
    if node.op != "call_function":
        return False
    if node.target is operator.getitem:
        return True
    target = node.target
    return (
        isinstance(target, torch._ops.OpOverload)
        and not target._schema.is_mutable
        and torch.Tag.nondeterministic_seeded not in target.tags
    )


def _elements(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel()
    if isinstance(value, (tuple, list)):
        return sum(_elements(item) for item in value)
    return 0


def _evaluate(node: Node, known: dict[Node, Any]) -> Any:
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda used: known[used])
    with torch.no_grad():
        return node.target(*args, **kwargs)  # type: ignore[operator]


def fold_constants(graph: Graph, values: dict[Node, torch.Tensor]) -> dict[Node, torch.Tensor]:
    """Evaluate all nodes whose operands are known, and make the results placeholders.

    Generators (`full`, `arange` ...) are evaluated for the nodes behind them, but stay themselves:
    a fill is cheaper than a stored tensor.

    Args:
        graph: The graph; changed.
        values: Placeholder to its value.

    Returns:
        The new placeholders, at the end of the others, with their values.
    """
    known: dict[Node, Any] = dict(values)
    for node in graph.nodes:
        operands = node.all_input_nodes
        if not _is_pure(node) or any(operand not in known for operand in operands):
            continue
        grown = _elements(node.meta.get("val"))
        given = sum(_elements(known[operand]) for operand in operands)
        if grown > _MAX_GROWN_ELEMENTS and grown > 2 * given:
            continue
        try:
            known[node] = _evaluate(node, known)
        except (RuntimeError, NotImplementedError):
            # An op without a CPU kernel for these types: leave it to the lowering.
            continue
    return _materialize(graph, known, values)


def _materialize(
    graph: Graph, known: dict[Node, Any], values: dict[Node, torch.Tensor]
) -> dict[Node, torch.Tensor]:
    made: dict[Node, torch.Tensor] = {}
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    anchor = placeholders[-1] if placeholders else None
    for node in list(graph.nodes):
        value = known.get(node)
        is_result = node in known and node not in values and node.all_input_nodes
        if not is_result or not isinstance(value, torch.Tensor):
            continue
        if all(user in known for user in node.users):
            continue
        spot = graph.inserting_after(anchor) if anchor else graph.inserting_before(None)
        with spot:
            argument = graph.placeholder(f"folded_{node.name}")
        argument.meta = dict(node.meta)
        node.replace_all_uses_with(argument)
        made[argument] = value
        anchor = argument
    graph.eliminate_dead_code()
    return made
