# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Get a `torch.export.ExportedProgram` out of what the user gave."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.export import ExportedProgram

from ...errors import InputError
from ..files import missing_file
from .source import error_position


def _to_torch(value: Any) -> Any:
    """NumPy arrays, also inside of lists and dicts, as tensors."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.array(value))
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_to_torch(item) for item in value)
    if isinstance(value, list):
        return [_to_torch(item) for item in value]
    if isinstance(value, dict):
        return {key: _to_torch(item) for key, item in value.items()}
    return value


@contextlib.contextmanager
def _plain_attention() -> Iterator[None]:
    """Switch off the fused paths of `torch.nn.Transformer*`: they export to one opaque op."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def _first_lines(error: BaseException, count: int = 3) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "\n".join([f"{type(error).__name__}: {lines[0] if lines else ''}", *lines[1:count]])


def export_module(
    model: torch.nn.Module, inputs: Sequence[Any] | Mapping[str, Any] | Any | None
) -> ExportedProgram:
    """Run `torch.export` on a module.

    Args:
        model: The module, in eval mode.
        inputs: A tuple or list of positional arguments, a mapping of keyword arguments, or one
            tensor. NumPy arrays are taken as tensors.

    Raises:
        InputError: No inputs, or the export fails; names the user's line.
    """
    name = type(model).__qualname__
    if inputs is None:
        raise InputError(
            "a PyTorch module needs example inputs",
            where=name,
            why="its shapes and types come from them",
            fix="give inputs=(x, ...), a tuple of tensors",
        )
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    if isinstance(inputs, Mapping):
        kwargs = {key: _to_torch(value) for key, value in inputs.items()}
    elif isinstance(inputs, (tuple, list)):
        args = tuple(_to_torch(value) for value in inputs)
    else:
        args = (_to_torch(inputs),)
    try:
        with _plain_attention(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.export.export(model, args, kwargs, strict=False)
    except Exception as error:
        # torch.export runs the user's code: any kind of error may come out.
        raise InputError(
            "torch.export failed on this module",
            code="E-EXPORT",
            where=error_position(error) or name,
            why=_first_lines(error),
            fix="make torch.export.export(model, inputs) work; it cannot take control flow on data",
        ) from error


def load_exported(path: Path) -> ExportedProgram:
    """Read a `.pt2` file.

    Raises:
        InputError: The file is missing or not an exported program.
    """
    if not path.exists():
        raise missing_file(path)
    if path.is_dir() or path.stat().st_size == 0:
        raise InputError("this is not an exported program", where=str(path), why="it is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.export.load(path)
    except Exception as error:
        # The reader raises errors of many kinds for damaged archives.
        raise InputError(
            "this .pt2 file cannot be read",
            where=str(path),
            why=_first_lines(error),
            fix="write it with torch.export.save(exported_program, path)",
        ) from error
