# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run imported linalg text on the CPU, to compare it with the source framework."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from npu_mlir.compiler.weights import attach_weights
from npu_mlir.frontends import ImportedModel
from npu_mlir.mlir import ir
from npu_mlir.mlir._mlir_libs import _npu


def run(model: ImportedModel, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Execute `@main` with the weights of the model and the given inputs."""
    module = ir.Module.parse(model.text, ir.Context())
    attach_weights(module, model)
    arrays = []
    for spec in model.inputs:
        value = feeds[spec.name]
        assert (value.shape, value.dtype.name) == (spec.shape, spec.dtype)
        arrays.append(value)
    results = _npu.jit_module(module, entry="main", opt_level=0).run(arrays)
    return [
        out.view(spec.dtype) if spec.dtype.startswith("uint") else out
        for out, spec in zip(results, model.outputs, strict=True)
    ]
