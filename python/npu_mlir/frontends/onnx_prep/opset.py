# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raise old operator sets: the importer knows the forms of opset 17 and later best."""

from __future__ import annotations

import onnx
import onnx.version_converter

from . import names
from .infer import known_types, static_shape
from .work import Work, replace_nodes

MIN_OPSET = 17
# Converters of single operators have gaps; an earlier target may avoid one.
_TARGETS = (21, 20, 19, 18, 17)


def _spread_prelu_slopes(work: Work) -> None:
    """Before opset 7 a PRelu slope of rank 1 went along the channels; the converter keeps it."""
    types = known_types(work.graph)
    result: list[onnx.NodeProto] = []
    for node in work.graph.node:
        shapes = [static_shape(types.get(name)) for name in node.input]
        if node.op_type == "PRelu" and None not in shapes and len(shapes[1] or ()) == 1:
            rank, name = len(shapes[0] or ()), f"{node.name}/slope"
            axes = list(range(1, rank - 1))
            if axes:
                result.append(
                    onnx.helper.make_node("Unsqueeze", [node.input[1]], [name], name, axes=axes)
                )
                work.origins[name] = node.name
                node.input[1] = name
        result.append(node)
    replace_nodes(work.graph, result)


def raise_opset(work: Work) -> None:
    """Convert a model below opset 17; warn and leave it if no conversion exists."""
    version = work.opset()
    work.model.ir_version = max(work.model.ir_version, 8)
    if version >= MIN_OPSET:
        return
    if version < 7:
        _spread_prelu_slopes(work)
    first_error = ""
    for target in _TARGETS:
        try:
            converted = onnx.version_converter.convert_version(work.model, target)
        except (RuntimeError, ValueError) as error:
            first_error = first_error or str(error).splitlines()[-1].strip()
            continue
        converted.ir_version = max(converted.ir_version, 8)
        work.model = converted
        names.unique_names(work, new_origin=None)
        return
    work.warnings.append(
        f"W-OPSET: opset {version} could not be raised to {MIN_OPSET}: {first_error}"
    )
