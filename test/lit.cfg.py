# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit configuration: .mlir tests of the dialects, passes and tools.

NPU_TOOLS_DIR names the folder with npu-opt; without it, the one of the installed package or of ./build is used.
NPU_CHECK_ROUNDTRIP=1 makes every npu-opt run also print, parse and compare its input.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

import lit.formats

config.name = "npu-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "e2e", "python", "unit"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = os.environ.get("NPU_TEST_OUTPUT", str(Path(__file__).parent.parent / "build" / "test"))


def tools_dir() -> str:
    """The folder that holds npu-opt."""
    build = str(Path(__file__).parent.parent / "build" / "bin")
    candidates = [os.environ.get("NPU_TOOLS_DIR"), build, sysconfig.get_path("scripts")]
    for folder in candidates:
        if folder and shutil.which("npu-opt", path=folder):
            return folder
    raise SystemExit(f"npu-opt not found in {[c for c in candidates if c]}: build the project or set NPU_TOOLS_DIR")


config.environment["PATH"] = os.pathsep.join([tools_dir(), str(Path(sys.executable).parent), os.environ["PATH"]])
if os.environ.get("NPU_CHECK_ROUNDTRIP") == "1":
    config.substitutions.append((r"\bnpu-opt\b", "npu-opt --verify-roundtrip"))
