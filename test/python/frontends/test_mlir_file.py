# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR files: the entry function and its signature."""

from __future__ import annotations

from pathlib import Path

import pytest
from npu_mlir.errors import InputError
from npu_mlir.frontends import TensorSpec, load_model

_IDENTITY = """
// func.func @wrong(%arg0: i32)
module attributes {a = "func.func @text("} {
  func.func private @helper(tensor<1xf32>)
  func.func @main(%arg0: tensor<4x8xf32> loc("x"), %b: tensor<bf16> {npu.name = "a,b>(\\""},
                  %c: tensor<3xui8>) -> (tensor<4x8xf32> {npu.x = 1 : i32}, tensor<2xi1>) {
    %0 = arith.constant dense<true> : tensor<2xi1>
    return %arg0, %0 : tensor<4x8xf32>, tensor<2xi1>
  }
}
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "m.mlir"
    path.write_text(text, encoding="utf-8")
    return path


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
    assert "@main(" in imported.text
    assert "@net" not in imported.text


def test_entry_is_chosen_by_name(tmp_path: Path) -> None:
    text = "\n".join(
        f"func.func @{n}(%x: tensor<{s}xf32>) -> tensor<{s}xf32> {{ return %x : tensor<{s}xf32> }}"
        for n, s in (("a", 2), ("ab", 3))
    )
    path = write(tmp_path, text)
    imported = load_model(path, entry="ab")
    assert imported.inputs[0].shape == (3,)
    assert "@main(" in imported.text and "@a(" in imported.text
    with pytest.raises(InputError, match="no function @main") as caught:
        load_model(path)
    assert "@a, @ab" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("module {}", "no func.func"),
        ("func.func @main(%x: tensor<?x4xf32>) { return }", "dynamic shapes"),
        ("func.func @main(%x: i32) { return }", "is not a tensor"),
        ("func.func @main(%x: memref<4xf32>) { return }", "is not a tensor"),
        ("func.func @main(%x: tensor<4xcomplex64>) { return }", "element type"),
        ("func.func @main(%x: tensor<4xf32>", "ends inside"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        load_model(write(tmp_path, text))
    assert words in str(caught.value)


def test_bytecode(tmp_path: Path) -> None:
    path = tmp_path / "m.mlirbc"
    path.write_bytes(b"ML\xefR\x0d")
    with pytest.raises(InputError, match="is not text"):
        load_model(path)
