# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What commands show to people: text, progress, errors."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TextIO

from ..errors import NPUError

# Work that is done sooner needs no progress lines.
PROGRESS_AFTER_S = 2.0


class Console:
    """The streams of one command.

    Args:
        quiet: show errors only.
        color: use colour where the stream is a terminal.
        text: where results go; standard error if standard output carries a machine result.
    """

    def __init__(self, *, quiet: bool = False, color: bool = True, text: TextIO | None = None) -> None:
        self.quiet = quiet
        self._text = text or sys.stdout
        self._color = color and "NO_COLOR" not in os.environ and sys.stderr.isatty()

    def use_stderr(self) -> None:
        """Send text to standard error from now on: standard output carries a result."""
        self._text = sys.stderr

    def line(self, text: str = "") -> None:
        """A line of the result."""
        if not self.quiet:
            print(text, file=self._text)

    def rows(self, rows: list[tuple[str, str]]) -> None:
        """Label and value, the values below each other."""
        width = max((len(label) for label, _ in rows), default=0) + 2
        for label, value in rows:
            first, *rest = value.split("\n")
            self.line(f"{label:<{width}}{first}".rstrip())
            for line in rest:
                self.line(" " * width + line)

    def table(self, rows: list[tuple[str, ...]], *, left: int = 1) -> None:
        """Columns, the first row being their names; all but the first `left` aligned right."""
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            cells = [
                cell.ljust(width) if i < left else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            self.line("  ".join(cells).rstrip())

    def note(self, text: str) -> None:
        """A remark beside the result."""
        if not self.quiet:
            print(text, file=sys.stderr)

    def warning(self, text: str) -> None:
        """A warning, `W-...: text`."""
        if not self.quiet:
            print(self._paint(text, "33"), file=sys.stderr)

    def error(self, error: NPUError) -> None:
        """An error in its full form: what, where, why, what to do."""
        first, *rest = str(error).split("\n")
        print("\n".join([self._paint(first, "31;1"), *rest]), file=sys.stderr)

    def _paint(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._color else text


class Progress:
    """Names the running step on standard error once the work takes longer than two seconds.

    Use as a context manager and call it with the name of each step before it runs.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._step = ""
        self._shown = ""
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._timer = threading.Timer(PROGRESS_AFTER_S, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        if not self._quiet:
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._quiet = True

    def __call__(self, step: str) -> None:
        self._step = step
        if time.monotonic() - self._start >= PROGRESS_AFTER_S:
            self._show()

    def _show(self) -> None:
        with self._lock:
            if self._quiet or not self._step or self._step == self._shown:
                return
            self._shown = self._step
            elapsed = time.monotonic() - self._start
            print(f"[{elapsed:6.1f} s] {self._step}", file=sys.stderr, flush=True)
