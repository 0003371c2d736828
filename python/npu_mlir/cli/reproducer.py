# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder with all that is needed to see an internal error again."""

from __future__ import annotations

import hashlib
import platform
import shlex
import shutil
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

# Larger models are named in the folder, not copied.
LARGEST_COPY_BYTES = 64 << 20


def write_reproducer(error: Exception, argv: Sequence[str], model: str | None) -> Path | None:
    """Write the command, the traceback, the versions and the model to a new folder.

    Args:
        error: what was raised.
        argv: the arguments of the command.
        model: the model's file, if the command has one.

    Returns:
        The folder: in the current folder, or in the one for temporary files if that cannot be
        written; None if neither can.
    """
    trace = "".join(traceback.format_exception(error))
    digest = hashlib.sha256((shlex.join(argv) + trace).encode()).hexdigest()[:12]
    for parent in (Path("."), Path(tempfile.gettempdir())):
        folder = parent / f"npu-reproducer-{digest}"
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            (folder / "command.txt").write_text(shlex.join(["npu", *argv]) + "\n", encoding="utf-8")
            (folder / "traceback.txt").write_text(trace, encoding="utf-8")
            (folder / "versions.txt").write_text(_versions(), encoding="utf-8")
            if model and Path(model).is_file() and Path(model).stat().st_size <= LARGEST_COPY_BYTES:
                shutil.copy(model, folder)
            return folder
    return None


def _versions() -> str:
    from .doctor_command import package_versions

    lines = [f"python {platform.python_version()}", f"platform {platform.platform()}"]
    lines += [f"{name} {version or 'missing'}" for name, version in package_versions().items()]
    return "\n".join(lines) + "\n"
