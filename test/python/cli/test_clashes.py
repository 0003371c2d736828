# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No output is written over an input or over another output."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from cli_support import Npu, files_in, save_linear
from npu_mlir.cli import target_command

COMMANDS = [
    "compile m.onnx -o m.onnx",
    "compile m.onnx --json m.onnx",
    "compile m.onnx -o link.onnx",
    "compile m.onnx -o hard.onnx",
    "compile m.onnx -o ../{here}/m.onnx",
    "compile m.onnx --target t.yaml -o t.yaml",
    "compile m.onnx --target t.yaml --json t.yaml",
    "compile m.onnx --json m.npux",
    "compile m.onnx -o new --json new",
    "compile m.onnx -o new --json linked/new",
    "compile big.onnx -o big.data",
    "compile big.onnx --json big.data",
    "compile in.mlir --dump-dir .",
    "compile m.onnx -o index.md --dump-dir .",
    "dump in.mlir -o .",
    "dump m.onnx -o new --json new/index.json",
    "run m.onnx --trace m.onnx",
    "run m.onnx --json m.onnx",
    "run m.onnx --input x.npy --trace x.npy",
    "run m.onnx --input x=x.npy --json x.npy",
    "run m.onnx --target t.yaml --trace t.yaml",
    "run m.onnx --json new --trace new",
    "run m.onnx --compare-with ref.onnx --trace ref.onnx",
    "run m.onnx --input y.npy -o .",
    "run m.onnx -o . --trace y.npy",
    "run m.onnx -o linked --json y.npy",
    "run f.py:f --trace f.py",
    "run f:f --trace f.py",
    "target check t.yaml --json t.yaml",
    "target show t.yaml --json t.yaml",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file of each kind, as the commands above name them."""
    save_linear(tmp_path / "m.onnx")
    (tmp_path / "ref.onnx").write_bytes((tmp_path / "m.onnx").read_bytes())
    model = onnx.load(tmp_path / "m.onnx")
    onnx.save(model, tmp_path / "big.onnx", save_as_external_data=True, location="big.data", size_threshold=0)
    (tmp_path / "link.onnx").symlink_to("m.onnx")
    os.link(tmp_path / "m.onnx", tmp_path / "hard.onnx")
    (tmp_path / "linked").symlink_to(".")
    for name in ("x", "y"):
        np.save(tmp_path / f"{name}.npy", np.ones((2, 4), np.float32))
    (tmp_path / "t.yaml").write_text(target_text())
    (tmp_path / "f.py").write_text("def f():\n    raise AssertionError('the work has begun')\n")
    (tmp_path / "in.mlir").write_text("module {}\n")
    return tmp_path


def target_text() -> str:
    """A valid target file."""
    values = target_command.read_target("tiny").values
    return "".join(f"{key}: {str(value).replace(chr(39), '')}\n" for key, value in values.items())


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_written_over(npu: Npu, folder: Path, command: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = npu(*command.format(here=folder.name).split())
    result.assert_error(2, "E-SAME")
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_the_report_of_a_clash_goes_to_a_file_that_is_free(npu: Npu, folder: Path) -> None:
    npu("run", "m.onnx", "--trace", "m.onnx", "--json", "r.json").assert_error(2, "E-SAME", "--trace", "the model")
    assert '"E-SAME"' in (folder / "r.json").read_text()


def test_devices_take_many_results(npu: Npu, folder: Path) -> None:
    result = npu("run", "m.onnx", "--target", "tiny", "--trace", "/dev/null", "--json", "/dev/null", "-q")
    assert result.code == 0, result.err


def test_names_of_outputs_are_cut_and_kept_apart(npu: Npu, tmp_path: Path) -> None:
    names = ["n" * 300, "n" * 300 + "2", "\u00e9" * 200, "A", "a"]
    nodes = [onnx.helper.make_node("Relu", ["x"], [name]) for name in names]
    graph = onnx.helper.make_graph(
        nodes,
        "graph",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [4])],
        [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4]) for name in names],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "m.onnx")
    result = npu("run", "m.onnx", "--target", "tiny", "-o", "out")
    assert result.code == 0, result.err
    assert files_in(tmp_path / "out") == sorted(
        f"{stem}.npy" for stem in ("n" * 200, "n" * 200 + "_", "\u00e9" * 100, "A", "a_")
    )


def test_the_longest_name_can_be_written(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    result = npu("compile", "m.onnx", "--target", "tiny", "-o", "p" * 250 + ".npux")
    assert result.code == 0, result.err
    npu("compile", "m.onnx", "--target", "tiny", "-o", "p" * 300).assert_error(2, "E-OUTPUT")


@pytest.mark.parametrize("model", [":", "a" * 5000, "a" * 5000 + ".onnx", "a" * 5000 + ":f", "a\0b.onnx"])
def test_models_with_impossible_names(npu: Npu, tmp_path: Path, model: str) -> None:
    for command in ("compile", "run"):
        npu(command, model).assert_error(2, "E-")
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("flags", ["--input", "--target", "--compare-with", "-o", "--trace", "--json"])
def test_flags_with_impossible_names(npu: Npu, tmp_path: Path, flags: str) -> None:
    save_linear(tmp_path / "m.onnx")
    for name in ("a" * 5000, "x=" + "a" * 300):
        npu("run", "m.onnx", flags, name).assert_error(2, "E-")
    assert files_in(tmp_path) == ["m.onnx"]
