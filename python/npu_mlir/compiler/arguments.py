# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compile` and `lower` are given: wrong kinds of arguments, told before any work."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError
from .custom import CustomPass


def check_arguments(*, target: Any, shapes: Any, entry: Any, passes: Any, dump_dir: Any, progress: Any) -> None:
    """Look at everything but the model and its inputs.

    Raises:
        InputError: an argument of a wrong kind, or a target that cannot be used.
    """
    if not isinstance(target, str | os.PathLike):
        raise _wrong("target", "a preset or the path of a target file", target)
    if shapes is not None and not isinstance(shapes, Mapping):
        raise _wrong("shapes", "a mapping of names to shapes or sizes, as {'x': [1, 3, 224, 224]} or {'N': 8}", shapes)
    if entry is not None and not isinstance(entry, str):
        raise _wrong("entry", "the name of a function", entry)
    if dump_dir is not None and not isinstance(dump_dir, str | os.PathLike):
        raise _wrong("dump_dir", "the path of a folder", dump_dir)
    if progress is not None and not callable(progress):
        raise _wrong("progress", "a function that takes the name of a step", progress)
    if isinstance(passes, str) or not isinstance(passes, Sequence):
        raise _wrong("passes", "a list of CustomPass", passes)
    for item in passes:
        if not isinstance(item, CustomPass):
            raise _wrong("passes", "a list of CustomPass", item)
    check_target(target)


def check_target(target: str | os.PathLike[str]) -> None:
    """Raise InputError (E-TARGET) unless it is a preset or the path of a valid target file."""
    from ..mlir._mlir_libs import _npu

    name = os.fspath(target)
    try:
        _npu.load_target(name)
    except (_npu.NativeError, UnicodeError) as error:
        raise InputError(
            f"the target '{name}' cannot be used",
            code="E-TARGET",
            why=str(error),
            fix=f"use {', '.join(_npu.target_presets())} or a path to a target file",
        ) from error


def _wrong(name: str, wanted: str, found: object) -> InputError:
    return InputError(
        f"the argument '{name}' is of the wrong kind",
        code="E-ARGUMENT",
        why=f"it takes {wanted}, but found {type(found).__name__} {found!r:.80}",
        fix=f"give {name}= {wanted}",
    )
