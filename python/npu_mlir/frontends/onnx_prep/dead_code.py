# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remove what no output needs."""

from __future__ import annotations

from .work import Work, node_uses, replace_nodes


def remove_dead(work: Work) -> None:
    """Drop nodes, initializers and weights that no graph output depends on.

    Real inputs stay, used or not: they are part of the model's signature.
    """
    graph = work.graph
    needed = {value.name for value in graph.output}
    kept = []
    for node in reversed(graph.node):
        if any(name in needed for name in node.output):
            kept.append(node)
            needed.update(node_uses(node))
    replace_nodes(graph, kept[::-1])
    tensors = [tensor for tensor in graph.initializer if tensor.name in needed]
    inputs = [v for v in graph.input if v.name in needed or v.name not in work.weights]
    del graph.initializer[:]
    del graph.input[:]
    graph.initializer.extend(tensors)
    graph.input.extend(inputs)
    for name in [name for name in work.weights if name not in needed]:
        del work.weights[name]
