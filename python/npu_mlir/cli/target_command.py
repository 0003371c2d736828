# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu target`: the hardware descriptions."""

from __future__ import annotations

import argparse
from typing import Any

from .console import Console
from .report import Report

PRESETS = ("tiny", "edge", "mobile", "server")


def read_target(name: str) -> dict[str, Any]:
    """Every number of a target, in file order, with its hash.

    Args:
        name: a preset or the path of a target file.

    Raises:
        InputError: no such target, or its file breaks a rule; all broken rules are listed.
    """
    from ..compiler.driver import set_target
    from ..mlir import ir

    with ir.Context() as context:
        module = ir.Module.parse("module {}", context)
        set_target(module, name)
        # #npu.target<"name", hash = "...", {key = value, ...}>: the first brace opens the numbers.
        text = str(module.operation.attributes["npu.target"])
        head, brace, rest = text.partition("{")
        numbers = ir.DictAttr(ir.Attribute.parse(brace + rest.rstrip(">").rstrip()))
        quoted = head.split('"')
        values: dict[str, Any] = {"name": quoted[1], "hash": quoted[3]}
        values.update((entry.name, _value(entry.attr)) for entry in numbers)
        return values


def _value(attribute: Any) -> Any:
    from ..mlir import ir

    if isinstance(attribute, ir.ArrayAttr):
        return [_value(item) for item in attribute]
    return attribute.value


def run(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Run `npu target`."""
    report.body["action"] = options.action
    {"list": _list, "show": _show, "check": _check}[options.action](options, console, report)


def _list(_: argparse.Namespace, console: Console, report: Report) -> None:
    targets = [read_target(name) for name in PRESETS]
    rows: list[tuple[str, ...]] = [
        ("target", "MHz", "array", "SRAM KiB", "acc KiB", "DRAM B/cycle", "element types")
    ]
    for t in targets:
        array = f"{t['array_rows']}x{t['array_cols']}"
        kib = (f"{t['sram_bytes'] >> 10:,}", f"{t['acc_bytes'] >> 10:,}")
        dtypes = " ".join(t["dtypes"])
        rows.append(
            (t["name"], str(t["clock_mhz"]), array, *kib, str(t["dram_bytes_per_cycle"]), dtypes)
        )
    console.table(rows)
    report.counts["targets"] = len(targets)
    report.body["targets"] = targets
    report.next.append("npu target show mobile")


def _show(options: argparse.Namespace, console: Console, report: Report) -> None:
    values = _read(options.name, report)
    console.rows([(key, _text(value)) for key, value in values.items()])


def _check(options: argparse.Namespace, console: Console, report: Report) -> None:
    from pathlib import Path

    if options.name not in PRESETS and not Path(options.name).exists():
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
