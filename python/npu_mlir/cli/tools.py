# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry points of the LLVM-style tools: each becomes the executable of the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

TOOLS = ("npu-opt", "npu-translate", "npu-run", "npu-lsp-server")


def tool_path(tool: str) -> Path | None:
    """The executable of a tool: in the installed package, or in the build folder around it."""
    import npu_mlir

    package = Path(npu_mlir.__path__[0])
    for folder in (package / "bin", package.parents[1] / "bin"):
        if (folder / tool).is_file():
            return folder / tool
    return None


def _exec(tool: str) -> NoReturn:
    path = tool_path(tool)
    if path is None:
        sys.exit(f"{tool}: error: the executable is missing; fix: pip install --force-reinstall npu-mlir")
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
