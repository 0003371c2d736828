# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compute unsigned integers in a wider signed type where the sign matters.

The importer takes the bits of an unsigned integer as those of a signed one in all arithmetic that it lowers.
"""

from __future__ import annotations

import onnx
from onnx import TensorProto

from ...errors import UnsupportedNode, UnsupportedOpError
from .infer import scopes
from .work import Work, replace_nodes

_WIDER: dict[int, int] = {
    TensorProto.UINT8: TensorProto.INT32,
    TensorProto.UINT16: TensorProto.INT32,
    TensorProto.UINT32: TensorProto.INT64,
}
_UNSIGNED: frozenset[int] = frozenset({*_WIDER, TensorProto.UINT64})

# The bits of the result do not depend on the sign: data movement, equality, arithmetic modulo 2^n.
_SIGNLESS = frozenset(
    {"Add", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Cast", "CastLike", "Col2Im", "Compress", "Concat",
     "Constant", "ConstantOfShape", "DepthToSpace", "Equal", "Expand", "EyeLike", "Flatten", "Gather",
     "GatherElements", "GatherND", "Identity", "If", "Loop", "Mul", "OneHot", "Pad", "Reshape", "ReverseSequence",
     "Scan", "ScatterElements", "ScatterND", "Shape", "Size", "Slice", "SpaceToDepth", "Split", "Squeeze", "Sub", "Sum",
     "Tile", "Transpose", "Trilu", "Unsqueeze", "Where"}
)  # fmt: skip
# Rewritten or refused on their own.
_QUANTIZED = frozenset(
    {"BitShift", "ConvInteger", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger", "QLinearConv",
     "QLinearMatMul", "QuantizeLinear"}
)  # fmt: skip


def widen_unsigned(work: Work) -> None:
    """Put casts around every node whose result would be that of signed operands; types must be inferred.

    Raises:
        UnsupportedOpError: Such nodes on uint64, which has no wider type.
    """
    refused: list[UnsupportedNode] = []
    # Inner graphs first: replacing the nodes of an outer one copies what they hold.
    for graph, scope in reversed(list(scopes(work.graph))):
        types = {name: type_.tensor_type.elem_type for name, type_ in scope.items()}
        result: list[onnx.NodeProto] = []
        for node in graph.node:
            elems = {types.get(name, 0) for name in [*node.input, *node.output] if name} & _UNSIGNED
            if not elems or node.domain not in ("", "ai.onnx") or node.op_type in _SIGNLESS | _QUANTIZED:
                result.append(node)
                continue
            if TensorProto.UINT64 in elems:
                name = work.origins.get(node.name, node.name)
                reason = "uint64 would be computed as a signed integer"
                refused.append(UnsupportedNode(name, node.op_type, "ai.onnx", reason))
                continue
            result += _widen(work, node, types)
        replace_nodes(graph, result)
    if refused:
        raise UnsupportedOpError(refused, where=work.where)


def _cast(source: str, result: str, to: int, name: str) -> onnx.NodeProto:
    return onnx.helper.make_node("Cast", [source], [result], name=name, to=to)


def _widen(work: Work, node: onnx.NodeProto, types: dict[str, int]) -> list[onnx.NodeProto]:
    """The node on wider operands, casts in front of it and behind it."""
    before: list[onnx.NodeProto] = []
    after: list[onnx.NodeProto] = []
    wide = onnx.NodeProto()
    wide.CopyFrom(node)
    for index, name in enumerate(node.input):
        to = _WIDER.get(types.get(name, 0)) if name else None
        if to is not None:
            wide.input[index] = f"{node.name}/wide_operand{index}"
            before.append(_cast(name, wide.input[index], to, wide.input[index]))
    for index, name in enumerate(node.output):
        elem = types.get(name, 0)
        if name and elem in _WIDER:
            wide.output[index] = f"{node.name}/wide_result{index}"
            after.append(_cast(wide.output[index], name, elem, f"{node.name}/narrow_result{index}"))
    origin = work.origins.get(node.name, node.name)
    work.origins.update({cast.name: origin for cast in before + after})
    return [*before, wide, *after]
