# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch, torch_mlir and npu_mlir, two different LLVMs among them, work in one process."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import numpy as np
import torch
{first}
{second}

# torch_mlir's own LLVM parses and prints in the same process ...
from torch_mlir import ir as other_ir
with other_ir.Context(), other_ir.Location.unknown():
    text = str(other_ir.Module.parse("func.func private @f(tensor<4xf32>)"))
assert "tensor<4xf32>" in text

# ... and this one compiles, JIT included.
torch.manual_seed(0)
module = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).eval()
x = torch.randn(2, 8)
executable = npu_mlir.compile(module, inputs=(x,), target="tiny")
expected = module(x).detach().numpy()
for level in ("linalg", "npu", "buffers", "npuisa"):
    got = executable.run([x], level=level)[0]
    assert np.abs(got - expected).max() < 1e-5, level
print("ok")
"""


@pytest.mark.parametrize("order", [("import npu_mlir", "import torch_mlir"), ("import torch_mlir", "import npu_mlir")])
def test_three_in_one_process(order: tuple[str, str]) -> None:
    code = textwrap.dedent(PROGRAM).format(first=order[0], second=order[1])
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip().endswith("ok")
