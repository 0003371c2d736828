# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No command writes over a file that it reads, or two results to one file.

All files that the flags of any command name are collected here, whatever the command.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import InputError
from ..frontends.files import check_name

# What a file is to the command, for messages; and where it is.
NamedFile = tuple[str, Path]

# What a folder of dumped IR holds.
_DUMP_NAMES = ("index.json", "index.md")
_DUMP_SUFFIX = ".mlir"


def default_output(model: str) -> Path:
    """`models/digits.onnx` -> `digits.npux`; `package.module:function` -> `function.npux`."""
    if not os.path.exists(model) and ":" in model:
        return Path(model.rpartition(":")[2] + ".npux")
    return Path(Path(model).stem + ".npux")


def model_files(model: str) -> tuple[str, ...]:
    """The file behind a model argument: itself, or the Python file of `file.py:function` and `module:function`."""
    if os.path.isfile(model):
        return (model,)
    module = model.rpartition(":")[0]
    if module.endswith(".py") and os.path.isfile(module):
        return (module,)
    parts = module.split(".")
    if not all(part.isidentifier() for part in parts):
        return ()
    for folder in ("", *sys.path):
        for file in (os.path.join(folder, *parts) + ".py", os.path.join(folder, *parts, "__init__.py")):
            if os.path.isfile(file):
                return (file,)
    return ()


def _inputs(options: Namespace) -> list[NamedFile]:
    """All files that the command reads, external data of ONNX models left out."""
    found: list[NamedFile] = []
    if model := getattr(options, "model", None):
        found += [("the model", Path(file)) for file in model_files(model)]
    for name in (getattr(options, "target", None), getattr(options, "name", None)):
        if name and os.path.isfile(name):
            found.append(("the target file", Path(name)))
    for text in getattr(options, "input", None) or ():
        file = text if os.path.isfile(text) else text.partition("=")[2]
        found.append(("--input", Path(file)))
    if reference := getattr(options, "compare_with", None):
        found.append(("--compare-with", Path(reference)))
    return [(role, path) for role, path in found if os.path.isfile(path)]


def _outputs(options: Namespace) -> list[NamedFile]:
    """All files that the command writes; those in folders are left out."""
    found: list[NamedFile] = []
    if options.command == "compile":
        to_stdout = options.emit and options.output in (None, "-")
        if not to_stdout:
            found.append(("the output", Path(options.output) if options.output else default_output(options.model)))
    if trace := getattr(options, "trace", None):
        found.append(("--trace" if options.command == "run" else "the trace", Path(trace)))
    if table := getattr(options, "csv", None):
        found.append(("--csv", Path(table)))
    if options.json not in (None, "-"):
        found.append(("--json", Path(options.json)))
    return found


def _external_data(options: Namespace) -> Iterator[NamedFile]:
    """The files beside an ONNX model that hold its weights."""
    for model in {getattr(options, "model", None), getattr(options, "compare_with", None)}:
        if model and model.lower().endswith(".onnx") and os.path.isfile(model):
            from ..frontends.onnx_prep.external import external_files

            yield from (("the model's external data", file) for file in external_files(Path(model)))


def _is_regular(path: Path) -> bool:
    """Whether writing to the path would replace or make a file; devices and pipes take many results."""
    return os.path.isfile(path) or not os.path.exists(path)


def _same(a: Path, b: Path) -> bool:
    try:
        if os.path.exists(a) and os.path.exists(b):
            return os.path.samefile(a, b)
    except OSError:
        return False
    left, right = os.path.realpath(a), os.path.realpath(b)
    if sys.platform in ("darwin", "win32"):  # their file systems take A and a for one name
        return left.casefold() == right.casefold()
    return left == right


def check_clash(output: NamedFile, others: Sequence[NamedFile]) -> None:
    """Raise if an output is the same file as one of the others, also through links.

    Raises:
        InputError: E-SAME.
    """
    role, path = output
    for other, other_path in others:
        if _is_regular(path) and _same(path, other_path):
            both = "two outputs are the same file"
            if not other.startswith(("--json", "--trace", "the output", "an output")):
                both = "the output is the same file as an input"
            raise InputError(
                both,
                code="E-SAME",
                where=str(path),
                why=f"it is {role} and {other}",
                fix="name another output",
            )


def check_late_outputs(options: Namespace, paths: Sequence[Path]) -> None:
    """Raise if outputs whose names are known only now are files that the flags name.

    `options.json` is None afterwards if it is part of a clash: the error must not be written to it.

    Raises:
        InputError: E-SAME.
    """
    inputs, outputs = [*_inputs(options), *_external_data(options)], _outputs(options)
    for path in paths:
        late = ("an output", path)
        if any(role == "--json" and _same(path, file) for role, file in outputs):
            options.json = None
        check_clash(late, [*inputs, *outputs])


def check_clashes(options: Namespace) -> None:
    """Raise if the command would write over one of its inputs or outputs; nothing is written or made.

    `options.json` is None afterwards if it is part of a clash: the error must not be written to it.

    Raises:
        InputError: E-SAME; or a name that no file can have.
    """
    _check_names(options)
    inputs, outputs = _inputs(options), _outputs(options)
    if any(os.path.isfile(path) for _, path in outputs) or _dump_folder(options):
        inputs += _external_data(options)  # Read only if it can matter: models can be large.
    outputs.reverse()  # The report first.
    for i, output in enumerate(outputs):
        try:
            check_clash(output, [*inputs, *outputs[i + 1 :]])
            _check_folder(options, output)
        except InputError:
            if output[0] == "--json":
                options.json = None
            raise
    for file in inputs:
        _check_folder(options, file)


def _check_names(options: Namespace) -> None:
    for flag in ("model", "target", "name", "compare_with"):
        check_name(getattr(options, flag, None) or ".")
    for text in getattr(options, "input", None) or ():
        check_name(text if os.path.isfile(text) else text.partition("=")[2] or text)


def _dump_folder(options: Namespace) -> Path | None:
    folder = options.output if options.command == "dump" else getattr(options, "dump_dir", None)
    return Path(folder) if folder else None


def _check_folder(options: Namespace, file: NamedFile) -> None:
    """Raise if a file lies where IR is dumped and has such a name."""
    folder = _dump_folder(options)
    role, path = file
    if folder is None or not _same(folder, path.parent):
        return
    if path.suffix == _DUMP_SUFFIX or path.name in _DUMP_NAMES:
        raise InputError(
            "the IR would be written over another file",
            code="E-SAME",
            where=str(folder),
            why=f"it holds {path.name}, which is {role}",
            fix="name another folder for the IR",
        )
