# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front end for PyTorch: modules with example inputs, exported programs, `.pt2` files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram

from ..errors import UnsupportedOpError
from .model import ImportedModel
from .torch_prep.decompose import decompose
from .torch_prep.export import export_module, load_exported
from .torch_prep.inference import refuse_mutation, refuse_training
from .torch_prep.source import node_path
from .torch_prep.state import PlainFunction, plain_function
from .worker_client import (
    DEFAULT_TIMEOUT_S,
    Lowered,
    WorkerJob,
    failure_to_error,
    lower_in_worker,
)


def import_torch(
    model: torch.nn.Module | ExportedProgram | str | Path,
    *,
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> ImportedModel:
    """Import a PyTorch model.

    Args:
        model: A module in eval mode, an exported program (not changed), or a `.pt2` file.
        inputs: Example inputs; only for a module.
        timeout_s: Seconds for the importer process.

    Returns:
        The model on linalg level. Its weights share memory with the module.

    Raises:
        InputError: The export fails, the model is in training mode, shapes are dynamic.
        UnsupportedOpError: Nodes that cannot be imported, all that are known.
        ImportFailure: The importer crashed or took too long.
    """
    if isinstance(model, (str, Path)):
        where, program = str(model), load_exported(Path(model))
    elif isinstance(model, ExportedProgram):
        where, program = "exported program", model
    else:
        where, program = type(model).__qualname__, export_module(model, inputs)
    refuse_training(program, where)
    refuse_mutation(program, where)
    program = decompose(program, where)
    # Once more: functionalisation makes in-place updates visible that aliasing hid.
    refuse_mutation(program, where)
    function = plain_function(program, where)
    return _finish(function, _lower(function, where, timeout_s), where)


def _lower(function: PlainFunction, where: str, timeout_s: float) -> Lowered:
    from .torch_dialect import build_torch_dialect

    op_types = {
        node_path(node): (str(node.target), "torch")
        for node in function.graph.nodes
        if node.op == "call_function"
    }
    try:
        text = build_torch_dialect(function.graph)
    except UnsupportedOpError as error:
        raise UnsupportedOpError(error.nodes, where=where) from error

    def write(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    job = WorkerJob("torch", write, where, timeout_s=timeout_s, op_types=op_types)
    result = lower_in_worker(job)
    if isinstance(result, Lowered):
        return result
    raise failure_to_error(result, job)


def _finish(function: PlainFunction, lowered: Lowered, where: str) -> ImportedModel:
    return ImportedModel(
        text=lowered.text,
        weights=function.weights,
        weight_args=function.weight_args,
        inputs=tuple(function.inputs),
        outputs=tuple(function.outputs),
        source_kind="torch",
        warnings=tuple(function.warnings),
        source=where,
    )
