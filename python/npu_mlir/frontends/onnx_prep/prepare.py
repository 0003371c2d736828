# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The preparation as a whole: the steps in their order."""

from __future__ import annotations

import onnx

from . import check, dead_code, fold, functions, names, opset, reject, shapes, weights
from .check_types import refuse_mixed_types
from .element_types import refuse_element_types
from .known_faults import refuse_known_faults
from .rewrite import rewrite
from .rewrite_unsigned import widen_unsigned
from .work import Work, all_graphs


def prepare(model: onnx.ModelProto, where: str, bindings: shapes.Shapes | None) -> Work:
    """Make a model fit for the importer.

    Args:
        model: Any ONNX model; it is changed.
        where: What to call it in messages.
        bindings: Sizes of dynamic dimensions, see `shapes.bind_shapes`.

    Returns:
        Static shapes, opset 17 or later, constants folded, large weights beside the model.

    Raises:
        InputError: The model or the bindings are wrong.
        UnsupportedOpError: The model needs what is not supported.
    """
    work = Work(model=model, where=where)
    check.check(work)
    _default_domain(work)
    names.record_sources(work)
    functions.inline_model_functions(work)
    reject.reject_unsupported(work)
    # Shape inference ignores initializers that are not inputs in old IR versions.
    work.model.ir_version = max(work.model.ir_version, 8)
    weights.split_weights(work)
    shapes.bind_shapes(work, bindings)
    # Once before the conversion: it does not reach into the branches of an If.
    fold.fold(work)
    refuse_mixed_types(work)
    opset.raise_opset(work)
    finish(work)
    refuse_element_types(work)
    rewrite(work)
    finish(work)
    widen_unsigned(work)
    finish(work)
    # What the rewrites left as it was.
    refuse_known_faults(work)
    return work


def finish(work: Work) -> None:
    """The steps that follow each change of the nodes."""
    fold.fold(work)
    dead_code.remove_dead(work)
    work.graph.name = "main"


def _default_domain(work: Work) -> None:
    """Spell the default domain one way."""
    for entry in work.model.opset_import:
        if entry.domain == "ai.onnx":
            entry.domain = ""
    for holder in (*_graph_nodes(work), *(list(f.node) for f in work.model.functions)):
        for node in holder:
            if node.domain == "ai.onnx":
                node.domain = ""


def _graph_nodes(work: Work) -> list[list[onnx.NodeProto]]:
    return [list(graph.node) for graph in all_graphs(work.graph)]
