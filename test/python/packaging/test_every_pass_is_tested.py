# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every pass that a Passes.td defines is run by at least one lit test."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PASS = re.compile(r'^def\s+\w+\s*:\s*Pass<\s*"([^"]+)"', re.MULTILINE)


def pass_flags() -> set[str]:
    """Return the flags of all passes of the project, without dashes."""
    return {flag for file in ROOT.glob("passes/**/Passes.td") for flag in PASS.findall(file.read_text())}


def run_lines() -> list[str]:
    """Return the RUN lines of the lit tests of passes; their continuations are RUN lines too."""
    files = (ROOT / "test" / "passes").rglob("*.mlir")
    return [line for file in files for line in file.read_text().splitlines() if "RUN:" in line]


def test_every_pass_has_a_lit_test() -> None:
    flags = pass_flags()
    assert flags, "found no pass definitions: did the layout of passes/ change?"
    text = "\n".join(run_lines()).replace("--", " ")
    # A flag may be the beginning of another one, so the name must end where the flag does.
    untested = sorted(flag for flag in flags if not re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text))
    assert not untested, f"no RUN line in test/passes names these passes: {untested}; add a lit test for each"
