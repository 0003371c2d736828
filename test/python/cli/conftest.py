# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of the tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import DIGITS, Npu, Result
from npu_mlir.cli.main import main


@pytest.fixture
def npu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Npu:
    """Run `npu` with arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Result:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def digits(tmp_path: Path) -> Path:
    """A copy of the digits model, as a relative path."""
    (tmp_path / "digits.onnx").write_bytes(DIGITS.read_bytes())
    return Path("digits.onnx")
