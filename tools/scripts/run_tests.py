# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every test of the project: C++ unit tests, lit (twice: plain and with round trips) and pytest.

Ends with one line 'N passed, N failed' over all of them, and exit code 0 only if none failed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(title: str, command: list[str], counts: dict[str, str], **environment: str) -> tuple[int, int]:
    """Run one suite, show its output, and return (passed, failed).

    Args:
        title: name of the suite.
        command: the command to run in the root of the project.
        counts: regular expressions with one group, for "passed" and "failed"; all matches add up.
        environment: variables to set for the command.

    A suite that ends with an error but counts no failure, or that counts no test at all, is one failure.
    """
    print(f"=== {title}: {' '.join(command)}", flush=True)
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        print(line, end="", flush=True)
    status = process.wait()
    text = "".join(lines)
    passed, failed = (sum(map(int, re.findall(counts[kind], text))) for kind in ("passed", "failed"))
    if (status != 0 and failed == 0) or passed + failed == 0:
        print(f"{title}: ended with {status} after {passed} passed tests and no counted failure", flush=True)
        failed += 1
    print(f"--- {title}: {passed} passed, {failed} failed in {time.monotonic() - start:.0f} s", flush=True)
    return passed, failed


def simulator_tests() -> str:
    """The unit tests of the simulator in the newest build folder: that of pip, or that of make dev.

    Raises:
        SystemExit: there is none.
    """
    found = [*ROOT.glob("build/*/simulator/tests/simulator_tests"), *ROOT.glob("build/simulator/tests/simulator_tests")]
    if not found:
        raise SystemExit("simulator_tests not found below build/: run make test, or make dev")
    return str(max(found, key=lambda path: path.stat().st_mtime))


def main() -> int:
    """Run all suites; 0 if every test passed."""
    python = sys.executable
    script = Path(python).with_name("lit")
    lit = [str(script), "test"] if script.exists() else [python, "-m", "lit.main", "test"]
    lit_counts = {
        "passed": r"(?m)^\s*Passed\s*:\s*(\d+)",
        "failed": r"(?m)^\s*(?:Failed|Unresolved|Timed Out|Unexpectedly Passed)\s*:\s*(\d+)",
    }
    pytest_counts = {
        "passed": r"(?m)^.*?\b(\d+) passed\b.* in ",
        "failed": r"(?m)^.*?\b(\d+) (?:failed|errors?)\b.* in ",
    }
    # Neighbouring tests share compiled models, so each worker starts with a contiguous part of them.
    parallel = ["-n", "auto", "--dist", "worksteal"]
    results = [
        run("simulator", [simulator_tests()], {"passed": r"(?m)^(\d+) passed", "failed": r", (\d+) failed$"}),
        run("lit", lit, lit_counts),
        run("lit, round trips", lit, lit_counts, NPU_CHECK_ROUNDTRIP="1"),
        run("pytest", [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *parallel], pytest_counts),
    ]
    print(f"{sum(p for p, _ in results)} passed, {sum(f for _, f in results)} failed")
    return int(any(f for _, f in results))


if __name__ == "__main__":
    sys.exit(main())
