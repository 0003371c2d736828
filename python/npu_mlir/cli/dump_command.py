# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu dump`: the IR after every pass, with an index."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .compilation import compile_model
from .console import Console
from .files import check_output_folder
from .report import Report


def run(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Run `npu dump`. What was dumped before a pass failed stays, and is listed."""
    folder = Path(options.output)
    check_output_folder(folder)
    index = folder / "index.json"
    index.unlink(missing_ok=True)
    try:
        compile_model(options, console, report, dump_dir=options.output)
    finally:
        if index.is_file():
            _list(folder, index, console, report)


def _list(folder: Path, index: Path, console: Console, report: Report) -> None:
    entries = json.loads(index.read_text(encoding="utf-8"))
    rows: list[tuple[str, ...]] = [("#", "phase", "pass", "file", "ops")]
    for entry in entries:
        ops = str(sum(entry["ops"].values()))
        file = entry["file"] or "unchanged"
        rows.append((str(entry["number"]), entry["phase"], entry["name"], file, ops))
        if entry["file"]:
            report.add_artifact("ir", folder / entry["file"])
    console.table(rows, left=4)
    for name in ("index.json", "index.md"):
        report.add_artifact("index", folder / name)
    report.counts.update(passes=len(entries), changed=sum(e["changed"] for e in entries))
    report.body["passes"] = entries
    console.rows([("wrote", f"{folder} (index.md is the list)")])
