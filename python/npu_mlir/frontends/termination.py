# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Leaving nothing behind when the process is told to end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# A closed terminal, and what `kill`, `timeout` and CI systems send.
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Ended(BaseException):
    """Unwinds the stack, so that everything on the way cleans up."""


@contextmanager
def cleaned_up() -> Iterator[None]:
    """Run the clean-up of a block (`finally`, `with`) before SIGTERM or SIGHUP ends the process.

    The process then ends by that signal, as it would have done: a shell sees 128 + its number.
    Signals that the program handles or ignores itself (`nohup`) stay as they are; outside of the
    main thread, where Python takes no signals, nothing is changed.

    Keep long native calls out of the block: Python cannot unwind them.
    """
    taken = []
    received: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        if not received:  # A second signal must not interrupt the clean-up.
            received.append(number)
            raise _Ended

    if threading.current_thread() is threading.main_thread():
        taken = [number for number in _SIGNALS if signal.getsignal(number) == signal.SIG_DFL]
    for number in taken:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
        if received:
            os.kill(os.getpid(), received[0])
