# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Read an ONNX file, saying in plain words what is wrong with one that cannot be read."""

from __future__ import annotations

from pathlib import Path

import onnx
from google.protobuf.message import DecodeError

from ...errors import InputError
from ..files import missing_file

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"version https://git-lfs", "a Git LFS pointer; run `git lfs pull` first"),
    (0, b"<!DOCTYPE", "an HTML page, perhaps a failed download"),
    (0, b"<!doctype", "an HTML page, perhaps a failed download"),
    (0, b"<html", "an HTML page, perhaps a failed download"),
    (0, b"<?xml", "an XML file"),
    (
        0,
        b"PK\x03\x04",
        "a zip archive (PyTorch .pt/.pt2 files are such); unpack it or rename it to .pt2",
    ),
    (0, b"\x89HDF", "an HDF5 file (Keras)"),
    (4, b"TFL3", "a TensorFlow Lite file"),
    (0, b"ML\xefR", "MLIR bytecode"),
    (0, b"module", "MLIR text; rename it to .mlir"),
    (0, b"\x80\x02", "a Python pickle (old PyTorch file)"),
    (0, b"\x80\x04", "a Python pickle (old PyTorch file)"),
    (0, b"\x1f\x8b", "a gzip archive; unpack it first"),
    (0, b"\x93NUMPY", "a NumPy array"),
    (0, b"\x7fELF", "a program or shared library"),
    (0, b"\x89PNG", "a PNG image"),
)


def _looks_like(head: bytes) -> str | None:
    for offset, magic, text in _SIGNATURES:
        if head[offset : offset + len(magic)] == magic:
            return text
    return None


def _read_bytes(path: Path) -> bytes:
    if not path.exists():
        raise missing_file(path)
    if path.is_dir():
        raise InputError(
            "the model path is a folder", where=str(path), fix="name the .onnx file inside of it"
        )
    if not path.is_file():
        raise InputError(
            "the model path is not a file",
            where=str(path),
            why="it is a device, a pipe or a socket",
            fix="write the model to a file first",
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("the file cannot be read", where=str(path), why=str(error)) from error


def _not_onnx(where: str, data: bytes, why: str) -> InputError:
    looks = _looks_like(data[:64])
    if looks:
        why = f"it starts with {data[:4]!r} and looks like {looks}"
    return InputError("this is not an ONNX file", where=where, why=why, fix="check the file")


def parse(data: bytes, where: str) -> onnx.ModelProto:
    """Parse the bytes of an ONNX file.

    Args:
        data: The bytes.
        where: What to call them in messages.

    Raises:
        InputError: Empty, another kind of file, truncated.
    """
    if not data:
        raise InputError("the file is empty", where=where, why="it has 0 bytes")
    if _looks_like(data[:64]):
        raise _not_onnx(where, data, "")
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        if data[:1] == b"\x08":
            raise InputError(
                "the ONNX file is truncated or damaged",
                where=where,
                why=f"it starts like ONNX, but its {len(data)} bytes do not parse",
                fix="download or export it again",
            ) from error
        raise _not_onnx(where, data, f"its {len(data)} bytes do not parse as ONNX") from error
    if not model.HasField("graph") or not model.ir_version:
        raise _not_onnx(where, data, "it holds no ONNX graph")
    return model


def read_model(path: Path) -> onnx.ModelProto:
    """Read a model with its external data.

    Raises:
        InputError: The file or one that it refers to is missing or wrong.
    """
    model = parse(_read_bytes(path), str(path))
    try:
        onnx.load_external_data_for_model(model, str(path.parent))
    except (OSError, ValueError, onnx.checker.ValidationError) as error:
        raise InputError(
            "external data of the model cannot be read",
            code="E-EXTDATA",
            where=str(path),
            why=str(error).splitlines()[0],
            fix="put the data files beside the .onnx file, as they were when it was exported",
        ) from error
    return model
