# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reference results of the end-to-end models, and the verdict on a candidate's results."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
from models import BuiltModel
from npu_mlir.compare import ErrorModel, OutputsComparison, compare_outputs


def reference_outputs(built: BuiltModel) -> list[np.ndarray]:
    """Outputs of the framework: onnxruntime without optimisation, or eager PyTorch."""
    if built.kind == "onnx":
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        session = ort.InferenceSession(
            built.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        names = [i.name for i in session.get_inputs()]
        return list(session.run(None, dict(zip(names, built.inputs, strict=True))))
    return _run_torch(built.model, built.inputs)


def _run_torch(module: object, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    import torch

    with torch.no_grad():
        result = module(*(torch.from_numpy(x) for x in inputs))  # type: ignore[operator]
    results = result if isinstance(result, tuple | list) else [result]
    return [r.numpy() for r in results]


def verdict(built: BuiltModel, got: Sequence[np.ndarray]) -> OutputsComparison:
    """Compare a candidate's outputs with the framework's, by the gates of `npu_mlir.compare`.

    Args:
        built: the model.
        got: the candidate's outputs, in order.
    """
    refs = reference_outputs(built)
    if "exact" in built.tags:
        return compare_outputs(refs, got, bounds=None, ref64=refs, depth=0)
    if built.kind == "onnx":
        error_model = ErrorModel(built.model)
        bounds = list(error_model.bounds(built.inputs).values())
        return compare_outputs(refs, got, bounds=bounds, depth=built.depth)
    ref64 = _run_torch(copy.deepcopy(built.model).double(), [_widen(x) for x in built.inputs])
    return compare_outputs(refs, got, ref64=ref64, depth=built.depth)


def _widen(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64) if x.dtype == np.float32 else x
