# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shape inference over the whole model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

import onnx
import onnx.shape_inference

from ...errors import InputError
from ..validate import MAX_ELEMENTS
from .work import Work, all_graphs, subgraphs


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
    # Without the propagation of values first: that makes them, however large they are.
    _refuse_huge(work, onnx.shape_inference.infer_shapes(work.model).graph)
    try:
        inferred = onnx.shape_inference.infer_shapes(work.model, strict_mode=True, data_prop=True)
    except onnx.shape_inference.InferenceError as error:
        if not _is_fault_of_onnx(error):
            raise InputError(
                "the shapes or types of the model contradict each other",
                code="E-SHAPE",
                where=work.where,
                why=_in_words(error),
                fix="check the input shapes and the attributes of these nodes",
            ) from error
        inferred = onnx.shape_inference.infer_shapes(work.model, data_prop=True)
    for value, old in zip(inferred.graph.output, saved, strict=True):
        if not value.type.tensor_type.HasField("shape"):
            value.CopyFrom(old)
    work.model = inferred
    _refuse_huge(work, inferred.graph)


def _is_fault_of_onnx(error: Exception) -> bool:
    """Constants inside of the functions by which ONNX defines some operators have no value yet when it infers them."""
    return "(op_type:Constant)" in str(error)


def _in_words(error: Exception) -> str:
    """The message of an inference error, a line for each node."""
    text = " ".join(str(error).split())
    text = re.sub(r"\[(Shape|Type)InferenceError\] |Inference error\(s\): ", "", text)
    return re.sub(r" ?\(op_type:(\w+)(?:, node name: ([^)]*))?\): ", _named, text).strip()


def _named(match: re.Match[str]) -> str:
    name = f" '{match[2]}'" if match[2] else ""
    return f"\n{match[1]}{name}: "


def _refuse_huge(work: Work, inferred: onnx.GraphProto) -> None:
    found = []
    for graph in all_graphs(inferred):
        for name, type_ in known_types(graph).items():
            shape = static_shape(type_)
            if shape is not None and prod(shape) > MAX_ELEMENTS:
                found.append(f"'{name}' has the shape {list(shape)}, {prod(shape):,} elements")
    if found:
        raise InputError(
            "the model has tensors that are too large",
            code="E-TOOLARGE",
            where=work.where,
            why="\n".join(found) + f"\nat most {MAX_ELEMENTS:,} elements are possible",
            fix="check the input shapes and the attributes of the nodes that make these tensors",
        )


def known_types(graph: onnx.GraphProto) -> dict[str, onnx.TypeProto]:
    """Type of every annotated value of one graph."""
    types = {value.name: value.type for value in graph.input}
    types.update({value.name: value.type for value in graph.value_info})
    types.update({value.name: value.type for value in graph.output})
    for tensor in graph.initializer:
        types[tensor.name] = onnx.helper.make_tensor_type_proto(tensor.data_type, tensor.dims)
    return types


def scopes(
    graph: onnx.GraphProto, outer: dict[str, onnx.TypeProto] | None = None
) -> Iterator[tuple[onnx.GraphProto, dict[str, onnx.TypeProto]]]:
    """The graph and all below it, each with the types of all values that its nodes may read."""
    types = {**(outer or {}), **known_types(graph)}
    yield graph, types
    for node in graph.node:
        for inner in subgraphs(node):
            yield from scopes(inner, types)


def static_shape(type_: onnx.TypeProto | None) -> tuple[int, ...] | None:
    """The shape, if all of it is known."""
    if type_ is None or not type_.tensor_type.HasField("shape"):
        return None
    dims = type_.tensor_type.shape.dim
    if any(not dim.HasField("dim_value") for dim in dims):
        return None
    return tuple(dim.dim_value for dim in dims)
