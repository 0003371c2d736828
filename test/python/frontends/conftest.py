# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the front-end tests: where the package is, and the marker of slow ones."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

_SOURCE = Path(__file__).resolve().parents[3] / "python"
sys.path.insert(0, str(Path(__file__).resolve().parent))
if importlib.util.find_spec("npu_mlir") is None:
    sys.path.insert(0, str(_SOURCE))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a few seconds")


@pytest.fixture
def package_env() -> dict[str, str]:
    """Environment in which a child process finds the package under test."""
    import npu_mlir

    root = str(Path(npu_mlir.__path__[0]).resolve().parent)
    path = os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p)
    return {**os.environ, "PYTHONPATH": path}
