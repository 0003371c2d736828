# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all front ends that read files share."""

from __future__ import annotations

import difflib
from pathlib import Path

from ..errors import InputError


def missing_file(path: Path) -> InputError:
    """Error for a file that is not there, with a name that is close to it, if there is one."""
    near: list[str] = []
    if path.parent.is_dir():
        names = [entry.name for entry in path.parent.iterdir()]
        near = difflib.get_close_matches(path.name, names, n=1)
    fix = f"did you mean {path.parent / near[0]}?" if near else "check the path"
    return InputError("file not found", where=str(path), fix=fix)
