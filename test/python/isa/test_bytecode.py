# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytecode of the npuisa dialect that says what no version of it says."""

from __future__ import annotations

import subprocess
from pathlib import Path

from npu_mlir.cli.tools import tool_path

PROGRAM = """
npuisa.program @p regions [<input, "x", 16 bytes, f32, [4]>] { npuisa.halt }
"""
# As a number of variable length in one byte: 96, which is no kind, role or element type.
UNKNOWN = 0xC1


def npu_opt(*arguments: str, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(tool_path("npu-opt")), *arguments], input=data, capture_output=True, timeout=10, check=False
    )


def test_unknown_numbers_are_named(tmp_path: Path) -> None:
    (tmp_path / "p.mlir").write_text(PROGRAM)
    file = tmp_path / "p.mlirbc"
    assert npu_opt(str(tmp_path / "p.mlir"), "--emit-bytecode", "-o", str(file)).returncode == 0
    data = file.read_bytes()
    # The strings stand at the end; before them the attribute begins with its kind, its role and its name.
    messages = []
    for place in range(64, data.index(b"builtin")):
        damaged = data[:place] + bytes([UNKNOWN]) + data[place + 1 :]
        (tmp_path / "damaged.mlirbc").write_bytes(damaged)
        try:
            result = npu_opt(str(tmp_path / "damaged.mlirbc"))
        except subprocess.TimeoutExpired:
            continue
        messages.append(result.stderr.decode(errors="replace"))
        if "a role and an element type" in messages[-1]:
            break
    text = "".join(messages)
    assert "expected an attribute of kind 0 in the bytecode of npuisa, but found 96" in text
    assert "expected a region with a role and an element type, but found the numbers 96 and 10" in text
