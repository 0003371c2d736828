# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuse what no later step can take: other domains, strings, sequences, optionals, training."""

from __future__ import annotations

import onnx

from ...errors import UnsupportedNode, UnsupportedOpError
from .work import Work, all_graphs

_CONTAINER_OPS = {
    "Optional": "optional values",
    "OptionalGetElement": "optional values",
    "OptionalHasElement": "optional values",
    "SequenceAt": "sequences",
    "SequenceConstruct": "sequences",
    "SequenceEmpty": "sequences",
    "SequenceErase": "sequences",
    "SequenceInsert": "sequences",
    "SequenceLength": "sequences",
    "SequenceMap": "sequences",
    "SplitToSequence": "sequences",
    "ConcatFromSequence": "sequences",
    "StringConcat": "strings",
    "StringNormalizer": "strings",
    "StringSplit": "strings",
    "RegexFullMatch": "strings",
    "TfIdfVectorizer": "text features",
    "ImageDecoder": "image files",
}
_DOMAINS = {
    "ai.onnx.ml": "classical machine learning operators",
    "ai.onnx.preview.training": "training operators",
    "ai.onnx.training": "training operators",
}


def _value_reason(value: onnx.ValueInfoProto) -> str | None:
    kind = value.type.WhichOneof("value")
    if kind not in (None, "tensor_type"):
        return f"it is a {kind.removesuffix('_type').replace('_', ' ')}, not a tensor"
    if value.type.tensor_type.elem_type == onnx.TensorProto.STRING:
        return "it holds strings"
    return None


def _node_reason(node: onnx.NodeProto, functions: set[tuple[str, str]]) -> str | None:
    if (node.domain, node.op_type) in functions:
        return None
    if node.domain not in ("", "ai.onnx"):
        kind = _DOMAINS.get(node.domain)
        return kind or "operators of this domain are not known"
    if node.op_type in _CONTAINER_OPS:
        return _CONTAINER_OPS[node.op_type]
    for attribute in node.attribute:
        is_string_tensor = attribute.t.data_type == onnx.TensorProto.STRING
        if attribute.name in ("value_string", "value_strings") or is_string_tensor:
            return "a constant of strings"
    if node.op_type == "Cast" and any(
        a.name == "to" and a.i == onnx.TensorProto.STRING for a in node.attribute
    ):
        return "a cast to string"
    return None


def reject_unsupported(work: Work) -> None:
    """Refuse the model if it needs what is not supported; lists everything at once.

    Raises:
        UnsupportedOpError: With all such inputs, outputs and nodes.
    """
    functions = {(function.domain, function.name) for function in work.model.functions}
    found: list[UnsupportedNode] = []
    if len(work.model.training_info):
        found.append(UnsupportedNode("training_info", "training graph", "ai.onnx"))
    for word, values in (("input", work.graph.input), ("output", work.graph.output)):
        for value in values:
            reason = _value_reason(value)
            if reason:
                found.append(UnsupportedNode(value.name, word, "ai.onnx", reason))
    for graph in all_graphs(work.graph):
        for node in graph.node:
            reason = _node_reason(node, functions)
            if reason:
                domain = node.domain or "ai.onnx"
                found.append(UnsupportedNode(node.name, node.op_type, domain, reason))
    if found:
        raise UnsupportedOpError(found, where=work.where)
