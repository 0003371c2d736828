# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instruction set as its TableGen records describe it, for tests that must cover all of it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from npu_mlir.cli.tools import tool_path

ROOT = Path(__file__).resolve().parents[3]
LIBRARIES = Path(sysconfig.get_paths()["purelib"])


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_isa", ROOT / "tools" / "scripts" / "generate_isa.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["generate_isa"] = module
    spec.loader.exec_module(module)
    return module


@cache
def description() -> Any:
    """The instructions, micro operations and codes (generate_isa.Description); skips without llvm-tblgen."""
    tblgen = LIBRARIES / "llvm" / "bin" / "llvm-tblgen"
    if not tblgen.is_file():
        pytest.skip(f"'{tblgen}' is missing; it comes with the LLVM wheel that the project is built against")
    generator = _generator()
    return generator.parse(generator.run_tblgen(str(tblgen), [str(LIBRARIES / "mlir" / "include")]))


def run_tool(tool: str, *arguments: str | Path) -> bytes:
    """Run a tool and return what it writes to standard output; any failure fails the test."""
    path = tool_path(tool)
    assert path is not None, f"{tool} is not in the package"
    done = subprocess.run([str(path), *map(str, arguments)], capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, f"{tool} {arguments}: {done.stderr.decode(errors='replace')[:2000]}"
    return done.stdout
