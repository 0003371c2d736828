# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`compile`: import, run the passes one by one, keep every level, make an executable."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, InternalError, NPUError, UnsupportedNode, UnsupportedOpError
from .arguments import check_arguments, check_target
from .custom import CustomPass
from .dump import Dumper
from .steps import LEVEL_OF_PHASE, LEVELS, Step, host_step, own_steps, with_custom
from .weights import attach_weights, name_tensors

if TYPE_CHECKING:
    from ..executable import Executable
    from ..frontends import ImportedModel
    from ..mlir import ir

# Passes that refuse a program for a reason that lies in the model or the target, not in the compiler.
_REFUSING = {"npu-place", "npu-set-schedule", "npu-plan-memory", "npuisa-assign-semaphores"}


def compile(
    model: Any,
    *,
    target: str | os.PathLike[str] = "mobile",
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    shapes: Mapping[str, int | Sequence[int]] | None = None,
    entry: str | None = None,
    no_host: bool = False,
    passes: Sequence[CustomPass] = (),
    dump_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Executable:
    """Compile a model for an NPU.

    Args:
        model: a path to .onnx, .pt2 or .mlir, "module:function", a torch.nn.Module (with `inputs`), a
            torch.export.ExportedProgram, an onnx.ModelProto or an ImportedModel.
        target: a preset (tiny, edge, mobile, server) or a path to a target file (YAML).
        inputs: example inputs, needed for a torch.nn.Module.
        shapes: ONNX: input name to its shape, or dimension name to its size.
        entry: .mlir: the function to compile if it is not "main".
        no_host: refuse the model if an operator would run on the host.
        passes: passes of your own, put into the compilation by name.
        dump_dir: folder for the IR after every pass that changed it, with an index.
        progress: called with the name of each step before it runs.

    Returns:
        The executable: call it, profile it, save it, look at its levels with `ir(level)`.

    Raises:
        InputError: wrong file, shapes, target or option (exit code 2).
        UnsupportedOpError: operators that cannot be imported, or host operators with `no_host` (3).
        ImportFailure: the importer crashed (3).
        NPUError: the model does not fit the target (3).
        InternalError: a fault of the compiler; a folder to reproduce it was written (4).

    Example:
        >>> exe = compile("digits.onnx", target="edge")  # doctest: +SKIP
        >>> exe.profile(image).cycles  # doctest: +SKIP
    """
    from ..frontends import load_model

    check_arguments(
        target=target, shapes=shapes, entry=entry, passes=passes, dump_dir=dump_dir, progress=progress
    )
    if progress:
        progress("import")
    imported = load_model(model, inputs=inputs, shapes=shapes, entry=entry)
    module = _module_of(imported)
    return compile_module(
        module,
        imported=imported,
        target=target,
        no_host=no_host,
        passes=passes,
        dump_dir=dump_dir,
        progress=progress,
    )


def lower(
    model: Any,
    *,
    to: str,
    target: str | os.PathLike[str] = "mobile",
    inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    shapes: Mapping[str, int | Sequence[int]] | None = None,
    entry: str | None = None,
    no_host: bool = False,
    passes: Sequence[CustomPass] = (),
    dump_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> ir.Module:
    """Compile a model down to one level and stop there.

    Args:
        to: "linalg" (as imported), "npu", "buffers" or "npuisa".

    All other arguments, and the errors, are those of `compile`.

    Returns:
        The module at that level, with its weights.

    Example:
        >>> module = lower("digits.onnx", to="npu")  # doctest: +SKIP
    """
    from ..frontends import load_model

    if to not in LEVELS:
        raise InputError(f"there is no level '{to}'", code="E-LEVEL", fix=f"use one of: {', '.join(LEVELS)}")
    check_arguments(
        target=target, shapes=shapes, entry=entry, passes=passes, dump_dir=dump_dir, progress=progress
    )
    if progress:
        progress("import")
    imported = load_model(model, inputs=inputs, shapes=shapes, entry=entry)
    module = _module_of(imported)
    levels = _lower_module(
        module,
        imported,
        to=to,
        target=target,
        no_host=no_host,
        passes=passes,
        dump_dir=dump_dir,
        progress=progress,
    )
    return levels[to]


def compile_module(
    module: ir.Module,
    *,
    imported: ImportedModel,
    target: str | os.PathLike[str] = "mobile",
    no_host: bool = False,
    passes: Sequence[CustomPass] = (),
    dump_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Executable:
    """Compile a module on linalg level; see `compile` for arguments and errors."""
    from ..executable import Executable

    levels = _lower_module(
        module,
        imported,
        to=LEVELS[-1],
        target=target,
        no_host=no_host,
        passes=passes,
        dump_dir=dump_dir,
        progress=progress,
    )
    # Machine code is made for each run anew; a host part that has none must not become a package.
    host = host_step()
    if progress:
        progress(host.name)
    _run(host, _clone(module), imported)
    if progress:
        progress("package")
    return Executable.from_module(module, imported=imported, levels=levels)


def _lower_module(
    module: ir.Module,
    imported: ImportedModel,
    *,
    to: str,
    target: str | os.PathLike[str],
    no_host: bool,
    passes: Sequence[CustomPass],
    dump_dir: str | os.PathLike[str] | None,
    progress: Callable[[str], None] | None,
) -> dict[str, ir.Module]:
    """Run the steps on the module, in place, until level `to`; returns every level on the way."""
    set_target(module, target)
    options = {"npu-place": "no-host"} if no_host else {}
    steps = with_custom(own_steps(options), passes)
    dumper = Dumper(dump_dir) if dump_dir is not None else None
    levels = {"linalg": _clone(module)}
    try:
        if dumper:
            dumper.record(module, "import", "import")
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            if to in levels:
                break
            if progress:
                progress(step.name)
            _run(step, module, imported)
            if dumper:
                dumper.record(module, step.name, step.phase)
            if (following is None or following.phase != step.phase) and step.phase in LEVEL_OF_PHASE:
                levels[LEVEL_OF_PHASE[step.phase]] = _clone(module)
    finally:
        if dumper:
            dumper.close()
    return levels


def set_target(module: ir.Module, target: str | os.PathLike[str]) -> None:
    """Put the target on a module.

    Raises:
        InputError: no such preset or file, the file is not a valid target description, or the module
            has another target.
    """
    from ..mlir._mlir_libs import _npu

    check_target(target)
    name = os.fspath(target)
    attribute = _npu.target_attribute(module.context, name)
    attributes = module.operation.attributes
    if "npu.target" in attributes and attributes["npu.target"] != attribute:
        raise InputError(
            "the module is for another target",
            code="E-TARGET",
            why=f"its attribute 'npu.target' is not that of '{name}'",
            fix="remove the attribute, or give the target that it was made for",
        )
    attributes["npu.target"] = attribute


def _module_of(imported: ImportedModel) -> ir.Module:
    from ..mlir import ir

    context = ir.Context()
    try:
        module = ir.Module.parse(imported.text, context)
    except ir.MLIRError as error:
        if imported.source_kind == "mlir":
            raise InputError("the file does not parse", where=imported.source, why=_messages(error)) from error
        raise InternalError(
            "the imported module does not parse", where=imported.source, why=_messages(error)
        ) from error
    attach_weights(module, imported)
    name_tensors(module, imported)
    return module


def _clone(module: ir.Module) -> ir.Module:
    from ..mlir._mlir_libs import _site_initialize_0

    copy: ir.Module = _site_initialize_0.clone_module(module)
    return copy


def _run(step: Step, module: ir.Module, imported: ImportedModel) -> None:
    from ..mlir import ir

    before = _clone(module)
    try:
        step.run(module)
        if step.is_custom:
            module.operation.verify()
    except ir.MLIRError as error:
        messages = _messages(error)
        if step.name == "npu-place":
            raise _unsupported(error, imported) from error
        if step.name == "npu-verify-linalg":
            large = "elements in a value" in messages
            raise InputError(
                "the model has values that are too large" if large else "the module is not on the linalg level",
                code="E-TOOLARGE" if large else "E-INPUT",
                where=imported.source,
                why=messages,
            ) from error
        if step.is_custom:
            raise InputError(
                f"the custom pass '{step.name}' failed or left IR that does not verify",
                code="E-PASS",
                where=imported.source,
                why=messages,
                fix="correct the pass; dump_dir= shows the module in front of it",
            ) from error
        if step.name in _REFUSING:
            raise NPURefusal(
                f"the model does not fit the target ({step.name})", where=imported.source, why=messages
            ) from error
        folder = write_reproducer(before, step, messages)
        raise InternalError(
            f"the pass '{step.name}' failed",
            where=imported.source,
            why=messages,
            fix=f"report it with the folder {folder}",
        ) from error


class NPURefusal(NPUError):
    """The target cannot run the program, for a reason that the text gives."""

    exit_code = 3
    default_code = "E-FIT"


def _unsupported(error: ir.MLIRError, imported: ImportedModel) -> NPUError:
    """The error for a model that needs the host: npu-place gives a note for each of its operators."""
    nodes = []
    for found in error.error_diagnostics:
        for note in _notes(found) or [found]:
            op, _, reason = note.message.partition(": ")
            reason = re.sub(r" \(from '.*'\)$", "", reason)
            name = _node(note.location)
            name = imported.origins.get(name, name)
            # Of the source where that is known; one of its nodes is often several ops here.
            operator, domain = imported.operators.get(name, (op, "npu"))
            node = UnsupportedNode(name, operator, domain, reason)
            if node not in nodes:
                nodes.append(node)
    return UnsupportedOpError(
        nodes, where=imported.source, fix="rewrite these operators, or allow the host if --no-host forbids it"
    )


def _node(location: ir.Location) -> str:
    text = str(location)
    position = re.fullmatch(r'loc\("-":(\d+):(\d+)\)', text)
    if position:  # the text that was parsed, which has no name
        return f"line {position[1]}, column {position[2]}"
    quoted = text.split('"')
    return quoted[1] if len(quoted) > 2 else text


def _messages(error: ir.MLIRError, *, located: bool = True) -> str:
    lines = []
    for diagnostic in error.error_diagnostics:
        where = f" ({_node(diagnostic.location)})" if located else ""
        lines.append(diagnostic.message + where)
        lines += [f"  {note.message}" for note in _notes(diagnostic)]
    return "\n".join(lines) or str(error)


def _notes(diagnostic: Any) -> list[Any]:
    """The notes of a diagnostic but the one that prints the whole operation."""
    return [note for note in diagnostic.notes if not note.message.startswith("see current operation")]


def write_reproducer(before: ir.Module, step: Step, messages: str) -> Path:
    """Write what is needed to see a pass fail again.

    Args:
        before: the module that the pass was given; large constants are written elided.
        step: the pass.
        messages: what it said.

    Returns:
        The new folder, in the current one, or in that for temporary files if it cannot be written.
    """
    text = before.operation.get_asm(enable_debug_info=True, large_elements_limit=64, large_resource_limit=64)
    name = f"npu-reproducer-{hashlib.sha256((step.name + text).encode()).hexdigest()[:12]}"
    files = {
        "module.mlir": text,
        "command.txt": f"npu-opt --pass-pipeline='builtin.module({step.pipeline})' module.mlir\n",
        "messages.txt": messages + "\n",
    }
    folder = Path(name)
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / name
        folder.mkdir(exist_ok=True)
    for file, content in files.items():
        (folder / file).write_text(content, encoding="utf-8")
    return folder
