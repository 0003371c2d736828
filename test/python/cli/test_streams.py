# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Standard streams that are closed, full, or cannot show a character."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import npu_mlir
import pytest
from cli_support import files_in, save_graph, save_linear
from onnx import helper


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a model."""
    save_linear(tmp_path / "m.onnx")
    return tmp_path


def shell(folder: Path, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in a folder; `npu` in it is the command."""
    root = str(Path(npu_mlir.__path__[0]).parent)
    npu = f"{shlex.quote(sys.executable)} -m npu_mlir"
    return subprocess.run(
        ["sh", "-c", f'npu() {{ {npu} "$@"; }}; {command}'],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": root} | environment,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


UNWRITABLE = [
    "npu target list >&-",
    "npu target list >/dev/full",
    "npu --version >/dev/full",
    "npu compile --help >&-",
    "npu target list -q --json - >/dev/full",
    "npu target list --json - >&-",
    "npu target list -q --json /dev/full",
    "npu run m.onnx --target tiny >/dev/full",
    "npu run m.onnx --target tiny -q --trace /dev/full",
    "npu compile m.onnx --target tiny --emit npu >/dev/full",
    "npu compile m.onnx --target tiny --emit asm -o /dev/full",
]


@pytest.mark.parametrize("command", UNWRITABLE)
def test_an_output_that_cannot_be_written_is_no_fault_of_the_tool(folder: Path, command: str) -> None:
    result = shell(folder, command)
    assert result.returncode == 2, result.stderr
    assert result.stderr.count("E-") == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr
    assert files_in(folder) == ["m.onnx"]


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full", ">/dev/null 2>&-"])
def test_without_standard_error_the_code_still_tells(folder: Path, where: str) -> None:
    assert shell(folder, f"npu run m.onnx --target tiny {where}").returncode == 0
    assert shell(folder, f"npu run missing.onnx {where}").returncode == 2


def test_a_closed_stream_spoils_no_file(folder: Path) -> None:
    assert shell(folder, "npu compile m.onnx --target tiny -q -o a.npux >&- 2>&-").returncode == 0
    assert shell(folder, "npu compile m.onnx --target tiny -q -o b.npux").returncode == 0
    assert (folder / "a.npux").read_bytes() == (folder / "b.npux").read_bytes()


def test_a_reader_that_is_gone_is_no_error(folder: Path) -> None:
    result = shell(folder, "(npu target show tiny; echo code $? >&2) | true")
    assert "code 0" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_characters_that_a_terminal_lacks_are_escaped(folder: Path, encoding: str) -> None:
    node = helper.make_node("Relu", ["x"], ["\u540d\u524d"], name="\u540d")
    save_graph(folder / "n.onnx", [node], {"x": [4]}, {"\u540d\u524d": [4]})
    result = shell(folder, "npu run n.onnx --target tiny", PYTHONIOENCODING=encoding)
    assert result.returncode == 0, result.stderr
    assert ("\u540d\u524d" if encoding == "utf-8" else "\\u540d\\u524d") in result.stdout
