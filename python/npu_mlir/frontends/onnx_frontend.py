# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front end for ONNX models. Needs `onnx` and `torch_mlir`, not torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from ..errors import InputError
from .model import ImportedModel, TensorSpec
from .onnx_prep import functions, prepare, read
from .onnx_prep.infer import static_shape
from .onnx_prep.shapes import Shapes
from .onnx_prep.work import Work
from .worker_client import (
    DEFAULT_TIMEOUT_S,
    Lowered,
    WorkerJob,
    failed_names,
    failure_to_error,
    lower_in_worker,
)

# A body may itself use operators that have to be replaced by their bodies.
_MAX_EXPANSIONS = 4


def import_onnx(
    model: str | Path | onnx.ModelProto,
    *,
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    shapes: Shapes | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> ImportedModel:
    """Import an ONNX model.

    Args:
        model: File or model; a given model is not changed.
        inputs: Example arrays whose shapes bind the dynamic dimensions.
        shapes: Input name to its shape, or dimension name to its size.
        timeout_s: Seconds for the importer process.

    Returns:
        The model on linalg level.

    Raises:
        InputError: The file or the shapes are wrong.
        UnsupportedOpError: Nodes that cannot be imported, all that are known.
        ImportFailure: The importer crashed or took too long.
    """
    if isinstance(model, onnx.ModelProto):
        where = f"ONNX model '{model.graph.name}'"
        proto = onnx.ModelProto()
        proto.CopyFrom(model)
    else:
        where = str(model)
        proto = read.read_model(Path(model))
    bindings = {**_example_shapes(proto, inputs, where), **(shapes or {})}
    declared = {value.name: static_shape(value.type) for value in proto.graph.output}
    work = prepare.prepare(proto, where, bindings)
    imported = _finish(work, _lower(work, timeout_s))
    return replace(imported, warnings=(*imported.warnings, *_wrong_declarations(imported, declared)))


def _wrong_declarations(model: ImportedModel, declared: Mapping[str, tuple[int, ...] | None]) -> list[str]:
    """A warning for each output whose shape is not the one that the file declares."""
    return [
        f"W-SHAPE: output '{spec.name}' has the shape {list(spec.shape)}, but the model declares {list(shape)}"
        for spec in model.outputs
        if (shape := declared.get(spec.name)) is not None and shape != spec.shape
    ]


def _example_shapes(
    model: onnx.ModelProto, inputs: Sequence[Any] | Mapping[str, Any] | None, where: str
) -> dict[str, tuple[int, ...]]:
    if inputs is None:
        return {}
    if isinstance(inputs, Mapping):
        return {name: tuple(np.shape(value)) for name, value in inputs.items()}
    initialized = {tensor.name for tensor in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in initialized]
    if len(inputs) != len(names):
        raise InputError(
            "the number of example inputs is wrong",
            where=where,
            why=f"{len(inputs)} were given, the model has {len(names)}: {', '.join(names)}",
        )
    return {name: tuple(np.shape(value)) for name, value in zip(names, inputs, strict=True)}


def _lower(work: Work, timeout_s: float) -> Lowered:
    for attempt in range(_MAX_EXPANSIONS + 1):
        job = _job(work, timeout_s)
        result = lower_in_worker(job)
        if isinstance(result, Lowered):
            return result
        # What the importer lacks may be written in simpler operators by the ONNX standard itself.
        is_last = attempt == _MAX_EXPANSIONS
        if is_last or not functions.expand_schema_functions(work, failed_names(result)):
            raise failure_to_error(result, job)
        prepare.finish(work)
    raise AssertionError("the last attempt returns or raises")


def _job(work: Work, timeout_s: float) -> WorkerJob:
    model = work.model

    def write(path: Path) -> None:
        path.write_bytes(model.SerializeToString())

    return WorkerJob(
        kind="onnx",
        write_model=write,
        where=work.where,
        timeout_s=timeout_s,
        origins=work.origins,
        op_types=work.op_types,
    )


def _dtype(value: onnx.ValueInfoProto) -> str:
    return onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type).name


def _finish(work: Work, lowered: Lowered) -> ImportedModel:
    graph = work.graph
    weight_args: dict[int, str] = {}
    inputs: list[TensorSpec] = []
    for index, (value, argument) in enumerate(zip(graph.input, lowered.arguments, strict=True)):
        if value.name in work.weights:
            weight_args[index] = value.name
        else:
            inputs.append(TensorSpec(value.name, tuple(argument["shape"]), _dtype(value)))
    outputs = [
        TensorSpec(value.name, tuple(result["shape"]), _dtype(value))
        for value, result in zip(graph.output, lowered.results, strict=True)
    ]
    return ImportedModel(
        text=lowered.text,
        weights=dict(work.weights),
        weight_args=weight_args,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        source_kind="onnx",
        warnings=tuple(work.warnings),
        origins=dict(work.origins),
        source=work.where,
        operators=dict(work.op_types),
    )
