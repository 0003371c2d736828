# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""npu-run stops where it is told to, takes commands, and computes what it computes without stops."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cli_support import Npu, save_linear
from npu_mlir.cli.tools import tool_path


def npu_run(folder: Path, *arguments: str, commands: str = "") -> subprocess.CompletedProcess[str]:
    """Run npu-run on the package in a folder, with commands on standard input."""
    tool = tool_path("npu-run")
    assert tool is not None
    return subprocess.run(
        [str(tool), "p.npux", "--input", "x.npy", *arguments],
        cwd=folder,
        input=commands,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def folder(npu: Npu, tmp_path: Path) -> Path:
    """A folder with a package and its input."""
    save_linear(tmp_path / "m.onnx")
    assert npu("compile", "m.onnx", "--target", "tiny", "-o", "p.npux").code == 0
    np.save(tmp_path / "x.npy", np.array([[1, 2, 3, 4], [0, -1, 0.5, 2]], np.float32))
    return tmp_path


def test_a_session_shows_the_machine_and_changes_nothing(folder: Path) -> None:
    plain = npu_run(folder, "--json", "-", "--output", "out")
    stopped = npu_run(
        folder, "--json", "-", "--output", "out", "--break", "matmul", commands="p sram:0:8 f32\nbt\nhelp\ns\nc\n"
    )
    assert stopped.returncode == 0, stopped.stderr
    assert json.loads(stopped.stdout) == json.loads(plain.stdout)
    for text in ("breakpoint, starts", "of node 'matmul", "step, completed", "semaphores:", "print memory as hex"):
        assert text in stopped.stderr
    assert "(npu)" not in stopped.stderr


def test_the_end_of_the_commands_lets_the_run_go_on(folder: Path) -> None:
    result = npu_run(folder, "--step")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("step, completed") == 1


def test_quit_ends_the_run(folder: Path) -> None:
    result = npu_run(folder, "--step", commands="q\n")
    assert result.returncode == 2
    assert "stopped by the debugger" in result.stderr


def test_a_watchpoint_shows_the_old_and_the_new_bytes(folder: Path) -> None:
    plan = npu_run(folder, "--break", "matmul").stdout
    offset = plan.split("dst=sram[")[1].split("]")[0]
    result = npu_run(folder, "--watch", f"sram:{offset}:8", commands="c\n")
    assert result.returncode == 0, result.stderr
    assert "watchpoint, completed: " in result.stdout
    assert "was 00 00 00 00 00 00 00 00\n    is  00 00 80 3f 00 00 00 40" in result.stdout


def test_a_dump_holds_all_memories(folder: Path) -> None:
    result = npu_run(folder, "--dump-at", "matmul", "--dump-dir", "d")
    assert result.returncode == 0, result.stderr
    state = json.loads((folder / "d" / "state.json").read_text())
    assert state["schema"] == "npu.state/1"
    assert state["event"] == "complete"
    assert (folder / "d" / "sram.bin").stat().st_size > 0
    assert (folder / "d" / "acc.bin").stat().st_size > 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--break", "matmull"), "the nearest nodes are"),
        (("--break", "100000"), "there is no instruction 100000"),
        (("--watch", "sram:0"), "is no range of memory"),
        (("--watch", "sram:0x7fffffff:4"), "reaches past the end"),
        (("--watch", "heap:0:4"), "has no memory 'heap'"),
        (("--step", "--check"), "runs nothing that"),
    ],
)
def test_places_that_are_none_are_refused(folder: Path, flags: tuple[str, ...], message: str) -> None:
    result = npu_run(folder, *flags)
    assert result.returncode == 2
    assert message in result.stderr
