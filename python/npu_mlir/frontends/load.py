# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choose the front end for whatever a model was given as."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import InputError, MissingExtraError, NPUError
from .files import check_name, missing_file
from .mlir_file import import_mlir
from .model import ImportedModel
from .validate import validate

_FORMS = (
    "a path to .onnx, .pt2 or .mlir, 'package.module:function' or 'file.py:function', "
    "a torch.nn.Module with inputs=, a torch.export.ExportedProgram or an onnx.ModelProto"
)


def _class_names(value: object) -> set[str]:
    return {f"{cls.__module__}.{cls.__qualname__}" for cls in type(value).__mro__}


def _is_torch_module(value: object) -> bool:
    return "torch.nn.modules.module.Module" in _class_names(value)


def _is_exported_program(value: object) -> bool:
    return "torch.export.exported_program.ExportedProgram" in _class_names(value)


def _is_onnx_proto(value: object) -> bool:
    return type(value).__name__ == "ModelProto" and hasattr(value, "opset_import")


def _require(package: str, extra: str, purpose: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise MissingExtraError(package, extra=extra, purpose=purpose)


def load_model(
    model: Any,
    *,
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    shapes: Mapping[str, int | Sequence[int]] | None = None,
    entry: str | None = None,
    timeout_s: float = 600.0,
) -> ImportedModel:
    """Import a model of any supported kind.

    Args:
        model: A path to `.onnx`, `.pt2` or `.mlir`; `package.module:function` or
            `file.py:function`, a function that returns a model or `(model, inputs)`; a
            `torch.nn.Module`; a `torch.export.ExportedProgram`; an `onnx.ModelProto`.
        inputs: Example inputs. Needed for a `torch.nn.Module` (a tuple of positional arguments, or
            a mapping of keyword arguments); for ONNX their shapes bind dynamic dimensions.
        shapes: ONNX only: input name to its whole shape, or dimension name to its size.
        entry: `.mlir` only: the function to take, if it is not called `main`.
        timeout_s: Seconds that the importer process may take.

    Returns:
        The model on linalg level with its weights beside the text.

    Raises:
        InputError: The model, the inputs or the shapes are wrong (exit code 2).
        MissingExtraError: torch, onnx or torch-mlir is needed and not installed.
        UnsupportedOpError: Operators that cannot be imported, all that are known (exit code 3).
        ImportFailure: The importer crashed or took too long (exit code 3).

    Example:
        >>> imported = load_model("resnet18.onnx", shapes={"N": 1})
        >>> imported.inputs[0].shape
        (1, 3, 224, 224)
    """
    if isinstance(model, ImportedModel):
        return model
    if isinstance(model, (str, Path)):
        return _load_named(model, inputs, shapes, entry, timeout_s)
    if entry is not None:
        raise _no_entry(entry, type(model).__qualname__)
    if _is_onnx_proto(model):
        return _load_onnx(model, inputs, shapes, timeout_s)
    if _is_torch_module(model) or _is_exported_program(model):
        return _load_torch(model, inputs, shapes, timeout_s)
    raise InputError(
        "this is not a model",
        why=f"a value of type {type(model).__module__}.{type(model).__qualname__} was given",
        fix=f"give {_FORMS}",
    )


def _no_entry(entry: str, where: str) -> InputError:
    return InputError(
        "an entry function is given for a model that has none",
        where=where,
        why=f"entry='{entry}' is for .mlir files",
        fix="leave entry out",
    )


def _load_onnx(
    model: Any,
    inputs: Sequence[Any] | Mapping[str, Any] | None,
    shapes: Mapping[str, int | Sequence[int]] | None,
    timeout_s: float,
) -> ImportedModel:
    _require("onnx", "onnx", "to read ONNX models")
    _require("torch_mlir", "onnx", "to import ONNX models")
    from .onnx_frontend import import_onnx

    return validate(import_onnx(model, inputs=inputs, shapes=shapes, timeout_s=timeout_s))


def _load_torch(
    model: Any,
    inputs: Sequence[Any] | Mapping[str, Any] | None,
    shapes: Mapping[str, int | Sequence[int]] | None,
    timeout_s: float,
) -> ImportedModel:
    _require("torch", "torch", "to import PyTorch models")
    _require("torch_mlir", "torch", "to import PyTorch models")
    if shapes:
        raise InputError(
            "shapes are given for a PyTorch model",
            why="its shapes come from the example inputs",
            fix="give example inputs of the wanted shapes",
        )
    from .torch_frontend import import_torch

    return validate(import_torch(model, inputs=inputs, timeout_s=timeout_s))


def _load_named(
    name: str | Path,
    inputs: Sequence[Any] | Mapping[str, Any] | None,
    shapes: Mapping[str, int | Sequence[int]] | None,
    entry: str | None,
    timeout_s: float,
) -> ImportedModel:
    check_name(name)
    path = Path(name)
    suffix = path.suffix.lower()
    if entry is not None and suffix in (".onnx", ".pt2"):
        raise _no_entry(entry, str(path))
    if suffix == ".onnx":
        return _load_onnx(path, inputs, shapes, timeout_s)
    if suffix == ".pt2":
        return _load_torch(path, inputs, shapes, timeout_s)
    if suffix in (".mlir", ".mlirbc"):
        return validate(import_mlir(path, entry=entry))
    if isinstance(name, str) and ":" in name and not path.exists():
        made = _call_factory(name)
        example = inputs
        if isinstance(made, tuple) and len(made) == 2:
            made, own = made
            example = own if inputs is None else inputs
        if isinstance(made, str) and ":" in made:
            raise InputError("the function names another function", where=name, why=f"{made!r}")
        return load_model(made, inputs=example, shapes=shapes, entry=entry, timeout_s=timeout_s)
    if not path.exists():
        raise missing_file(path)
    raise InputError(
        "the kind of this file is not known",
        where=str(path),
        why=f"its suffix is '{path.suffix}'" if path.suffix else "it has no suffix",
        fix=f"give {_FORMS}",
    )


def _import_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError("this is not a Python file", where=str(path))
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs: dataclasses and torch.export look modules up by name.
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def _call_factory(name: str) -> Any:
    """Call the function that a `module:function` text names."""
    where, _, attribute = name.rpartition(":")
    is_file = where.endswith(".py")
    if not attribute or not (is_file or all(part.isidentifier() for part in where.split("."))):
        raise InputError(
            "this names no function",
            where=name,
            why=f"'{attribute}' and '{where}' are not a function and a module",
            fix="give package.module:function or file.py:function",
        )
    try:
        if is_file:
            if not Path(where).exists():
                raise missing_file(Path(where))
            module = _import_file(Path(where))
        else:
            module = importlib.import_module(where)
    except ModuleNotFoundError as error:
        raise InputError(
            "the module of the model cannot be imported",
            where=name,
            why=str(error),
            fix="run from the folder that holds it, or give a path: file.py:function",
        ) from error
    function: Callable[[], Any] | None = getattr(module, attribute, None)
    if not callable(function):
        raise InputError(
            f"the module has no function '{attribute}'",
            where=where,
            fix="give module:function",
        )
    try:
        return function()
    except NPUError:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        raise InputError(
            "the function that makes the model failed",
            where=name,
            why=f"{type(error).__name__}: {error}\nat {frame.filename}:{frame.lineno}",
            fix="call it in Python first: it has to return a model, or (model, inputs)",
        ) from error
