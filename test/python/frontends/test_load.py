# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `load_model` takes a model to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from npu_mlir.errors import InputError, MissingExtraError
from npu_mlir.frontends import load, load_model
from small_onnx import matmul_relu


def test_not_a_model() -> None:
    with pytest.raises(InputError) as caught:
        load_model(3)
    assert "builtins.int" in str(caught.value)


def test_unknown_suffix(tmp_path: Path) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(b"x")
    with pytest.raises(InputError, match="kind of this file"):
        load_model(path)


def test_missing_file_without_suffix() -> None:
    with pytest.raises(InputError, match="file not found"):
        load_model("there-is-nothing-here")


def test_an_imported_model_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text("func.func @main(%x: tensor<2xf32>) { return }")
    imported = load_model(path)
    assert load_model(imported) is imported


def test_function_in_a_file(tmp_path: Path) -> None:
    onnx.save(matmul_relu(), tmp_path / "m.onnx")
    path = tmp_path / "factory_for_test.py"
    path.write_text(f"def make():\n    return {str(tmp_path / 'm.onnx')!r}\n")
    imported = load_model(f"{path}:make")
    assert imported.source_kind == "onnx"
    with pytest.raises(InputError, match="no function 'nothing'"):
        load_model(f"{path}:nothing")


def test_function_with_inputs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "net_for_test.py"
    path.write_text(
        "import torch\ndef make():\n    return torch.nn.ReLU().eval(), (torch.ones(2, 3),)\n"
    )
    assert load_model(f"{path}:make").inputs[0].shape == (2, 3)


def test_module_that_does_not_exist() -> None:
    with pytest.raises(InputError, match="cannot be imported"):
        load_model("no_such_package.net:make")


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("m.onnx", "onnx", "onnx"), ("m.pt2", "torch", "torch")]
)
def test_missing_packages_name_the_command(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str
) -> None:
    monkeypatch.setattr(load.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError) as caught:
        load_model(name)
    assert caught.value.package == package
    assert caught.value.fix == f"pip install 'npu-mlir[{extra}]'"


def test_entry_is_for_mlir_only() -> None:
    with pytest.raises(InputError, match="entry function is given"):
        load_model(matmul_relu(), entry="f")


def test_zero_size(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text("func.func @main(%x: tensor<2x0xf32>) { return }")
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert caught.value.code == "E-ZEROSIZE"
    assert "input 'x' has the shape [2, 0]" in str(caught.value)


def test_nan_weight() -> None:
    model = matmul_relu()
    weight = onnx.numpy_helper.to_array(model.graph.initializer[0]).copy()
    weight[3, 4] = float("nan")
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(weight, "w"))
    with pytest.raises(InputError) as caught:
        load_model(model)
    assert caught.value.code == "E-NANWEIGHT"
    assert "weight 'w': 1 of 8192 elements are NaN" in str(caught.value)


def test_nan_in_a_small_weight() -> None:
    # It stays inside the text of the module; it is refused all the same.
    model = matmul_relu()
    scale = np.array([np.nan], np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(scale, "scale"))
    model.graph.node.append(onnx.helper.make_node("Mul", ["y", "scale"], ["z"], name="scaled"))
    model.graph.output[0].name = "z"
    with pytest.raises(InputError, match="weight 'scale': 1 of 1 elements are NaN"):
        load_model(model)

