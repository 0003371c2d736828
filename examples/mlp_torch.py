# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a PyTorch multilayer perceptron for the NPU and compares it with eager PyTorch.

Usage: python mlp_torch.py [--target mobile]
"""

from __future__ import annotations

import sys

import torch
from torch import nn
from torch_compare import parse_target, run_and_compare


def main() -> int:
    """Run the example; returns the exit code."""
    target = parse_target(__doc__)
    torch.manual_seed(0)
    module = nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.GELU(), nn.Linear(64, 10)
    ).eval()
    x = torch.randn(8, 64)
    # Linear, linear, GELU, linear: four operators that round, one after the other.
    return run_and_compare(module, x, target=target, depth=4)


if __name__ == "__main__":
    sys.exit(main())
