# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shape inference over the whole model."""

from __future__ import annotations

import onnx
import onnx.shape_inference

from ...errors import InputError
from .work import Work, all_graphs


def infer_shapes(work: Work) -> None:
    """Annotate every value with its type and shape, from the input shapes alone.

    Recorded shapes are dropped first: they may say a parameter or a size that was true for
    other input shapes only.

    Raises:
        InputError: The shapes contradict each other.
    """
    saved = [onnx.ValueInfoProto.FromString(v.SerializeToString()) for v in work.graph.output]
    for graph in all_graphs(work.graph):
        del graph.value_info[:]
    for value in work.graph.output:
        value.type.tensor_type.ClearField("shape")
    try:
        inferred = onnx.shape_inference.infer_shapes(work.model, strict_mode=True, data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        inferred = onnx.shape_inference.infer_shapes(work.model, data_prop=True)
        if _is_contradiction(error):
            raise InputError(
                "the shapes of the model contradict each other",
                code="E-SHAPE",
                where=work.where,
                why=str(error).strip().splitlines()[-1],
                fix="check the input shapes",
            ) from error
    for value, old in zip(inferred.graph.output, saved, strict=True):
        if not value.type.tensor_type.HasField("shape"):
            value.CopyFrom(old)
    work.model = inferred


def _is_contradiction(error: Exception) -> bool:
    text = str(error)
    return "Incompatible dimensions" in text or "Can't merge shape info" in text


def known_types(graph: onnx.GraphProto) -> dict[str, onnx.TypeProto]:
    """Type of every annotated value of one graph."""
    types = {value.name: value.type for value in graph.input}
    types.update({value.name: value.type for value in graph.value_info})
    types.update({value.name: value.type for value in graph.output})
    for tensor in graph.initializer:
        types[tensor.name] = onnx.helper.make_tensor_type_proto(tensor.data_type, tensor.dims)
    return types


def static_shape(type_: onnx.TypeProto | None) -> tuple[int, ...] | None:
    """The shape, if all of it is known."""
    if type_ is None or not type_.tensor_type.HasField("shape"):
        return None
    dims = type_.tensor_type.shape.dim
    if any(not dim.HasField("dim_value") for dim in dims):
        return None
    return tuple(dim.dim_value for dim in dims)
