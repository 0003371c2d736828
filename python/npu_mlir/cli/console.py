# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What commands show to people: text, progress, errors."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from contextlib import suppress
from typing import TextIO

from ..errors import InputError, NPUError

# Work that is done sooner needs no progress lines.
PROGRESS_AFTER_S = 2.0
PROGRESS_EVERY_S = 1.0


def prepare_streams() -> None:
    """Make standard output and standard error writable in all cases, before anything is written.

    A closed stream gets a place that refuses every write, or for standard error swallows it: its
    number must not go to the next file that is opened. Characters that a stream cannot show are
    escaped.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            mode = os.O_RDONLY if number == 1 else os.O_WRONLY
            opened = os.open(os.devnull, mode)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (lives as long as the process)
            setattr(sys, name, stream)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def silence(stream: TextIO) -> None:
    """Send what is left in a stream, and all that follows, nowhere: Python must not complain at exit."""
    with suppress(OSError, ValueError):  # not a stream of the process, as in tests
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
        stream.flush()


def to_stderr(text: str) -> None:
    """A line for people. Nobody can be told if this fails."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def _unwritable(error: OSError) -> InputError:
    return InputError(
        "the output cannot be written",
        code="E-OUTPUT",
        where="standard output",
        why=error.strerror or str(error),
        fix="name a file, or send standard output to another place",
    )


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
            self._write(text + "\n", self._text)

    def result(self, text: str) -> None:
        """A result for machines, on standard output also if `quiet`."""
        self._write(text, sys.stdout)

    def flush(self) -> None:
        """Bring all that was written to its place.

        Raises:
            InputError: standard output is full or closed.
        """
        self._write("", sys.stdout)

    def _write(self, text: str, stream: TextIO) -> None:
        """Raises InputError if the stream takes nothing, and BrokenPipeError if its reader is gone."""
        if stream is sys.stderr:
            to_stderr(text.removesuffix("\n"))
            return
        try:
            stream.write(text)
            if not text:
                stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            silence(stream)
            raise _unwritable(error) from error

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
            to_stderr(text)

    def warning(self, text: str) -> None:
        """A warning, `W-...: text`."""
        if not self.quiet:
            to_stderr(self._paint(text, "33"))

    def error(self, error: NPUError) -> None:
        """An error in its full form: what, where, why, what to do."""
        first, *rest = str(error).split("\n")
        to_stderr("\n".join([self._paint(first, "31;1"), *rest]))

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
                to_stderr(f"[{elapsed:6.1f} s] {shown}")
