# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a two-layer transformer encoder for the NPU and compares it with eager PyTorch.

Usage: python transformer_encoder.py [--target mobile]
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
    layer = nn.TransformerEncoderLayer(
        64, nhead=4, dim_feedforward=128, dropout=0.0, activation="gelu", batch_first=True
    )
    module = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False).eval()
    tokens = torch.randn(1, 16, 64)
    # Per layer: projection, scores, scale, softmax, values, projection, add, norm, linear, GELU,
    # linear, add, norm.
    return run_and_compare(module, tokens, target=target, depth=2 * 13)


if __name__ == "__main__":
    sys.exit(main())
