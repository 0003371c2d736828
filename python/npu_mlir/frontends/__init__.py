# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front ends: ONNX, PyTorch and MLIR files to one form, `ImportedModel`.

Importing this package loads neither torch nor onnx.
"""

from __future__ import annotations

from .load import load_model
from .model import ImportedModel, TensorSpec

__all__ = ["ImportedModel", "TensorSpec", "load_model"]
