# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuse forms of operators that the importer is known to lower to wrong values without a word."""

from __future__ import annotations

from collections.abc import Callable

import onnx

from ...errors import UnsupportedNode, UnsupportedOpError
from .infer import scopes
from .work import Work

Types = dict[str, onnx.TypeProto]


def _attribute(node: onnx.NodeProto, name: str, default: object = None) -> object:
    for attribute in node.attribute:
        if attribute.name == name:
            return onnx.helper.get_attribute_value(attribute)
    return default


def _rank(types: Types, name: str) -> int | None:
    type_ = types.get(name)
    if type_ is None or not type_.tensor_type.HasField("shape"):
        return None
    return len(type_.tensor_type.shape.dim)


_ACTIVATIONS = frozenset({"relu", "sigmoid", "tanh"})
_IGNORED = ("clip", "input_forget", "layout")


def _recurrent(node: onnx.NodeProto, types: Types) -> str | None:
    if len(node.input) > 7 and node.input[7]:
        return "peephole weights (input P) would be ignored"
    if len(node.input) > 4 and node.input[4]:
        return "sequence lengths (input sequence_lens) would be ignored"
    given = _attribute(node, "activations", [])
    for name in given if isinstance(given, list) else []:
        if name.decode().lower() not in _ACTIVATIONS:
            return f"the activation {name.decode()} would be taken for another"
    ignored = next((name for name in _IGNORED if _attribute(node, name)), None)
    return f"the attribute {ignored} would be ignored" if ignored else None


def _grid_sample(node: onnx.NodeProto, types: Types) -> str | None:
    if _attribute(node, "mode", b"linear") == b"nearest":
        return "mode 'nearest' would give wrong values"
    if _attribute(node, "padding_mode", b"zeros") == b"zeros":
        return "padding_mode 'zeros' would read outside of the input"
    return None


def _quantized_matmul(node: onnx.NodeProto, types: Types) -> str | None:
    ranks = [_rank(types, node.input[index]) for index in (0, 3)]
    if any(rank is not None and rank > 2 for rank in ranks):
        return "operands of more than 2 dimensions would give wrong values"
    return None


def _dequantize(node: onnx.NodeProto, types: Types) -> str | None:
    if len(node.input) < 3 or not node.input[2]:
        return None
    type_ = types.get(node.input[2])
    unsigned = (onnx.TensorProto.UINT8, onnx.TensorProto.UINT16, onnx.TensorProto.UINT32)
    if type_ is not None and type_.tensor_type.elem_type in unsigned and (_rank(types, node.input[1]) or 0) > 0:
        return "an unsigned zero point for each channel would be taken as signed"
    return None


def _dynamic_quantize(node: onnx.NodeProto, types: Types) -> str | None:
    return "zero points above 127 would give wrong values"


def _quantized_conv(node: onnx.NodeProto, types: Types) -> str | None:
    if _rank(types, node.input[4]) != 0:
        return "a weight scale for each channel would give wrong values"
    return None


def _bit_shift(node: onnx.NodeProto, types: Types) -> str | None:
    return "shifts by the width of the type or more would give wrong values"


# The next two are rewritten in the main graph; what is left of them is inside of If, Loop or Scan.
def _integer_negation(node: onnx.NodeProto, types: Types) -> str | None:
    type_ = types.get(node.input[0])
    if type_ is None or onnx.helper.tensor_dtype_to_np_dtype(type_.tensor_type.elem_type).kind not in "iu":
        return None
    return "the negation of an integer would go through floats"


def _unscaled_gemm(node: onnx.NodeProto, types: Types) -> str | None:
    has_sum = len(node.input) > 2 and node.input[2]
    return None if has_sum or _attribute(node, "alpha", 1.0) == 1.0 else "alpha would be ignored without an operand C"


def _float_modulo(node: onnx.NodeProto, types: Types) -> str | None:
    type_ = types.get(node.input[0])
    floats = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16, onnx.TensorProto.DOUBLE)
    if type_ is not None and type_.tensor_type.elem_type in floats:
        return "the remainder of floats would lose its digits when the quotient is large"
    return None


def _cross_entropy(node: onnx.NodeProto, types: Types) -> str | None:
    if len(node.input) > 2 and node.input[2] and _attribute(node, "reduction", b"mean") == b"mean":
        return "reduction 'mean' with class weights would give wrong values"
    return None


_CHECKS: dict[str, Callable[[onnx.NodeProto, Types], str | None]] = {
    "BitShift": _bit_shift,
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic_quantize,
    "GRU": _recurrent,
    "Gemm": _unscaled_gemm,
    "GridSample": _grid_sample,
    "LSTM": _recurrent,
    "Mod": _float_modulo,
    "Neg": _integer_negation,
    "QLinearConv": _quantized_conv,
    "QLinearMatMul": _quantized_matmul,
    "RNN": _recurrent,
    "SoftmaxCrossEntropyLoss": _cross_entropy,
}


def refuse_known_faults(work: Work) -> None:
    """Refuse nodes whose import would be wrong and silent.

    Raises:
        UnsupportedOpError: Lists all of them.
    """
    found = []
    for graph, types in scopes(work.graph):
        for node in graph.node:
            check = _CHECKS.get(node.op_type)
            reason = check(node, types) if check is not None else None
            if reason is not None:
                name = work.origins.get(node.name, node.name)
                found.append(UnsupportedNode(name, node.op_type, "ai.onnx", reason))
    if found:
        # Several nodes may stand for one of the source.
        raise UnsupportedOpError(list(dict.fromkeys(found)), where=work.where)
