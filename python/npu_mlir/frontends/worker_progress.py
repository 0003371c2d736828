# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The note that the worker leaves about what it is doing, for the case that it dies."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any


class Progress:
    """One small JSON object in a file, overwritten in place.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._fd)

    def note(self, stage: str, **details: Any) -> None:
        """Say what is being worked on from now on.

        Args:
            stage: `import`, a pipeline step, or `probe`.
            details: More fields, for example `node`.
        """
        data = json.dumps({"stage": stage, **details}).encode()
        # One write, then the cut: whoever reads after a crash sees one whole object.
        os.pwrite(self._fd, data, 0)
        os.ftruncate(self._fd, len(data))


def read_progress(path: Path) -> dict[str, Any]:
    """The last note in `path`; empty if there is none."""
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}
