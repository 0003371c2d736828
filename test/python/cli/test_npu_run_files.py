# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""npu-run writes over nothing that it reads, and says when its output is lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from cli_support import Npu, files_in, save_linear
from npu_mlir.cli.tools import tool_path

COMMANDS = [
    "p.npux --trace p.npux",
    "p.npux --input x.npy --trace x.npy",
    "p.npux --input x=x.npy --json x.npy",
    "p.npux --input x.npy --json linked/x.npy",
    "p.npux --input x.npy --json link.npy",
    "p.npux --input x.npy --json new --trace linked/new",
    "p.npux --input x.npy --json new --trace ./gone/../new",
    "p.npux --input y.npy --output .",
    "p.npux --input x.npy --output out --json out/y.npy",
]


def npu_run(folder: Path, command: str, stdout: int | None = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run npu-run in a folder."""
    tool = tool_path("npu-run")
    assert tool is not None
    return subprocess.run(
        [str(tool), *command.split()],
        cwd=folder,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(npu: Npu, tmp_path: Path) -> Path:
    """A folder with a package, inputs for it, and links."""
    save_linear(tmp_path / "m.onnx")
    assert npu("compile", "m.onnx", "--target", "tiny", "-o", "p.npux").code == 0
    for name in ("x", "y"):
        np.save(tmp_path / f"{name}.npy", np.ones((2, 4), np.float32))
    (tmp_path / "link.npy").symlink_to("x.npy")
    (tmp_path / "linked").symlink_to(".")
    (tmp_path / "out").mkdir()
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_written_over(folder: Path, command: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = npu_run(folder, command)
    assert result.returncode == 2, result.stderr
    assert "would be written over" in result.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert files_in(folder / "out") == []


def test_different_files_are_all_written(folder: Path) -> None:
    result = npu_run(folder, "p.npux --input x.npy --output out --json out/r --trace out/t")
    assert result.returncode == 0, result.stderr
    assert files_in(folder / "out") == ["r", "t", "y.npy"]
    assert npu_run(folder, "p.npux --input x.npy --json /dev/null --trace /dev/null").returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_output_is_an_error(folder: Path) -> None:
    with open("/dev/full", "w") as full:
        result = npu_run(folder, "p.npux --input x.npy", stdout=full.fileno())
    assert result.returncode == 2, result.stderr
    assert "standard output" in result.stderr
