# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compute at import what depends on constants and static shapes only."""

from __future__ import annotations

import warnings
from math import prod

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from .infer import infer_shapes, known_types, static_shape
from .work import Work, node_uses, rename_uses, replace_nodes, subgraphs, to_array

_MAX_ROUNDS = 8
# A result may always be this large; beyond, it must not be larger than what it is made from.
_MAX_GROWN_BYTES = 1 << 20
# The reference evaluator is written for clarity, not speed.
_SLOW_OPS = frozenset({"Conv", "ConvTranspose", "MaxPool", "AveragePool", "LSTM", "GRU", "RNN"})
_MAX_SLOW_ELEMENTS = 1 << 14
# The result may be of any size, whatever the operands are: not without knowing its shape.
_GROWING_OPS = frozenset({"ConstantOfShape", "Expand", "OneHot", "Pad", "Range", "Resize", "Tile", "Upsample"})
_IMPURE_OPS = frozenset(
    {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli",
     "Multinomial", "Dropout"}
)  # fmt: skip
# Folding these would undo the quantisation of weights.
_QUANTIZE_OPS = frozenset({"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"})


def fold(work: Work) -> None:
    """Fold shapes, constants, `If` on a constant and `Identity`, until nothing changes.

    Raises:
        InputError: From shape inference.
    """
    for _ in range(_MAX_ROUNDS):
        infer_shapes(work)
        changed = _fold_once(work)
        if not changed:
            return
    infer_shapes(work)


def _fold_once(work: Work) -> bool:
    graph = work.graph
    types = known_types(graph)
    known = work.constants()
    outputs = {value.name for value in graph.output}
    kept: list[onnx.NodeProto] = []
    renames: dict[str, str] = {}
    changed = False
    for node in graph.node:
        _rename_node(node, renames)
        if node.domain not in ("", "ai.onnx"):
            kept.append(node)
            continue
        if node.op_type == "Identity" and node.output[0] not in outputs:
            renames[node.output[0]] = node.input[0]
            changed = True
            continue
        if node.op_type == "If" and node.input[0] in known:
            kept += _take_branch(work, node, bool(to_array(known[node.input[0]]).reshape(())))
            changed = True
            continue
        results = _evaluate(work, node, known, types)
        if results is None:
            kept.append(node)
            continue
        changed = True
        for name, value in zip(node.output, results, strict=False):
            if name:
                work.add_constant(name, value)
                known[name] = value
    if changed:
        replace_nodes(graph, kept)
    return changed


def _rename_node(node: onnx.NodeProto, renames: dict[str, str]) -> None:
    holder = onnx.GraphProto()
    if not renames or not any(name in renames for name in node_uses(node)):
        return
    holder.node.append(node)
    rename_uses(holder, renames)
    node.CopyFrom(holder.node[0])


def _evaluate(
    work: Work,
    node: onnx.NodeProto,
    known: dict[str, onnx.TensorProto | np.ndarray],
    types: dict[str, onnx.TypeProto],
) -> list[np.ndarray] | None:
    """Values of all outputs of a node, or None if they are not to be computed now."""
    if node.op_type in ("Shape", "Size"):
        return _shape_value(node, static_shape(types.get(node.input[0])))
    if node.op_type in _IMPURE_OPS or node.op_type in _QUANTIZE_OPS:
        return None
    if any(True for _ in subgraphs(node)) or any(name not in known for name in node.input if name):
        return None
    shapes = [static_shape(types.get(name)) for name in node.output if name]
    if node.op_type in _GROWING_OPS and None in shapes:
        return None
    grown = sum(prod(shape) * 8 for shape in shapes if shape is not None)
    inputs = {name: to_array(known[name]) for name in node.input if name}
    given = sum(value.nbytes for value in inputs.values())
    if grown > _MAX_GROWN_BYTES and grown > 2 * given:
        return None
    if node.op_type in _SLOW_OPS and sum(v.size for v in inputs.values()) > _MAX_SLOW_ELEMENTS:
        return None
    return _run(work, node, inputs)


def _shape_value(node: onnx.NodeProto, shape: tuple[int, ...] | None) -> list[np.ndarray] | None:
    if shape is None:
        return None
    if node.op_type == "Size":
        return [np.array(prod(shape), dtype=np.int64)]
    bounds = {attribute.name: int(attribute.i) for attribute in node.attribute}
    part = shape[bounds.get("start", 0) : bounds.get("end", len(shape))]
    return [np.array(part, dtype=np.int64)]


def _run(
    work: Work, node: onnx.NodeProto, inputs: dict[str, np.ndarray]
) -> list[np.ndarray] | None:
    """Run one node in the reference evaluator; None if it cannot."""
    names = [name for name in node.output if name]
    graph = onnx.helper.make_graph(
        [node],
        "fold",
        [
            onnx.helper.make_tensor_value_info(
                name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
            )
            for name, value in inputs.items()
        ],
        [onnx.helper.make_empty_tensor_value_info(name) for name in names],
    )
    model = onnx.helper.make_model(graph, opset_imports=list(work.model.opset_import))
    model.ir_version = work.model.ir_version
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            values = ReferenceEvaluator(model).run(None, inputs)
    except Exception:
        # The evaluator raises errors of any kind for what it lacks; not folding is always right.
        return None
    if not isinstance(values, list) or not all(_is_tensor(value) for value in values):
        return None
    by_name = dict(zip(names, values, strict=True))
    return [np.asarray(by_name[name]) if name else np.zeros(0) for name in node.output]


def _is_tensor(value: object) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in "OUS"


def _take_branch(work: Work, node: onnx.NodeProto, condition: bool) -> list[onnx.NodeProto]:
    """The nodes of the taken branch of an `If`, its values renamed to be unique in the graph."""
    wanted = "then_branch" if condition else "else_branch"
    branch = next(a.g for a in node.attribute if a.name == wanted)
    local: dict[str, str] = {}
    for tensor in branch.initializer:
        local[tensor.name] = f"{node.name}/{tensor.name}"
    for inner in branch.node:
        local.update({name: f"{node.name}/{name}" for name in inner.output if name})
    copies = [
        onnx.helper.make_node(
            "Identity", [local.get(value.name, value.name)], [name], name=f"{node.name}/{name}"
        )
        for value, name in zip(branch.output, node.output, strict=True)
    ]
    work.origins.update({copy.name: node.name for copy in copies})
    for tensor in branch.initializer:
        copy = onnx.TensorProto()
        copy.CopyFrom(tensor)
        copy.name = local[tensor.name]
        work.graph.initializer.append(copy)
    result = []
    for inner in branch.node:
        clone = onnx.NodeProto()
        clone.CopyFrom(inner)
        _rename_node(clone, local)
        for index, name in enumerate(clone.output):
            clone.output[index] = local.get(name, name)
        result.append(clone)
    return result + copies
