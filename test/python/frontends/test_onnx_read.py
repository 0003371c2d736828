# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading ONNX files: each kind of wrong file has its own words."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from npu_mlir.errors import InputError
from npu_mlir.frontends import load_model
from npu_mlir.frontends.onnx_prep.read import read_model
from small_onnx import matmul_relu


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"<!DOCTYPE html><html>", "HTML page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"\x89HDF\r\n", "HDF5"),
        (b"\x1c\0\0\0TFL3", "TensorFlow Lite"),
        (b"module {\n}\n", "MLIR text"),
        (b"\xff\xfe\xfd\xfc", "do not parse as ONNX"),
        (b"\x08\x08", "holds no ONNX graph"),
    ],
)
def test_wrong_files(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert words in str(caught.value)
    assert caught.value.exit_code == 2
    assert str(path) in str(caught.value)


def test_truncated(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    data = matmul_relu().SerializeToString()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="truncated or damaged"):
        load_model(path)


def test_missing_file_suggests_a_near_name(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"x")
    with pytest.raises(InputError) as caught:
        load_model(tmp_path / "modle.onnx")
    assert caught.value.what == "file not found"
    assert "model.onnx" in (caught.value.fix or "")


def test_folder(tmp_path: Path) -> None:
    folder = tmp_path / "m.onnx"
    folder.mkdir()
    with pytest.raises(InputError, match="is a folder"):
        load_model(folder)


def test_external_data(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(matmul_relu(), path, save_as_external_data=True, location="m.data", size_threshold=0)
    assert len(read_model(path).graph.initializer[0].raw_data) == 64 * 128 * 4
    (tmp_path / "m.data").unlink()
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert caught.value.code == "E-EXTDATA"


def test_external_data_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(matmul_relu(), path, save_as_external_data=True, location="m.data", size_threshold=0)
    with pytest.raises(InputError, match="not loaded"):
        load_model(onnx.load(path, load_external_data=False))


def test_invalid_model_names_the_rule() -> None:
    model = matmul_relu()
    model.graph.node[0].input[0] = "nothing"
    with pytest.raises(InputError) as caught:
        load_model(model)
    assert caught.value.code == "E-ONNX"
    assert "nothing" in (caught.value.why or "")
