# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers of any direction, written as layers that run forward."""

from __future__ import annotations

import numpy as np
import onnx

from .builder import Builder, attributes_of, constants_of, shape_of
from .work import Work

# Inputs that have one part for each direction; X is 0, sequence_lens is 4.
_DIRECTED_INPUTS = (1, 2, 3, 5, 6, 7)
_LENGTHS = 4


def _has_full_lengths(work: Work, node: onnx.NodeProto, steps: int) -> bool:
    """Whether sequence_lens says of every row what is true without it."""
    values = constants_of(work, [node.input[_LENGTHS]])
    return values is not None and bool(np.all(values[0] == steps))


def recurrent(work: Work, node: onnx.NodeProto) -> list[onnx.NodeProto] | None:
    """LSTM, GRU or RNN: the importer knows one of the three in other directions than forward."""
    attributes = attributes_of(node)
    shape = shape_of(work, node.input[0])
    direction = attributes.get("direction", b"forward").decode()
    if shape is None or attributes.get("layout", 0):
        return None
    inputs = [*node.input, *[""] * (8 - len(node.input))]
    has_lengths = bool(inputs[_LENGTHS])
    if has_lengths and _has_full_lengths(work, node, shape[0]):
        inputs[_LENGTHS], has_lengths = "", False
    if direction == "forward":
        if list(node.input) == inputs[: len(node.input)]:
            return None
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[_LENGTHS] = ""
        return [copy]
    if has_lengths:
        return None
    build = Builder(work, node)
    backwards = build.constant("backwards", np.arange(shape[0], dtype=np.int64)[::-1].copy())
    ways = [True] if direction == "reverse" else [False, True]
    results: list[list[str]] = [[] for _ in node.output]
    for way, is_reversed in enumerate(ways):
        made = _one_way(build, node, inputs, way, len(ways), backwards if is_reversed else "")
        for parts, name in zip(results, made, strict=True):
            parts.append(name)
    for index, (name, parts) in enumerate(zip(node.output, results, strict=True)):
        if name:
            # The directions of Y are its second dimension, behind the time.
            build.op("Concat", parts, f"joined{index}", axis=1 if index == 0 else 0)
            build.nodes[-1].output[0] = name
    return build.nodes


def _one_way(build: Builder, node: onnx.NodeProto, inputs: list[str], way: int, ways: int, backwards: str) -> list[str]:
    """The layer for one direction; returns its results, in the order of time."""
    operands = list(inputs)
    if ways > 1:
        bounds = [
            build.constant(f"{label}{way}", np.array([value], dtype=np.int64))
            for label, value in (("start", way), ("end", way + 1), ("axis", 0))
        ]
        for index in _DIRECTED_INPUTS:
            if operands[index]:
                operands[index] = build.op("Slice", [operands[index], *bounds], f"way{way}_{index}")
    if backwards:
        operands[0] = build.op("Gather", [operands[0], backwards], f"x{way}", axis=0)
    while not operands[-1]:
        operands.pop()
    attributes = attributes_of(node)
    for name in ("activations", "activation_alpha", "activation_beta"):
        values = list(attributes.get(name, []))
        if values:
            part = len(values) // ways
            attributes[name] = values[way * part : (way + 1) * part]
    attributes["direction"] = "forward"
    build.op(node.op_type, operands, f"layer{way}", **attributes)
    made = build.nodes[-1]
    del made.output[:]
    made.output.extend(f"{made.name}/{i}" for i in range(len(node.output)))
    results = list(made.output)
    if backwards and results:
        results[0] = build.op("Gather", [results[0], backwards], f"y{way}", axis=0)
    return results
