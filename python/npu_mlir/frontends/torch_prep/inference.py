# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuse programs that only make sense in training, or that change their own state."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from ...errors import InputError, UnsupportedNode, UnsupportedOpError
from .source import describe_node, node_path, node_position

aten = torch.ops.aten


def _argument(node: Node, index: int, name: str) -> object:
    if len(node.args) > index:
        return node.args[index]
    return node.kwargs.get(name)


def _drops(node: Node) -> bool:
    rate = _argument(node, 1, "p")
    return bool(_argument(node, 2, "train")) and rate not in (0, 0.0)


_TRAINING: dict[object, Callable[[Node], bool]] = {
    aten.dropout.default: _drops,
    aten.feature_dropout.default: _drops,
    aten.alpha_dropout.default: _drops,
    aten.native_dropout.default: lambda node: _argument(node, 2, "train") is not False,
    aten.batch_norm.default: lambda node: bool(_argument(node, 5, "training")),
    aten.native_batch_norm.default: lambda node: bool(_argument(node, 5, "training")),
    aten._native_batch_norm_legit_functional.default: lambda node: bool(
        _argument(node, 5, "training")
    ),
    aten.rrelu.default: lambda node: bool(_argument(node, 3, "training")),
}


def refuse_training(program: ExportedProgram, where: str) -> None:
    """Refuse dropout and batch statistics: results would be random or depend on the batch.

    Raises:
        InputError: Names every such place.
    """
    found = []
    for node in program.graph.nodes:
        test = _TRAINING.get(node.target)
        if test is not None and test(node):
            found.append(f"{node.target} in {describe_node(node)}")
    if found:
        raise InputError(
            "the model is in training mode",
            code="E-TRAIN",
            where=where,
            why="\n".join(found),
            fix="call model.eval() before",
        )


def refuse_mutation(program: ExportedProgram, where: str) -> None:
    """Refuse programs that write to buffers or inputs: a compiled program keeps no state.

    Raises:
        UnsupportedOpError: Names the buffers and inputs.
    """
    signature = program.graph_signature
    producers = {node.name: node for node in program.graph.nodes}
    found = []
    for mutated, word in (
        (signature.buffers_to_mutate, "buffer"),
        (signature.user_inputs_to_mutate, "input"),
    ):
        for producer, target in mutated.items():
            node = producers.get(producer)
            position = node_position(node) if node is not None else None
            found.append(
                UnsupportedNode(
                    name=node_path(node) if node is not None else producer,
                    op_type="in-place update",
                    domain="torch",
                    reason=f"the {word} '{target}' is changed by the model",
                    source=f"{position[0]}:{position[1]}" if position else None,
                )
            )
    if found:
        fix = "return the new value as an output and take the old one as an input"
        raise UnsupportedOpError(found, where=where, fix=fix)
