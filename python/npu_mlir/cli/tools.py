# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry points of the LLVM-style tools: each replaces this process by the executable of the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

BIN = Path(__file__).resolve().parents[1] / "bin"


def _exec(tool: str) -> NoReturn:
    path = BIN / tool
    if not path.exists():
        sys.exit(f"{tool}: error: {path} is missing: reinstall npu-mlir")
    os.execv(path, [tool, *sys.argv[1:]])


def npu_opt() -> NoReturn:
    """Run npu-opt: passes and pipelines on .mlir files."""
    _exec("npu-opt")


def npu_translate() -> NoReturn:
    """Run npu-translate: between npuisa text, binary and assembly."""
    _exec("npu-translate")


def npu_run() -> NoReturn:
    """Run npu-run: compiled models and programs on the simulator."""
    _exec("npu-run")


def npu_lsp_server() -> NoReturn:
    """Run npu-lsp-server: the language server for .mlir files."""
    _exec("npu-lsp-server")
