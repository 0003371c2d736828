# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front end for MLIR files that are on linalg level already."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .files import missing_file
from .model import ImportedModel, TensorSpec

if TYPE_CHECKING:
    from ..mlir import ir

_BYTECODE = b"ML\xefR"
_DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "ui8": "uint8", "ui16": "uint16", "ui32": "uint32", "ui64": "uint64",
    "si8": "int8", "si16": "int16", "si32": "int32", "si64": "int64",
}  # fmt: skip
_PARSER_TIMEOUT_S = 600.0


def import_mlir(path: Path, *, entry: str | None = None) -> ImportedModel:
    """Read a `.mlir` or `.mlirbc` file with a function on linalg tensors.

    Args:
        path: The file.
        entry: Name of the function; by default `main`, or the only public one. It is renamed
            to `main` in the result.

    Raises:
        InputError: The file is missing, empty, does not parse, or its entry function cannot be used.
    """
    from ..mlir import ir

    where = str(path)
    data = _read(path)
    _refuse_crash(path)
    module = _parse(data, where)
    function = _choose(module, entry, where)
    name = ir.StringAttr(function.attributes["sym_name"]).value
    inputs, outputs = _signature(module, function, name, data, where)
    if name != "main":
        ir.SymbolTable(module.operation).set_symbol_name(function, "main")
        renamed = io.BytesIO()
        module.operation.write_bytecode(renamed)
        data = renamed.getvalue()
    return ImportedModel(
        text=data if data.startswith(_BYTECODE) else data.decode(),
        weights={},
        weight_args={},
        inputs=inputs,
        outputs=outputs,
        source_kind="mlir",
        source=where,
    )


def _read(path: Path) -> bytes:
    where = str(path)
    if not path.exists():
        raise missing_file(path)
    if not path.is_file():
        raise InputError("the model path is not a file", where=where, fix="name the .mlir file")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError("the file cannot be read", where=where, why=str(error)) from error
    if not data.strip():
        raise InputError("the file is empty", where=where)
    if not data.startswith(_BYTECODE):
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise InputError("the .mlir file is neither text nor bytecode", where=where, why=str(error)) from error
    return data


def _refuse_crash(path: Path) -> None:
    """MLIR's parser stops the process at some kinds of broken text: let that happen to another process first."""
    from ..cli.tools import tool_path

    tool = tool_path("npu-opt")
    if tool is None:
        return
    command = [str(tool), str(path.resolve()), "-o", os.devnull]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PARSER_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise InputError(
            "the MLIR parser does not come to an end on this file",
            where=str(path),
            why=f"it was stopped after {_PARSER_TIMEOUT_S:g} s",
        ) from error
    if done.returncode < 0:
        lines = done.stderr.decode(errors="replace").splitlines()
        assertion = next((line.split("Assertion ")[1] for line in lines if "Assertion " in line), "")
        raise InputError(
            "the MLIR parser crashes on this file",
            where=str(path),
            why=f"{signal.Signals(-done.returncode).name} {assertion}".strip(),
            fix="the text is not valid MLIR; mlir-opt of the same version crashes on it too",
        )


def _parse(data: bytes, where: str) -> ir.Module:
    from ..mlir import ir

    try:
        return ir.Module.parse(data if data.startswith(_BYTECODE) else data.decode(), ir.Context())
    except ir.MLIRError as error:
        lines = []
        for found in error.error_diagnostics:
            lines.append(f"{found.message} ({_place(found.location)})")
            # One of the notes prints the whole operation.
            lines += [f"  {note.message}" for note in found.notes if "see current operation" not in note.message]
        raise InputError("the file does not parse", where=where, why="\n".join(lines) or str(error)) from error


def _place(location: Any) -> str:
    """`line 3, column 5` of a location in the text."""
    match = re.search(r":(\d+):(\d+)", str(location))
    return f"line {match[1]}, column {match[2]}" if match else str(location)


def _choose(module: ir.Module, entry: str | None, where: str) -> ir.Operation:
    from ..mlir import ir

    functions = {
        ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
        for op in module.body.operations
        if op.operation.name == "func.func"
    }
    defined = {name: op for name, op in functions.items() if len(op.regions[0].blocks)}
    public = [op for op in defined.values() if "sym_visibility" not in op.attributes]
    wanted = entry.lstrip("@") if entry else "main"
    if wanted in defined:
        return defined[wanted]
    if entry is None and len(public) == 1:
        return public[0]
    raise InputError(
        f"there is no function @{wanted}" + (" with a body" if wanted in functions else "")
        if functions
        else "there is no func.func in this file",
        where=where,
        why=f"functions: {', '.join('@' + name for name in functions) or 'none'}",
        fix="name the function to use: entry=NAME" if functions else "is this an MLIR file on linalg level?",
    )


def _signature(
    module: ir.Module, function: ir.Operation, name: str, data: bytes, where: str
) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
    """Inputs and outputs. An input is called as its location says, or as the argument in the text."""
    from ..mlir import ir
    from ..mlir._mlir_libs import _site_initialize_0

    written = []
    if not data.startswith(_BYTECODE):
        written = _site_initialize_0.argument_names(module.context, data.decode(), name)
    type_ = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    inputs = []
    for index, argument in enumerate(function.regions[0].blocks[0].arguments):
        given = re.match(r'loc\("([^"]+)"(?!:\d)', str(argument.location))
        label = given[1] if given else written[index] if index < len(written) else f"arg{index}"
        inputs.append(_tensor(argument.type, label, where))
    outputs = [_tensor(result, f"result{index}", where) for index, result in enumerate(type_.results)]
    return tuple(inputs), tuple(outputs)


def _tensor(type_: ir.Type, name: str, where: str) -> TensorSpec:
    from ..mlir import ir

    if not isinstance(type_, ir.RankedTensorType):
        raise InputError(
            "an argument or result of the entry function is not a tensor",
            where=where,
            why=f"'{name}' has the type {type_}",
            fix="use tensors with static shapes; a scalar is tensor<f32>",
        )
    if not type_.has_static_shape:
        raise InputError(
            "the entry function has dynamic shapes",
            code="E-DYNAMIC",
            where=where,
            why=f"'{name}' is {type_}",
            fix="write the shapes into the .mlir file",
        )
    dtype = _DTYPES.get(str(type_.element_type))
    if dtype is None:
        raise InputError(
            "an element type of the entry function is not supported",
            where=where,
            why=f"'{name}' is {type_}",
            fix=f"use one of {', '.join(sorted(set(_DTYPES)))}",
        )
    return TensorSpec(name, tuple(type_.shape), dtype)
