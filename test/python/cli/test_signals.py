# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that is told to end leaves neither files nor processes behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import npu_mlir
import pytest
from cli_support import files_in
from npu_mlir.frontends.termination import cleaned_up

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

# Imports a model with a worker that never answers.
PROGRAM = """
import sys
from pathlib import Path
from npu_mlir.frontends import worker_client
job = worker_client.WorkerJob("onnx", lambda path: None, "m.onnx")
# The worker waits for a writer of this pipe.
write = worker_client._request
def request(folder, job, mode, skip=0):
    import os
    os.mkfifo(folder / "request.json")
worker_client._request = request
worker_client.lower_in_worker(job)
"""


def _listen() -> None:
    """A shell starts commands in the background deaf to some signals, and they hand that on."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def start(tmp_path: Path) -> tuple[subprocess.Popen[bytes], int]:
    """The process and its worker's number, once both wait."""
    environment = os.environ | {"PYTHONPATH": str(Path(npu_mlir.__path__[0]).parent), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=_listen,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
        if found.stdout.strip():
            time.sleep(0.5)
            return process, int(found.stdout)
        time.sleep(0.05)
    process.kill()
    raise AssertionError("there is no worker")


def ended(pid: int) -> bool:
    """Whether a process is gone within ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_the_worker_ends_with_its_parent(tmp_path: Path, number: signal.Signals) -> None:
    process, worker = start(tmp_path)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert ended(worker)
    assert process.returncode == -number
    if number in (signal.SIGTERM, signal.SIGHUP):
        assert b"Traceback" not in err
    if number != signal.SIGKILL:
        assert files_in(tmp_path) == []


def test_signals_that_the_program_handles_stay_its_own() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    try:
        with cleaned_up():
            os.kill(os.getpid(), signal.SIGTERM)
        assert seen == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_handlers_are_gone_afterwards_and_other_threads_have_none() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with cleaned_up():
        pass
    assert signal.getsignal(signal.SIGTERM) == before
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with cleaned_up():
                pass
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failures == []
