# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check the conventions that a machine can see (CONTRIBUTING.md names them); exit code 1 if one is broken.

    python tools/scripts/check_conventions.py

Prints `file:line: rule: text` for everything found.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LICENSE = "Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions."
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
MOST_LINES = 800

# Suffixes and names of files that carry the license header.
SOURCE_SUFFIXES = {".cpp", ".h", ".inc", ".td", ".py", ".cmake", ".yaml"}
SOURCE_NAMES = {"CMakeLists.txt", "Makefile"}

# Longer files, each with the reason why it is not cut.
LONG_FILES: dict[str, str] = {}

# Layers: files below the key include nothing from below the values.
FORBIDDEN_INCLUDES = {
    "machine": ("mlir", "llvm", "dialects", "passes", "simulator", "runtime", "tools", "python"),
    "simulator": ("mlir", "llvm", "dialects", "passes", "runtime", "tools", "python"),
    "dialects": ("passes", "runtime", "tools", "python"),
    "passes": ("runtime", "tools", "python"),
    "runtime": ("tools", "python"),
}

# The repository speaks of the project alone, not of the place where it is written.
FOREIGN_TEXT = re.compile(r"/(?:work|shared|root|home)/\w|\b(?:language model|chat ?bot|AI assistant)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """A broken rule: where, which, and what was found."""

    file: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.text}"


def project_files() -> list[str]:
    """Every file that belongs to the project, relative to its root, sorted."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        names = result.stdout.splitlines()
    else:  # an unpacked source archive
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if not {".venv", "build"} & set(p.parts)]
    return sorted(name for name in names if (ROOT / name).is_file())


def is_source(name: str) -> bool:
    """Whether the file needs a license header."""
    path = Path(name)
    return path.suffix in SOURCE_SUFFIXES or path.name in SOURCE_NAMES


def check_file(name: str, text: str) -> Iterator[Finding]:
    """Check one file.

    Args:
        name: its path from the root of the project.
        text: its content.
    """
    lines = text.splitlines()
    if is_source(name):
        yield from _check_header(name, lines)
        if len(lines) > MOST_LINES and name not in LONG_FILES:
            yield Finding(name, MOST_LINES, "length", f"{len(lines)} lines, at most {MOST_LINES}: split the file")
    for number, line in enumerate(lines, 1):
        for word in re.finditer(r"\b(?:TODO|FIXME|XXX|HACK)\b(?!\(#\d+\): \S)", line):
            if not name.endswith(("check_conventions.py", "test_conventions.py", "CONTRIBUTING.md")):
                yield Finding(
                    name, number, "todo", f"{word.group()} without an issue: TODO(#123): what, and what unblocks it"
                )
        if not name.endswith(("check_conventions.py", "test_conventions.py")) and (found := FOREIGN_TEXT.search(line)):
            yield Finding(name, number, "text", f"'{found.group()}' does not belong into the project")
        if is_source(name) and line != line.rstrip():
            yield Finding(name, number, "space", "space at the end of the line")
    yield from _check_includes(name, lines)


def _check_header(name: str, lines: list[str]) -> Iterator[Finding]:
    head = lines[1:4] if lines and lines[0].startswith("#!") else lines[:3]
    for text in (LICENSE, SPDX):
        if not any(text in line for line in head):
            yield Finding(name, 1, "license", f"the first lines lack '{text}'")


def _check_includes(name: str, lines: list[str]) -> Iterator[Finding]:
    layer = name.split("/", 1)[0]
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#include\s+["<]([\w-]+)/', line)
        if match and match[1] in FORBIDDEN_INCLUDES.get(layer, ()):
            yield Finding(name, number, "layers", f"{layer}/ must not include {match[1]}/")


def check_readmes(names: list[str]) -> Iterator[Finding]:
    """Each folder of the first level that holds sources has a README, and each second-level one of the compiler."""
    folders = {Path(*Path(name).parts[:1]) for name in names if is_source(name) and "/" in name}
    folders |= {Path(*Path(name).parts[:2]) for name in names if re.match(r"(dialects|passes)/\w+/", name)}
    for folder in sorted(folders):
        if not (ROOT / folder / "README.md").exists():
            yield Finding(str(folder), 1, "readme", "the folder has no README.md")


def check_project() -> list[Finding]:
    """Check everything."""
    names = project_files()
    findings = list(check_readmes(names))
    for name in names:
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        findings += check_file(name, text)
    stale = [name for name in LONG_FILES if name not in names]
    findings += [Finding(name, 1, "length", "is in LONG_FILES, but does not exist") for name in stale]
    return findings


def main() -> int:
    """Print what was found."""
    findings = check_project()
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings in {len(project_files())} files")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
