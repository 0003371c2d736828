# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The conventions that a machine can see hold, and the checker finds what breaks them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
HEADER = (
    "# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.\n"
    "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
)


def load_script(name: str) -> ModuleType:
    """A script of tools/scripts as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


conventions = load_script("check_conventions")


def test_the_project_keeps_its_conventions() -> None:
    findings = conventions.check_project()
    assert not findings, "\n".join(map(str, findings))


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("a.py", "x = 1\n", "license"),
        ("a.py", HEADER + "x = 1\n" * 900, "length"),
        ("a.py", HEADER + "# TODO: later\n", "todo"),
        ("a.py", HEADER + "# TODO(#12) later\n", "todo"),
        ("a.py", HEADER + "x = 1 \n", "space"),
        ("README.md", "see /" + "work/main\n", "text"),
        ("simulator/a.cpp", "//" + HEADER + '#include "mlir/IR/Attributes.h"\n', "layers"),
        ("dialects/a.cpp", "//" + HEADER + '#include "passes/A.h"\n', "layers"),
    ],
)
def test_a_broken_rule_is_found(name: str, text: str, rule: str) -> None:
    assert rule in {finding.rule for finding in conventions.check_file(name, text)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", HEADER + "# TODO(#12): cut the table, once the encoder knows ranges\n"),
        ("a.py", "#!/usr/bin/env python3\n" + HEADER + "x = 1\n"),
        ("notes.txt", "any text\n"),
        ("passes/a.cpp", "//" + HEADER + '#include "dialects/A.h"\n'),
    ],
)
def test_what_keeps_the_rules_is_left_alone(name: str, text: str) -> None:
    assert not list(conventions.check_file(name, text))


def test_the_reference_pages_are_up_to_date() -> None:
    docs = load_script("generate_docs")
    stale = [page.file for page in docs.PAGES if not docs.is_current(page)]
    assert not stale, f"{stale}: run python tools/scripts/generate_docs.py"


def test_every_document_is_in_the_index() -> None:
    for folder in ("docs", "docs/decisions", "docs/reference"):
        index = ROOT / ("docs" if folder == "docs/reference" else folder) / "README.md"
        text = index.read_text(encoding="utf-8")
        for path in (ROOT / folder).glob("*.md"):
            assert path.name == "README.md" or path.name in text, f"{path} is not in {index}"


def test_links_between_documents_lead_somewhere() -> None:
    import re

    for name in conventions.project_files():
        if name.endswith(".md"):
            text = (ROOT / name).read_text(encoding="utf-8")
            for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text):
                assert (ROOT / name).parent.joinpath(target).exists(), f"{name}: {target}"
