# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a type checker knows about the package from its stubs: a user's script under mypy --strict."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import npu_mlir
import pytest

PACKAGE = Path(npu_mlir.__path__[0])

SCRIPT = '''\
import numpy as np
import npu_mlir as npu
from npu_mlir.mlir import ir
from npu_mlir.mlir._mlir_libs import _npu
from npu_mlir.mlir.dialects import npu as npu_d
from npu_mlir.mlir.dialects import npuisa as npuisa_d


def accumulate(module: ir.Module) -> list[str]:
    """Names of operands of matrix products; each product gets a twin that adds to its init."""
    names = []
    for op in module.body.operations:
        if isinstance(op, npu_d.MatmulOp):
            twin = npu_d.MatmulOp([op.init.type], op.lhs, op.rhs, [], op.init, accumulate=True, loc=op.location)
            names += [twin.lhs.get_name(), op.rhs.get_name()]
        elif isinstance(op, npuisa_d.ProgramOp):
            names.append(op.sym_name.value + _npu.disassemble(_npu.encode_program(op.operation)))
    return names


exe = npu.compile("digits.onnx", target="mobile", shapes={"image": [1, 1, 8, 8]})
m = exe.ir("npu")
print(accumulate(m), m.operation.get_asm(), npu_d.Queue.LD.name)
print(exe.profile(np.zeros((1, 1, 8, 8), np.float32)).cycles, exe(np.zeros(3)))
for output in _npu.jit_module(m, entry="main").run([np.zeros(3)]):
    print(output.shape)
'''


def check(script: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run mypy --strict on a user's script beside the package, not on the package."""
    script.write_text(code, encoding="utf-8")
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            "--cache-dir",
            str(script.parent / "cache"),
            script.name,
        ],
        cwd=script.parent,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_script_is_clean_and_its_mistakes_are_found(tmp_path: Path) -> None:
    script = tmp_path / "user.py"
    result = check(script, SCRIPT)
    assert result.returncode == 0, result.stdout + result.stderr

    mistakes = [
        "exe.ir(1)",
        "m.body.operation",
        "npu_d.MatmulOp([], 1, 2, [], 3)",
        "npu_d.matmul([], m, m, [], m)",
        "npuisa_d.Queue.XX",
        '_npu.assemble(b"")',
        '_npu.read_package(b"").run([], perturb="1")',
        '_npu.load_target("tiny")[3]',
    ]
    first = SCRIPT.count("\n") + 1
    result = check(script, SCRIPT + "\n".join(mistakes) + "\n")
    found = {int(line) for line in re.findall(r"user\.py:(\d+): error", result.stdout)}
    assert found == set(range(first, first + len(mistakes))), result.stdout + result.stderr


@pytest.mark.parametrize("module", ["_npu", "_site_initialize_0"])
def test_the_stub_of_an_extension_has_what_the_extension_has(module: str) -> None:
    native = vars(import_module(f"npu_mlir.mlir._mlir_libs.{module}"))
    stub = ast.parse((PACKAGE / "mlir" / "_mlir_libs" / f"{module}.pyi").read_text(encoding="utf-8"))
    declared = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert declared == {name for name in native if not name.startswith("_")}


@pytest.mark.parametrize("dialect", ["npu", "npuisa"])
def test_the_stub_of_a_dialect_has_every_op_with_typed_operands(dialect: str) -> None:
    folder = PACKAGE / "mlir" / "dialects"
    code = ast.parse((folder / f"_{dialect}_ops_gen.py").read_text(encoding="utf-8"))
    stub = ast.parse((folder / f"_{dialect}_ops_gen.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    assert set(classes) == {node.name for node in code.body if isinstance(node, ast.ClassDef)}
    functions = [node for node in ast.walk(stub) if isinstance(node, ast.FunctionDef)]
    assert all(function.returns for function in functions)
    assert all(a.annotation for f in functions for a in f.args.args + f.args.kwonlyargs if a.arg != "self")
