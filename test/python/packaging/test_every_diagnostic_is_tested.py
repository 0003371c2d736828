# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every error that the dialects and the passes report is provoked by at least one test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ("dialects", "passes")
TESTS = ("test/dialects", "test/passes", "test/python", "test/e2e")
EMIT = re.compile(r"\bemit(?:Op)?Error\(")
# A string of C++, a comment, or one other character.
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|\s+|.')
ESCAPES = {r"\"": '"', r"\\": "\\", r"\n": "\n"}

# Messages that no test can provoke, by their longest literal, with the reason. One that a test has after all, or that
# no source has any more, fails the test below: the list shows what is out of reach today.
UNREACHABLE: dict[str, str] = {
    "' has no reference lowering outside of its npu.program": "a new op of the dialect would show",
    "' did not come to an end": "two patterns that undo each other would show; none do",
}


class Diagnostic(NamedTuple):
    """An error of the sources: where it is emitted, and the longest part of its text that no value interrupts."""

    place: str
    fragment: str


def literals(statement: str) -> list[str]:
    """Return the literal parts of a message: strings side by side or joined by `<<` are one part, a value ends it."""
    parts = [""]
    for token in TOKEN.findall(statement):
        if token.startswith('"'):
            text = token[1:-1]
            for escape, character in ESCAPES.items():
                text = text.replace(escape, character)
            parts[-1] += text
        elif token.strip() and token != "<" and not token.startswith("//"):
            parts.append("")
    return [part for part in parts if part]


def statement_at(text: str, start: int) -> str:
    """Return the text from `start` to the semicolon that ends the statement, which is in no string and no bracket."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        match token.group():
            case "(" | "{" | "[":
                depth += 1
            case ")" | "}" | "]":
                depth -= 1
            case ";" if depth <= 0:
                return text[start : token.start()]
        if depth < 0:
            return text[start : token.start()]
    return text[start:]


def diagnostics() -> Iterator[Diagnostic]:
    """Yield the errors that the C++ sources report with words of their own, in the order of the files."""
    files = (
        file for folder in SOURCES for suffix in ("cpp", "h") for file in sorted((ROOT / folder).rglob(f"*.{suffix}"))
    )
    for file in files:
        text = file.read_text()
        for match in EMIT.finditer(text):
            parts = literals(statement_at(text, match.start()))
            # A message without words passes on that of another function; a note is part of the statement at most.
            if parts:
                line = text.count("\n", 0, match.start()) + 1
                yield Diagnostic(f"{file.relative_to(ROOT)}:{line}", max(parts, key=len).strip())


def text_of_tests() -> str:
    """Return the text of all tests but this one, whose exceptions quote messages."""
    files = (file for folder in TESTS for suffix in ("mlir", "py") for file in (ROOT / folder).rglob(f"*.{suffix}"))
    return "\n".join(file.read_text() for file in files if file != Path(__file__).resolve())


def test_every_diagnostic_has_a_test() -> None:
    found = list(diagnostics())
    assert len(found) > 100, f"found only {len(found)} diagnostics: did the sources change their way to report errors?"
    text = text_of_tests()
    untested = [d for d in found if d.fragment not in text and d.fragment not in UNREACHABLE]
    listing = "\n".join(f"  {d.place}: {d.fragment!r}" for d in untested)
    assert not untested, f"no test expects the text of these errors; add a negative test for each:\n{listing}"


def test_no_exception_is_needless() -> None:
    text = text_of_tests()
    fragments = {d.fragment for d in diagnostics()}
    needless = sorted(fragment for fragment in UNREACHABLE if fragment not in fragments or fragment in text)
    assert not needless, f"these exceptions name a message that is tested or gone; delete them: {needless}"
