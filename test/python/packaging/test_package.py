# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package: what it loads, what it offers, what its metadata say."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import npu_mlir
import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(npu_mlir.__path__[0])


def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that finds the package."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "statement",
    [
        "import npu_mlir",
        "from npu_mlir import InputError, UnsupportedOpError",
        "import npu_mlir.frontends",
        "import npu_mlir.compare",
        "import npu_mlir.cli.main",
    ],
)
def test_imports_load_neither_frameworks_nor_the_compiler(statement: str) -> None:
    code = (
        f"{statement}\n"
        "import sys\n"
        "heavy = {'torch', 'torch_mlir', 'onnx', 'onnxruntime', 'npu_mlir.mlir'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)\n"
    )
    result = run_python(code)
    assert result.returncode == 0, result.stderr


def test_every_public_name_resolves_and_is_documented() -> None:
    for name in npu_mlir.__all__:
        value = getattr(npu_mlir, name)
        assert value.__doc__, name
        assert name in dir(npu_mlir)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'compyle'"):
        _ = npu_mlir.compyle


def test_the_version_is_that_of_the_metadata() -> None:
    assert npu_mlir.__version__ == project()["project"]["version"]


def test_every_console_script_leads_to_a_function() -> None:
    scripts = project()["project"]["scripts"]
    assert set(scripts) == {"npu", "npu-opt", "npu-translate", "npu-run", "npu-lsp-server"}
    for entry in scripts.values():
        module, _, function = entry.partition(":")
        assert callable(getattr(import_module(module), function))


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "mlir" / "_mlir_libs" / "_mlir" / "ir.pyi").is_file()


def test_torch_is_no_dependency_of_the_core() -> None:
    names = " ".join(project()["project"]["dependencies"])
    assert "torch" not in names
    assert "onnx" not in names


def test_every_dependency_has_a_tested_range() -> None:
    table = project()["project"]
    groups = [table["dependencies"], *table["optional-dependencies"].values()]
    for requirement in (r for group in groups for r in group):
        own = requirement.startswith("npu-mlir[")
        assert own or any(sign in requirement for sign in ("==", ">=")), requirement
