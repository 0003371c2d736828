# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front end for MLIR files that are on linalg level already.

Only the signature of the entry function is read here; the compiler parses and checks the whole.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import InputError
from .files import missing_file
from .model import ImportedModel, TensorSpec

_FUNCTION = re.compile(
    r"func\.func\s+(?P<private>private\s+)?(?:public\s+)?@(?P<name>\"[^\"]*\"|[\w$.-]+)\s*\("
)
_TENSOR = re.compile(r"tensor<(?P<shape>(?:(?:\d+|\?)x)*)(?P<element>[\w<>]*?)\s*(?:,[^<>]*)?>")
_DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "ui8": "uint8", "ui16": "uint16", "ui32": "uint32", "ui64": "uint64",
    "si8": "int8", "si16": "int16", "si32": "int32", "si64": "int64",
}  # fmt: skip
_OPEN, _CLOSE = "([{<", ")]}>"


def _strip_comments(text: str) -> str:
    """Blank out `//` comments outside of strings, keeping all positions."""
    pattern = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*')
    return pattern.sub(
        lambda m: m.group() if m.group().startswith('"') else " " * len(m.group()), text
    )


def _matching(text: str, start: int) -> int:
    """Position of the bracket that closes the one at `start`; -1 if none does."""
    depth, position, in_string = 0, start, False
    while position < len(text):
        char = text[position]
        if in_string:
            if char == "\\":
                position += 1
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE and not (char == ">" and text[position - 1] == "-"):
            depth -= 1
            if depth == 0:
                return position
        position += 1
    return -1


def _split(text: str) -> list[str]:
    """Split at the commas outside of brackets and strings."""
    parts, start, position = [], 0, 0
    while position < len(text):
        char = text[position]
        if char in _OPEN or char == '"':
            end = _matching(text, position) if char != '"' else text.find('"', position + 1)
            position = end if end > 0 else len(text)
        elif char == ",":
            parts.append(text[start:position])
            start = position + 1
        position += 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _tensor(text: str, name: str, where: str) -> TensorSpec:
    match = _TENSOR.search(text)
    if match is None:
        raise InputError(
            "an argument or result of the entry function is not a tensor",
            where=where,
            why=f"'{name}' has the type {text}",
            fix="use tensors with static shapes; a scalar is tensor<f32>",
        )
    sizes = match.group("shape").split("x")[:-1]
    element = match.group("element")
    if "?" in sizes:
        raise InputError(
            "the entry function has dynamic shapes",
            code="E-DYNAMIC",
            where=where,
            why=f"'{name}' is {match.group()}",
            fix="write the shapes into the .mlir file",
        )
    dtype = _DTYPES.get(element)
    if dtype is None:
        raise InputError(
            "an element type of the entry function is not supported",
            where=where,
            why=f"'{name}' is {match.group()}",
            fix=f"use one of {', '.join(sorted(set(_DTYPES)))}",
        )
    return TensorSpec(name, tuple(int(size) for size in sizes), dtype)


def import_mlir(path: Path, *, entry: str | None = None) -> ImportedModel:
    """Read a `.mlir` file with a function on linalg tensors.

    Args:
        path: The file.
        entry: Name of the function; by default `main`, or the only public one. It is renamed
            to `main` in the result.

    Raises:
        InputError: The file is missing, empty, not text, or its entry function cannot be used.
    """
    where = str(path)
    if not path.exists():
        raise missing_file(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            "the .mlir file is not text",
            where=where,
            why=f"{error}; bytecode is not portable between MLIR versions",
            fix="write it as text: mlir-opt in.mlirbc -o out.mlir",
        ) from error
    except OSError as error:
        raise InputError("the file cannot be read", where=where, why=str(error)) from error
    if not text.strip():
        raise InputError("the file is empty", where=where)
    clean = _strip_comments(text)
    match = _choose(list(_FUNCTION.finditer(clean)), entry, where)
    inputs, outputs = _signature(clean, match.end() - 1, where)
    name = match.group("name")
    if name.strip('"') != "main":
        text = re.sub(rf"@{re.escape(name)}(?![\w$.-])", "@main", text)
    return ImportedModel(
        text=text,
        weights={},
        weight_args={},
        inputs=inputs,
        outputs=outputs,
        source_kind="mlir",
        source=where,
    )


def _choose(found: list[re.Match[str]], entry: str | None, where: str) -> re.Match[str]:
    names = [match.group("name").strip('"') for match in found]
    public = [match for match in found if not match.group("private")]
    wanted = entry.lstrip("@") if entry else "main"
    for match, name in zip(found, names, strict=True):
        if name == wanted:
            return match
    if entry is None and len(public) == 1:
        return public[0]
    raise InputError(
        f"there is no function @{wanted}" if found else "there is no func.func in this file",
        where=where,
        why=f"functions: {', '.join('@' + name for name in names) or 'none'}",
        fix="name the function to use: entry=NAME" if found else "is this an MLIR file?",
    )


def _signature(
    text: str, start: int, where: str
) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
    end = _matching(text, start)
    if end < 0:
        raise InputError("the .mlir file ends inside a function's arguments", where=where)
    inputs = []
    for index, part in enumerate(_split(text[start + 1 : end])):
        name, _, type_ = part.partition(":")
        label = _loc_name(type_) or name.strip().lstrip("%") or f"arg{index}"
        inputs.append(_tensor(type_ if type_ else part, label, where))
    rest = text[end + 1 :].lstrip()
    if not rest.startswith("->"):
        return tuple(inputs), ()
    rest = rest[2:].lstrip()
    if rest.startswith("("):
        types = _split(rest[1 : _matching(rest, 0)])
    else:
        head = _TENSOR.match(rest)
        types = [head.group() if head else rest.split("{", 1)[0].split("attributes", 1)[0].strip()]
    outputs = [_tensor(type_, f"result{index}", where) for index, type_ in enumerate(types)]
    return tuple(inputs), tuple(outputs)


def _loc_name(text: str) -> str | None:
    """`x` of `tensor<4xf32> loc("x")`."""
    match = re.search(r'\bloc\("([^":]+)"\)', text)
    return match.group(1) if match else None
