# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs single ONNX nodes in float64.

Linear operators and data movement go through `onnx.reference`, whose numpy code keeps float64. The
operators that it lacks, rounds to float32 inside, or gives another opset's meaning are computed
here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .formats import FloatArray
from .metrics import AnyArray

if TYPE_CHECKING:
    import onnx

Operand = AnyArray | None

_ERF = np.frompyfunc(math.erf, 1, 1)


def attributes(node: onnx.NodeProto) -> dict[str, Any]:
    """The attributes of ``node`` as Python values (tensors as numpy arrays, strings decoded)."""
    import onnx
    from onnx import helper, numpy_helper

    out: dict[str, Any] = {}
    for attribute in node.attribute:
        value = helper.get_attribute_value(attribute)
        if isinstance(value, onnx.TensorProto):
            value = numpy_helper.to_array(value)
        elif isinstance(value, bytes):
            value = value.decode()
        out[attribute.name] = value
    return out


def erf(x: FloatArray) -> FloatArray:
    """Error function of every element, in float64."""
    return np.asarray(_ERF(x), dtype=np.float64)


class NodeRunner:
    """One node, prepared to run many times on other operands.

    Args:
        node: the node. Its subgraphs may read tensors of the outer graph.
        opsets: opset version by domain.
    """

    def __init__(self, node: onnx.NodeProto, opsets: dict[str, int]) -> None:
        self.node = node
        self.attributes = attributes(node)
        self.opset = opsets.get(node.domain, 1)
        self._opsets = opsets
        self._evaluators: dict[str, Any] = {}
        self.captured = _captured_names(node)

    def run(
        self,
        operands: Sequence[Operand],
        captured: dict[str, AnyArray] | None = None,
        op_type: str = "",
    ) -> list[AnyArray]:
        """Run the node.

        Args:
            operands: one array per input of the node; None where an optional input is left out.
            captured: values of the outer tensors that subgraphs read (`captured` names them).
            op_type: run this operator in place of the node's own, with the same attributes.

        Returns:
            One array per output of the node.

        Raises:
            ValueError: an output is a sequence.
        """
        names = [f"x{i}" if value is not None else "" for i, value in enumerate(operands)]
        # The evaluator depends on which optional inputs are there, so that is part of the key.
        key = op_type + "|" + ",".join(names)
        if key not in self._evaluators:
            self._evaluators[key] = self._build(names, op_type)
        feed: dict[str, Any] = {n: v for n, v in zip(names, operands, strict=True) if v is not None}
        feed.update(captured or {})
        results = self._evaluators[key].run(None, feed)
        if any(isinstance(r, list) for r in results):
            raise ValueError(
                f"node '{self.node.name}' gives a sequence, and only tensors have bounds"
            )
        return [np.asarray(r) for r in results]

    def _build(self, names: list[str], op_type: str) -> Any:
        import onnx
        from onnx import TensorProto, helper
        from onnx.reference import ReferenceEvaluator

        node = onnx.NodeProto()
        node.CopyFrom(self.node)
        node.op_type = op_type or node.op_type
        del node.input[:]
        node.input.extend(names)
        inputs = [
            helper.make_tensor_value_info(n, TensorProto.DOUBLE, None)
            for n in [*names, *self.captured]
            if n
        ]
        outputs = [
            helper.make_tensor_value_info(n, TensorProto.DOUBLE, None) for n in node.output if n
        ]
        graph = helper.make_graph([node], "node", inputs, outputs)
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(d, v) for d, v in self._opsets.items()],
        )
        return ReferenceEvaluator(model)


def _captured_names(node: onnx.NodeProto) -> list[str]:
    """Names that the subgraphs of ``node`` read from outside, in order of first use."""
    found: dict[str, None] = {}

    def visit(graph: onnx.GraphProto, outer: set[str]) -> None:
        known = outer | {i.name for i in graph.input} | {i.name for i in graph.initializer}
        for inner in graph.node:
            found.update((name, None) for name in inner.input if name and name not in known)
            for attribute in inner.attribute:
                if attribute.HasField("g"):
                    visit(attribute.g, known)
            known |= set(inner.output)
        found.update((out.name, None) for out in graph.output if out.name not in known)

    for attribute in node.attribute:
        if attribute.HasField("g"):
            visit(attribute.g, set())
    return list(found)
