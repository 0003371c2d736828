# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numeric comparison of tensors and of whole models: what decides that two results are the same.

- `compare_tensors` decides on one tensor (structure, then bits, ULP, steps or err/bound).
- `contraction_bound`, `reduction_bound`, `softmax_bound`, `normalization_bound` bound one operator.
- `model_bound` propagates those bounds through an ONNX model; `ErrorModel` does it for many inputs.
- `compare_outputs` decides on the results of a model: by the bound where it is tight enough to mean
  something, else by the error against a float64 run.

Importing this package needs numpy only; onnx is imported when a model is analysed.
"""

from .bounds import (
    bound_from_magnitude,
    contraction_bound,
    error_constant,
    normalization_bound,
    reduction_bound,
    softmax_bound,
)
from .formats import FloatFormat, float_format
from .gates import KINDS, TensorComparison, compare_tensors
from .metrics import (
    LsbStatistics,
    cosine,
    lsb_statistics,
    root_mean_square,
    sqnr_db,
    top_k_agreement,
    ulp_distance,
    worst_channel_sqnr,
)
from .model_bound import ErrorModel, TensorBound, model_bound, run_float64
from .outputs import OutputComparison, OutputsComparison, compare_outputs, fp64_ratio

__all__ = [
    "KINDS",
    "ErrorModel",
    "FloatFormat",
    "LsbStatistics",
    "OutputComparison",
    "OutputsComparison",
    "TensorBound",
    "TensorComparison",
    "bound_from_magnitude",
    "compare_outputs",
    "compare_tensors",
    "contraction_bound",
    "cosine",
    "error_constant",
    "float_format",
    "fp64_ratio",
    "lsb_statistics",
    "model_bound",
    "normalization_bound",
    "reduction_bound",
    "root_mean_square",
    "run_float64",
    "softmax_bound",
    "sqnr_db",
    "top_k_agreement",
    "ulp_distance",
    "worst_channel_sqnr",
]
