# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run imported linalg text on the CPU, to compare it with the source framework."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from npu_mlir.frontends import ImportedModel

_PIPELINE = (
    "builtin.module("
    + ",".join(
        [
            "func.func(convert-elementwise-to-linalg,linalg-generalize-named-ops,canonicalize,cse)",
            "func.func(eliminate-empty-tensors),empty-tensor-to-alloc-tensor",
            "one-shot-bufferize{copy-before-write bufferize-function-boundaries "
            "function-boundary-type-conversion=identity-layout-map}",
            "buffer-results-to-out-params{hoist-static-allocs=false modify-public-functions}",
            "func.func(convert-linalg-to-loops),expand-strided-metadata,func.func(lower-affine)",
            "convert-scf-to-cf,func.func(math-expand-ops{ops=rsqrt,fpowi,clampf,ctlz}),arith-expand",
            "convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,finalize-memref-to-llvm",
            "convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm",
            "reconcile-unrealized-casts",
        ]
    )
    + ")"
)


def _mlir_folder() -> Path:
    spec = importlib.util.find_spec("mlir")
    assert spec is not None and spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations)))


def mlir_opt() -> Path:
    """`mlir-opt` of the MLIR that the compiler is built with."""
    return _mlir_folder() / "bin" / "mlir-opt"


def run(model: ImportedModel, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Execute `@main` with the weights of the model and the given inputs."""
    from torch_mlir import ir
    from torch_mlir.execution_engine import ExecutionEngine
    from torch_mlir.passmanager import PassManager
    from torch_mlir.runtime import get_ranked_memref_descriptor

    with ir.Context():
        module = ir.Module.parse(model.text)
        for op in module.body.operations:
            op.operation.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
        PassManager.parse(_PIPELINE).run(module.operation)
        library = _mlir_folder() / "lib" / "libmlir_c_runner_utils.so"
        engine = ExecutionEngine(module, opt_level=1, shared_libs=[str(library)])
    inputs = iter(model.inputs)
    arguments: list[np.ndarray] = []
    for index in range(len(model.inputs) + len(model.weight_args)):
        if index in model.weight_args:
            value = model.weights[model.weight_args[index]]
        else:
            spec = next(inputs)
            value = feeds[spec.name]
            assert (value.shape, value.dtype.name) == (spec.shape, spec.dtype)
        arguments.append(np.ascontiguousarray(value).reshape(value.shape))
    results = [np.zeros(spec.shape, dtype=spec.dtype) for spec in model.outputs]
    pointers = [
        ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(array)))
        for array in arguments + results
    ]
    engine.invoke("main", *pointers)
    return results
