# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of README.md run.

A comment before a code block says what to do with it: `<!-- run -->` runs it, `<!-- file: NAME -->`
saves it. All blocks share a folder in which `examples` is that of the project.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import npu_mlir
import pytest
from npu_mlir.cli.tools import TOOLS, tool_path

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"<!-- (?P<what>run|file: (?P<file>\S+)) -->\n```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A code block: its language, its text, and the name to save it under, if it is not run."""

    language: str
    code: str
    file: str | None


def blocks() -> list[Block]:
    """The marked blocks in order."""
    return [Block(m["language"], m["code"], m["file"]) for m in BLOCK.finditer(README)]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH has the commands of the package and of this Python."""
    commands = tmp_path / "bin"
    commands.mkdir()
    python = shlex.quote(sys.executable)
    starts = {"npu": f"exec {python} -m npu_mlir.cli.main"}
    starts |= {tool: f"exec {shlex.quote(str(tool_path(tool)))}" for tool in TOOLS if tool_path(tool)}
    starts |= {"lit": f"exec {python} -m lit.main", "filecheck": f"exec {python} -m filecheck"}
    for name, start in starts.items():
        (commands / name).write_text(f'#!/bin/sh\n{start} "$@"\n')
        (commands / name).chmod(0o755)
    path = os.pathsep.join([str(commands), str(Path(sys.executable).parent), os.environ["PATH"]])
    package = str(Path(npu_mlir.__path__[0]).parent)
    return os.environ | {"PATH": path, "PYTHONPATH": package}


def test_every_kind_of_use_has_an_example() -> None:
    assert {b.language for b in blocks() if b.file is None} == {"sh", "python"}
    assert [b for b in blocks() if b.language == "mlir"]


def test_all_examples_run(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "examples").symlink_to(ROOT / "examples")
    for block in blocks():
        if block.file is not None:
            (folder / block.file).write_text(block.code, encoding="utf-8")
            continue
        command = {"sh": ["sh", "-ex", "-c"], "python": [sys.executable, "-c"]}[block.language]
        result = subprocess.run(
            [*command, block.code],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{block.code}\n{result.stdout}\n{result.stderr}"
