# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ruff finds nothing in the Python sources, mypy --strict nothing in the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def run_module(*command: str) -> None:
    """Run a Python module in the root of the project; it has to find nothing."""
    result = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff() -> None:
    run_module("ruff", "check", "--no-cache", ".")


def test_mypy(tmp_path: Path) -> None:
    run_module("mypy", "--cache-dir", str(tmp_path), "python/npu_mlir")
