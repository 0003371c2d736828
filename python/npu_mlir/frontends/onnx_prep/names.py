# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give every node a name of its own, so that a location names exactly one node."""

from __future__ import annotations

from .work import Work, all_graphs


def record_sources(work: Work) -> None:
    """Name the nodes of the model as read and remember their operators.

    An unnamed node is called after its operator and its first output, which is unique. Of several
    nodes with one name all but the first get a suffix and an entry in `origins`.
    """
    unique_names(work, new_origin=None)
    for graph in all_graphs(work.graph):
        for node in graph.node:
            work.op_types[node.name] = (node.op_type, node.domain or "ai.onnx")


def unique_names(work: Work, new_origin: str | None) -> None:
    """Make all node names unique and non-empty.

    Args:
        work: The model.
        new_origin: Source node that unnamed nodes stand for, if known.
    """
    seen: set[str] = set()
    for graph in all_graphs(work.graph):
        for index, node in enumerate(graph.node):
            base = node.name
            if not base:
                output = next((name for name in node.output if name), str(index))
                base = f"{node.op_type}_{output}"
                if new_origin is not None:
                    work.origins[base] = new_origin
            name, count = base, 1
            while name in seen:
                count += 1
                name = f"{base}#{count}"
            if name != base and node.name:
                work.origins[name] = work.origins.get(base, base)
            node.name = name
            seen.add(name)
