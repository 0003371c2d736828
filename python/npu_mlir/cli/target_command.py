# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu target`: the hardware descriptions."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..errors import InputError
from .console import Console
from .report import Report


def read_target(name: str) -> dict[str, Any]:
    """Every number of a target, in file order, and its hash.

    Args:
        name: a preset or the path of a target file.

    Raises:
        InputError: no such target, or its file breaks a rule; all broken rules are listed.
    """
    from ..mlir._mlir_libs import _npu

    try:
        text, digest = _npu.load_target(name)
    except _npu.NativeError as error:
        raise InputError(
            f"the target '{name}' cannot be used",
            code="E-TARGET",
            why=str(error),
            fix=f"use {', '.join(presets())} or a path to a target file",
        ) from error
    return {**json.loads(text), "hash": digest}


def presets() -> list[str]:
    """The names of the built-in targets."""
    from ..mlir._mlir_libs import _npu

    return list(_npu.target_presets())


def run(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Run `npu target`."""
    report.body["action"] = options.action
    {"list": _list, "show": _show, "check": _check}[options.action](options, console, report)


def _list(_: argparse.Namespace, console: Console, report: Report) -> None:
    targets = [read_target(name) for name in presets()]
    rows: list[tuple[str, ...]] = [("target", "MHz", "array", "SRAM KiB", "acc KiB", "DRAM B/cycle", "element types")]
    for t in targets:
        array = f"{t['array_rows']}x{t['array_cols']}"
        kib = (f"{t['sram_bytes'] >> 10:,}", f"{t['acc_bytes'] >> 10:,}")
        dtypes = " ".join(t["dtypes"])
        rows.append((t["name"], str(t["clock_mhz"]), array, *kib, str(t["dram_bytes_per_cycle"]), dtypes))
    console.table(rows)
    report.counts["targets"] = len(targets)
    report.body["targets"] = targets
    report.next.append("npu target show mobile")


def _show(options: argparse.Namespace, console: Console, report: Report) -> None:
    values = _read(options.name, report)
    console.rows([(key, _text(value)) for key, value in values.items()])


def _check(options: argparse.Namespace, console: Console, report: Report) -> None:
    if options.name not in presets() and not Path(options.name).exists():
        from ..frontends.files import missing_file

        raise missing_file(Path(options.name))
    values = _read(options.name, report)
    console.line(f"ok: {options.name} is a valid target: '{values['name']}', {len(values)} values")
    report.next.append(f"npu compile MODEL --target {options.name}")


def _read(name: str, report: Report) -> dict[str, Any]:
    report.set_target(name)
    report.add_input(name)
    values = read_target(name)
    report.body["values"] = values
    return values


def _text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
