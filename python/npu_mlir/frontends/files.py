# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all front ends that read files share."""

from __future__ import annotations

import difflib
import os
from contextlib import suppress
from pathlib import Path

from ..errors import InputError


def missing_file(path: Path) -> InputError:
    """Error for a file that is not there, with a name that is close to it, if there is one."""
    near: list[str] = []
    if os.path.isdir(path.parent):
        names = [entry.name for entry in path.parent.iterdir()]
        near = difflib.get_close_matches(path.name, names, n=1)
    fix = f"did you mean {path.parent / near[0]}?" if near else "check the path"
    return InputError("file not found", where=str(path), fix=fix)


def check_name(name: str | os.PathLike[str]) -> None:
    """Raise if no file can have this name; it need not exist.

    Raises:
        InputError: It is too long, or holds a character that names cannot hold.
    """
    try:
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            os.lstat(name)
    except (OSError, ValueError) as error:
        text = os.fspath(name)
        raise InputError(
            "no file can have this name",
            where=text if len(text) < 200 else text[:200] + "...",
            why=getattr(error, "strerror", None) or str(error),
            fix="check the path",
        ) from error
