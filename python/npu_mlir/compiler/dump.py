# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IR dumps: one file per pass that changed something, with an index."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError

if TYPE_CHECKING:
    from ..mlir import ir

_OP = re.compile(r"(?:^|= |^\s+)\"?([a-z_]+\.[a-z_0-9.]+)", re.MULTILINE)


@dataclass(frozen=True)
class DumpEntry:
    """One line of the index.

    Attributes:
        number: position of the pass in the compilation, from 0 (the imported module).
        phase: import, linalg, tensor, buffer or isa.
        name: the pass.
        changed: whether it changed the IR.
        file: the file with the IR after it, None if it changed nothing.
        sha256: hash of the text, constants included by their hash.
        ops: op name to count.
        bytes: length of the text.
    """

    number: int
    phase: str
    name: str
    changed: bool
    file: str | None
    sha256: str
    ops: dict[str, int]
    bytes: int


class Dumper:
    """Writes the IR after every pass that changed it into a folder.

    Args:
        folder: where to write; made if missing. Files of an earlier dump with the same names are
            replaced; nothing else in it is touched.
        elide: constants of more elements than this are printed elided.

    Raises:
        InputError: the folder cannot be made or written.
    """

    def __init__(self, folder: str | os.PathLike[str], *, elide: int = 16) -> None:
        self.folder = Path(folder)
        self.elide = elide
        self.entries: list[DumpEntry] = []
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError("the dump folder cannot be made", where=str(folder), why=str(error)) from error

    def record(self, module: ir.Module, name: str, phase: str) -> None:
        """Write the module if the pass `name` changed it."""
        text = module.operation.get_asm(
            enable_debug_info=False, large_elements_limit=self.elide, large_resource_limit=self.elide
        )
        digest = hashlib.sha256(text.encode()).hexdigest()
        changed = not self.entries or digest != self.entries[-1].sha256
        number = len(self.entries)
        file = f"{number:02d}-{phase}-{name}.mlir" if changed else None
        if file:
            self._write(file, text)
        counts = Counter(_OP.findall(text))
        self.entries.append(
            DumpEntry(number, phase, name, changed, file, digest, dict(sorted(counts.items())), len(text))
        )

    def close(self) -> None:
        """Write index.json and index.md."""
        self._write("index.json", json.dumps([asdict(e) for e in self.entries], indent=2) + "\n")
        lines = ["| # | phase | pass | file | npu ops | all ops |", "|---|---|---|---|---|---|"]
        for e in self.entries:
            npu_ops = sum(n for op, n in e.ops.items() if op.startswith(("npu.", "npuisa.")))
            link = f"[{e.file}]({e.file})" if e.file else "unchanged"
            lines.append(f"| {e.number} | {e.phase} | {e.name} | {link} | {npu_ops} | {sum(e.ops.values())} |")
        self._write("index.md", "\n".join(lines) + "\n")

    def _write(self, file: str, text: str) -> None:
        try:
            (self.folder / file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError("the dump cannot be written", where=str(self.folder / file), why=str(error)) from error
