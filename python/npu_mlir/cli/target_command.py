# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu target`: the hardware descriptions."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .console import Console
from .report import Report


@dataclass(frozen=True)
class Target:
    """A target description.

    Attributes:
        values: every number, in the order of the target file.
        digest: the hash of the content, as artefacts carry it.
        keys: unit and meaning of each value.
        figures: what follows from the values: unit, formula and value.
    """

    values: dict[str, Any]
    digest: str
    keys: dict[str, dict[str, str]]
    figures: dict[str, dict[str, Any]]


def read_target(name: str) -> Target:
    """Read a target.

    Args:
        name: a preset or the path of a target file.

    Raises:
        InputError: no such target, or its file breaks a rule; all broken rules are listed.
    """
    from ..compiler.arguments import check_target
    from ..mlir._mlir_libs import _npu

    check_target(name)
    values, digest, explanation = _npu.load_target(name)
    explained = json.loads(explanation)
    return Target(json.loads(values), digest, explained["keys"], explained["figures"])


def presets() -> list[str]:
    """The names of the built-in targets."""
    from ..mlir._mlir_libs import _npu

    return list(_npu.target_presets())


def run(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Run `npu target`."""
    report.body["action"] = options.action
    {"list": _list, "show": _show, "check": _check, "diff": _diff}[options.action](options, console, report)


def _list(_: argparse.Namespace, console: Console, report: Report) -> None:
    targets = [read_target(name) for name in presets()]
    rows: list[tuple[str, ...]] = [
        ("target", "MHz", "array", "int8 Tops/s", "SRAM KiB", "acc KiB", "DRAM GB/s", "element types")
    ]
    for target in targets:
        t = target.values
        array = f"{t['array_rows']}x{t['array_cols']}"
        kib = (f"{t['sram_bytes'] >> 10:,}", f"{t['acc_bytes'] >> 10:,}")
        peak, bandwidth = (_figure(target, key) for key in ("peak_i8_tops", "dram_bandwidth"))
        rows.append((t["name"], str(t["clock_mhz"]), array, peak, *kib, bandwidth, " ".join(t["dtypes"])))
    console.table(rows)
    report.counts["targets"] = len(targets)
    report.body["targets"] = [{**target.values, "hash": target.digest} for target in targets]
    report.next.append("npu target show mobile")


def _figure(target: Target, key: str) -> str:
    return f"{target.figures[key]['value']:.4g}" if key in target.figures else "-"


def _show(options: argparse.Namespace, console: Console, report: Report) -> None:
    target = _read(options.name, report)
    report.body["values"] = {**target.values, "hash": target.digest}
    report.body["figures"] = {key: figure["value"] for key, figure in target.figures.items()}
    console.rows([*_rows(target), ("hash", target.digest)])
    console.line()
    console.table(
        [
            ("derived", "value", "unit", "formula"),
            *((key, _figure(target, key), figure["unit"], figure["doc"]) for key, figure in target.figures.items()),
        ],
        left=4,
    )


def _rows(target: Target) -> list[tuple[str, str]]:
    return [(key, f"{_text(value)} {target.keys[key]['unit']}".rstrip()) for key, value in target.values.items()]


def _check(options: argparse.Namespace, console: Console, report: Report) -> None:
    if options.name not in presets() and not Path(options.name).exists():
        from ..frontends.files import missing_file

        raise missing_file(Path(options.name))
    target = _read(options.name, report)
    report.body["values"] = {**target.values, "hash": target.digest}
    console.line(f"ok: {options.name} is a valid target: '{target.values['name']}', {len(target.values)} values")
    report.next.append(f"npu compile MODEL --target {options.name}")


def _diff(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Values and figures of two targets that differ, with the ratio of numbers. Differing is no fault: exit code 0."""
    first, second = read_target(options.first), read_target(options.second)
    for name in (options.first, options.second):
        report.add_input(name)
    both = [
        *((key, value, second.values[key], first.keys[key]["unit"]) for key, value in first.values.items()),
        *(
            (key, _value(first, key), _value(second, key), (first.figures | second.figures)[key]["unit"])
            for key in first.figures | second.figures
        ),
    ]
    different = [(key, a, b, unit) for key, a, b, unit in both if a != b]
    report.body["differences"] = [{"key": key, "first": a, "second": b, "unit": unit} for key, a, b, unit in different]
    report.body["hashes"] = [first.digest, second.digest]
    report.counts |= {"equal": len(both) - len(different), "different": len(different)}
    if not different:
        console.line(f"the targets are equal: {len(both)} values, hash {first.digest}")
        return
    rows: list[tuple[str, ...]] = [("", options.first, options.second, "ratio", "unit")]
    rows += [(key, _text(a), _text(b), _ratio(a, b), unit) for key, a, b, unit in different if not isinstance(a, str)]
    console.table(rows)
    console.rows([(key, f"{a}\n{b}") for key, a, b, _ in different if isinstance(a, str)])
    console.line(f"{len(different)} of {len(both)} values and figures differ")


def _value(target: Target, key: str) -> float | None:
    return target.figures[key]["value"] if key in target.figures else None


def _ratio(a: Any, b: Any) -> str:
    """`b` over `a`, for numbers."""
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (a, b))
    return f"{b / a:.3g}x" if numbers and a else ""


def _read(name: str, report: Report) -> Target:
    report.set_target(name)
    report.add_input(name)
    return read_target(name)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return " ".join(map(str, value)) if isinstance(value, list) else "-" if value is None else str(value)
