# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensors of a device program have the names of the model, down to its file and its assembly."""

from __future__ import annotations

import re
from pathlib import Path

import npu_mlir as npu
import numpy as np
import onnx
import pytest
from npu_mlir.mlir import ir
from npu_mlir.mlir._mlir_libs import _npu
from onnx import helper, numpy_helper


def product(x: str, w: str, y: str) -> onnx.ModelProto:
    """y = x w, w large enough to be no text."""
    weight = np.random.default_rng(0).standard_normal((32, 48), np.float32)
    infos = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s) for n, s in ((x, (4, 32)), (y, (4, 48)))]
    node = helper.make_node("MatMul", [x, w], [y], name="the product")
    graph = helper.make_graph([node], "g", infos[:1], infos[1:], [numpy_helper.from_array(weight, w)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def regions(assembly: str) -> dict[str, str]:
    """Name as the assembly spells it, to role."""
    return {name: role for role, name in re.findall(r'^region \d+ (\w+) "((?:[^"\\]|\\.)*)"', assembly, re.MULTILINE)}


@pytest.mark.parametrize(
    "names", [("image", "fc.weight", "logits"), ("/in/x:0", "/fc/w [0]", "a b"), ("ä", "w;", "β=1")]
)
def test_regions_have_the_names_of_an_onnx_model(names: tuple[str, str, str], tmp_path: Path) -> None:
    exe = npu.compile(product(*names), target="tiny")
    spelled = regions(exe.assembly())
    assert {role: name for name, role in spelled.items()} | {"arena": ""} == {
        **dict(zip(("input", "constant", "output"), names, strict=True)), "arena": ""
    }
    program = next(op for op in exe.ir("npuisa").body.operations if op.operation.name == "npuisa.program")
    data = _npu.encode_program(program.operation)
    assert _npu.assemble(_npu.disassemble(data)) == data
    exe.save(tmp_path / "m.npux")
    assert npu.load(tmp_path / "m.npux").assembly() == exe.assembly()


def test_a_name_in_a_module_goes_before_that_of_its_argument(tmp_path: Path) -> None:
    text = """func.func @main(%a: tensor<8xf32> {npu.name = "said"}, %b: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %r = linalg.add ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>
    }"""
    path = tmp_path / "m.mlir"
    path.write_text(text, encoding="utf-8")
    exe = npu.compile(path, target="tiny")
    assert [name for name, role in regions(exe.assembly()).items() if role == "input"] == ["said", exe.inputs[1].name]
    assert isinstance(exe.ir("linalg"), ir.Module)
    ones = np.ones(8, np.float32)
    for level in ("linalg", "npu", "buffers", "npuisa"):
        assert np.array_equal(exe.run([ones, ones], level=level)[0], 2 * ones)


def test_regions_have_the_names_of_a_torch_model() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Conv2d(8, 16, 3, bias=False)).eval()
    exe = npu.compile(model, inputs=[torch.zeros(1, 8, 6, 6)], target="tiny")
    spelled = regions(exe.assembly())
    assert spelled["0.weight"] == "constant"
    assert spelled[exe.inputs[0].name] == "input"
