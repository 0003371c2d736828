# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the tests of the command line: results of commands, and small ONNX models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DIGITS = Path(__file__).resolve().parents[3] / "examples" / "digits" / "digits.onnx"


@dataclass(frozen=True)
class Result:
    """What a command left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    def assert_error(self, code: int, *texts: str) -> None:
        """The command ended with `code` and one error in the documented form with these texts."""
        assert self.code == code, self.err
        assert "Traceback" not in self.err + self.out
        lines = [line for line in self.err.splitlines() if line.startswith("E-")]
        assert len(lines) == 1, self.err
        for text in texts:
            assert text in self.err, f"{text!r} is missing in:\n{self.err}"


Npu = Callable[..., Result]


def files_in(folder: Path) -> list[str]:
    """Names of everything in a folder, hidden files included."""
    return sorted(path.name for path in folder.iterdir())


def save_linear(path: Path, *, shape: Sequence[int | str] = (2, 4), weight: np.ndarray | None = None) -> None:
    """Write y = relu(x w + b) with w [4, 3]."""
    w = np.arange(12, dtype=np.float32).reshape(4, 3) / 8 if weight is None else weight
    b = np.array([0.5, -20.0, 1.0], np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"], name="matmul"),
        helper.make_node("Add", ["m", "b"], ["s"], name="add"),
        helper.make_node("Relu", ["s"], ["y"], name="relu"),
    ]
    save_graph(path, nodes, {"x": list(shape)}, {"y": [shape[0], 3]}, {"w": w, "b": b})


def save_graph(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, list[int | str]],
    outputs: dict[str, list[int | str]],
    weights: dict[str, np.ndarray] | None = None,
) -> None:
    """Write a float32 ONNX model of opset 17."""
    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in (weights or {}).items()],
    )
    domains = [("", 17), *sorted({(node.domain, 1) for node in nodes if node.domain})]
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(*d) for d in domains])
    model.ir_version = 8
    onnx.save(model, path)
