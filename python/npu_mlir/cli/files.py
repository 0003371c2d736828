# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that commands write: checked before the work starts, never left half written."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import InputError


def _cannot_write(path: Path, why: str, fix: str) -> InputError:
    return InputError("the output cannot be written", code="E-OUTPUT", where=str(path), why=why, fix=fix)


def _is_special(path: Path) -> bool:
    """Whether the path is a device or pipe, which is written in place."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")


def check_output_file(path: Path, *, inputs: tuple[str, ...] = ()) -> None:
    """Raise before any long work if a file cannot be written.

    Args:
        path: the file that will be written.
        inputs: files that are read, which must not be overwritten.

    Raises:
        InputError: a missing folder, a folder in its place, no permission, or one of the inputs.
    """
    if _is_special(path):
        return
    if path.is_dir():
        raise _cannot_write(path, "it is a folder", f"name a file: {path / 'name'}")
    if not path.parent.is_dir():
        why = f"there is no folder '{path.parent}'"
        if path.parent.exists():
            why = f"'{path.parent}' is not a folder"
        raise _cannot_write(path, why, "make the folder first, or name another place")
    for name in inputs:
        if path.exists() and Path(name).exists() and path.samefile(name):
            raise InputError(
                "the output is the same file as an input",
                code="E-SAME",
                where=str(path),
                fix="name another output",
            )
    probe = _temporary(path)
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise _cannot_write(path, error.strerror or str(error), "name another place") from error


def check_output_folder(path: Path) -> None:
    """Raise if a folder can neither be used nor made; makes it.

    Raises:
        InputError: a file is in its place, or there is no permission.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / f".probe.{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        why = error.strerror or str(error)
        if path.exists() and not path.is_dir():
            why = "it is a file, not a folder"
        raise _cannot_write(path, why, "name another folder") from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place if the block succeeds.

    Nothing is left behind if the block raises, and an older file at `path` stays as it was.

    Raises:
        InputError: the file cannot be written.
    """
    if _is_special(path):
        yield path
        return
    goal = path.resolve() if path.is_symlink() else path
    temporary = _temporary(goal)
    try:
        yield temporary
        os.replace(temporary, goal)
    except OSError as error:
        raise _cannot_write(path, error.strerror or str(error), "name another place") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
