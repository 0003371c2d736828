# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR files: the entry function and its signature."""

from __future__ import annotations

from pathlib import Path

import pytest
from npu_mlir.errors import InputError
from npu_mlir.frontends import ImportedModel, TensorSpec, load_model
from npu_mlir.mlir import ir

_IDENTITY = """
// func.func @wrong(%arg0: i32)
module attributes {test.a = "func.func @text("} {
  func.func private @helper(tensor<1xf32>)
  func.func @main(%arg0: tensor<4x8xf32> loc("x"), %b: tensor<bf16> {test.name = "a,b>(\\""},
                  %c: tensor<3xui8>) -> (tensor<4x8xf32> {test.x = 1 : i32}, tensor<2xi1>) {
    %0 = arith.constant dense<true> : tensor<2xi1>
    return %arg0, %0 : tensor<4x8xf32>, tensor<2xi1>
  }
}
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "m.mlir"
    path.write_text(text, encoding="utf-8")
    return path


def functions_of(imported: ImportedModel) -> list[str]:
    module = ir.Module.parse(imported.text, ir.Context())
    return [op.sym_name.value for op in module.body.operations]


def test_signature(tmp_path: Path) -> None:
    imported = load_model(write(tmp_path, _IDENTITY))
    assert imported.inputs == (
        TensorSpec("x", (4, 8), "float32"),
        TensorSpec("b", (), "bfloat16"),
        TensorSpec("c", (3,), "uint8"),
    )
    assert imported.outputs == (
        TensorSpec("result0", (4, 8), "float32"),
        TensorSpec("result1", (2,), "bool"),
    )
    assert imported.text == _IDENTITY
    assert (imported.source_kind, imported.weight_args) == ("mlir", {})


def test_the_only_public_function_is_renamed_to_main(tmp_path: Path) -> None:
    text = "func.func @net(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
    imported = load_model(write(tmp_path, text))
    assert functions_of(imported) == ["main"]
    assert imported.inputs[0].name == "x"


def test_entry_is_chosen_by_name(tmp_path: Path) -> None:
    text = "\n".join(
        f"func.func @{n}(%x: tensor<{s}xf32>) -> tensor<{s}xf32> {{ return %x : tensor<{s}xf32> }}"
        for n, s in (("a", 2), ("ab", 3))
    )
    path = write(tmp_path, text)
    imported = load_model(path, entry="ab")
    assert imported.inputs[0].shape == (3,)
    assert functions_of(imported) == ["a", "main"]
    with pytest.raises(InputError, match="no function @main") as caught:
        load_model(path)
    assert "@a, @ab" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("module {}", "no func.func"),
        ("func.func @main(%x: tensor<?x4xf32>) { return }", "'x' is tensor<?x4xf32>"),
        ("func.func @main(%x: i32) { return }", "'x' has the type i32"),
        ("func.func @main(%x: memref<4xf32>) { return }", "is not a tensor"),
        ("func.func @main(%x: tensor<4xcomplex<f32>>) { return }", "element type"),
        ("func.func @main(%x: tensor<4xf32>", "expected ')' (line 1, column 33)"),
        ("func.func private @main(tensor<4xf32>)", "no function @main with a body"),
        ('func.func @main() { "no.such"() : () -> () return }', "unregistered"),
        ("func.func @main() { %x = arith.addf %x, %x : i32 return }", "line 1, column"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        load_model(write(tmp_path, text))
    assert words in str(caught.value)
    assert "see current operation" not in str(caught.value)


def test_text_that_crashes_the_parser(tmp_path: Path) -> None:
    # MLIR asserts that the groups of dimensions make sense before it checks that they do.
    path = write(
        tmp_path,
        "func.func @f(%m: tensor<4x16xf32>) -> tensor<1x4x16xf32> {"
        "%w = tensor.expand_shape %m [[0, 1], [9223372036854775807]] output_shape [1, 4, 16]"
        " : tensor<4x16xf32> into tensor<1x4x16xf32> return %w : tensor<1x4x16xf32> }",
    )
    with pytest.raises(InputError, match="crashes on this file"):
        load_model(path)
    assert load_model(write(tmp_path, _IDENTITY)).source_kind == "mlir"


def test_bytecode(tmp_path: Path) -> None:
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
    path = tmp_path / "m.mlirbc"
    with path.open("wb") as file:
        ir.Module.parse(text, ir.Context()).operation.write_bytecode(file)
    imported = load_model(path)
    assert imported.inputs == (TensorSpec("arg0", (2,), "float32"),)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="does not parse"):
        load_model(path)


def test_neither_text_nor_bytecode(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="neither text nor bytecode"):
        load_model(path)
