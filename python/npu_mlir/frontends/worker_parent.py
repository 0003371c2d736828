# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ties the worker to the process that started it: an orphan would work on for nobody."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """End this process when the one that started it ends, however that happens.

    Standard input must be a pipe that the parent holds open and never writes to.
    """
    if sys.platform == "linux":
        # The kernel does it, also while native code keeps the thread below from running.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # Also if the parent ended before the call above.
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)
