# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check a model, as it was given, against the ONNX rules."""

from __future__ import annotations

import onnx
import onnx.shape_inference
from onnx import external_data_helper

from ...errors import InputError
from .check_tensors import refuse_broken_tensors
from .work import Work, all_graphs


def check(work: Work) -> None:
    """Check what can be checked before any shape is bound.

    Raises:
        InputError: The model breaks a rule, or its external data was not loaded.
    """
    _refuse_missing_data(work)
    _refuse_new_opset(work)
    if not work.graph.output:
        raise InputError(
            "the model has no outputs",
            code="E-ONNX",
            where=work.where,
            fix="name the values that it computes as outputs of the graph",
        )
    refuse_broken_tensors(work)
    if any(not value.type.tensor_type.HasField("shape") for value in work.graph.output):
        # The checker asks for it, runtimes do not, so there are models without.
        work.model = onnx.shape_inference.infer_shapes(work.model)
    try:
        onnx.checker.check_model(work.model)
    except onnx.checker.ValidationError as error:
        text = str(error).strip()
        raise InputError(
            "the ONNX model is invalid",
            code="E-ONNX",
            where=work.where,
            why=text.replace("\n\n", "\n"),
            fix="export the model again; `onnx.checker.check_model` shows the same",
        ) from error
    except ValueError:
        # The in-memory checker cannot take more than 2 GiB; the importer checks again node by node.
        work.warnings.append("W-ONNX: the model is too large for the ONNX checker; not checked")


def _refuse_missing_data(work: Work) -> None:
    for graph in all_graphs(work.graph):
        for tensor in graph.initializer:
            if external_data_helper.uses_external_data(tensor):
                raise InputError(
                    "external data of the model is not loaded",
                    code="E-EXTDATA",
                    where=f"{work.where}, initializer '{tensor.name}'",
                    why="a ModelProto was given whose data is in other files",
                    fix="pass the path of the .onnx file, or load it with onnx.load",
                )


def _refuse_new_opset(work: Work) -> None:
    newest = onnx.defs.onnx_opset_version()
    if work.opset() > newest:
        raise InputError(
            "the opset of the model is not known",
            code="E-ONNX",
            where=work.where,
            why=f"it is {work.opset()}; the installed onnx {onnx.__version__} knows opsets up to {newest}",
            fix="upgrade the package onnx, or export the model with an older opset",
        )
