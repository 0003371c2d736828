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
from ..frontends.termination import cleaned_up


def _cannot_write(path: Path, why: str, fix: str) -> InputError:
    return InputError("the output cannot be written", code="E-OUTPUT", where=str(path), why=why, fix=fix)


def _is_special(path: Path) -> bool:
    """Whether the path is a device or pipe, which is written in place."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _temporary(path: Path) -> Path:
    # Cut, so that it is no longer than what file systems take if the name itself is not.
    return path.with_name(f".{path.stem[:40]}.{os.getpid()}{path.suffix[:16]}")


def check_output_file(path: Path) -> None:
    """Raise before any long work if a file cannot be written.

    Args:
        path: the file that will be written.

    Raises:
        InputError: a missing folder, a folder in its place, or no permission.
    """
    if _is_special(path):
        return
    if os.path.isdir(path):  # Unlike Path.is_dir it takes names of any length.
        raise _cannot_write(path, "it is a folder", f"name a file: {path / 'name'}")
    if not os.path.isdir(path.parent):
        why = f"there is no folder '{path.parent}'"
        if os.path.exists(path.parent):
            why = f"'{path.parent}' is not a folder"
        raise _cannot_write(path, why, "make the folder first, or name another place")
    probe = _temporary(path)
    try:
        with suppress(FileNotFoundError):
            path.lstat()  # Finds names that are too long.
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
        if os.path.exists(path) and not os.path.isdir(path):
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
        try:
            yield path
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _cannot_write(path, error.strerror or str(error), "name another place") from error
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
    """Write a text file whole or not at all, also if the process is told to end meanwhile."""
    with cleaned_up(), replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
