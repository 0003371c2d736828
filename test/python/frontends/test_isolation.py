# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is loaded when, and that ONNX import works in an environment without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import onnx
from small_onnx import matmul_relu


def test_package_loads_neither_torch_nor_onnx(package_env: dict[str, str]) -> None:
    code = (
        "import sys, npu_mlir.frontends, npu_mlir.errors\n"
        "print([m for m in ('torch', 'onnx', 'torch_mlir', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=package_env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_onnx_import_without_torch(tmp_path: Path, package_env: dict[str, str]) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('torch is not here')\n")
    model = tmp_path / "m.onnx"
    onnx.save(matmul_relu(), model)
    package_env["PYTHONPATH"] = f"{tmp_path}:{package_env['PYTHONPATH']}"
    code = (
        "import sys\n"
        "from npu_mlir.frontends import load_model\n"
        "imported = load_model(sys.argv[1])\n"
        "print('linalg.matmul' in imported.text, sorted(imported.weights))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(model)],
        env=package_env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True ['b', 'w']"
