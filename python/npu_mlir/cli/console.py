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
PROGRESS_EVERY_S = 1.0


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
    """Names the running step on standard error once a second, when the work takes longer than two.

    Use as a context manager and call it with the name of each step before it runs. Steps that are
    over at once are not named.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._step = ""
        self._start = time.monotonic()
        self._done = threading.Event()
        self._thread = None if quiet else threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Progress:
        if self._thread:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread:
            self._thread.join()

    def __call__(self, step: str) -> None:
        self._step = step

    def _watch(self) -> None:
        shown, pause = "", PROGRESS_AFTER_S
        while not self._done.wait(pause):
            pause = PROGRESS_EVERY_S
            if self._step and self._step != shown:
                shown = self._step
                elapsed = time.monotonic() - self._start
                print(f"[{elapsed:6.1f} s] {shown}", file=sys.stderr, flush=True)
