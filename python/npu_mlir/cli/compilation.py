# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilation as the commands `compile`, `run` and `dump` share it, and its figures."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .arguments import parse_inserts, parse_shapes
from .clashes import model_files
from .console import Console, Progress
from .report import Report

if TYPE_CHECKING:
    from ..executable import Executable
    from ..mlir import ir

DEFAULT_TARGET = "mobile"


def compile_model(
    options: argparse.Namespace,
    console: Console,
    report: Report,
    *,
    dump_dir: str | None = None,
) -> Executable:
    """Compile `options.model` as the flags say; inputs and target go to the report."""
    arguments = _arguments(options, report)
    from ..compiler import compile

    with Progress(quiet=options.quiet) as progress:
        return compile(options.model, dump_dir=dump_dir, progress=progress, **arguments)


def lower_model(
    options: argparse.Namespace, console: Console, report: Report, *, level: str, dump_dir: str | None
) -> ir.Module:
    """Compile `options.model` down to a level as the flags say; inputs and target go to the report."""
    arguments = _arguments(options, report)
    from ..compiler import lower

    with Progress(quiet=options.quiet) as progress:
        return lower(options.model, to=level, dump_dir=dump_dir, progress=progress, **arguments)


def _arguments(options: argparse.Namespace, report: Report) -> dict[str, Any]:
    """The flags as arguments of `npu_mlir.compile`."""
    target = options.target or DEFAULT_TARGET
    for file in model_files(options.model):
        report.add_input(file)
    report.set_target(target)
    if options.model.endswith(".npuprog"):
        raise InputError(
            "this is a bare device program, which has no host part",
            where=options.model,
            fix=f"npu-run {options.model}",
        )
    return {
        "target": target,
        "shapes": parse_shapes(options.shape) or None,
        "entry": options.entry,
        "no_host": options.no_host,
        "passes": parse_inserts(options.insert),
    }


@dataclass(frozen=True)
class Figures:
    """What there is to count in a compiled model.

    Attributes:
        npu_nodes: names of the source nodes that became device instructions.
        programs: device programs.
        instructions: kind of instruction to its number, loops not unrolled.
    """

    npu_nodes: frozenset[str]
    programs: int
    instructions: dict[str, int]


# Ops of npuisa that are no instructions of a queue.
_STRUCTURE = frozenset({"program", "loop", "yield", "micro", "halt"})


def figures(executable: Executable) -> Figures:
    """Count in the npuisa level of a model."""
    nodes: set[str] = set()
    kinds: dict[str, int] = {}
    programs = 0
    for operation in walk(executable.ir("npuisa").operation):
        dialect, _, kind = operation.name.partition(".")
        if dialect != "npuisa":
            continue
        if kind == "program":
            programs += 1
        elif kind not in _STRUCTURE:
            kinds[kind] = kinds.get(kind, 0) + 1
            nodes.update(location_names(str(operation.location)))
    return Figures(frozenset(nodes), programs, dict(sorted(kinds.items())))


def walk(operation: ir.Operation) -> Iterator[ir.Operation]:
    """An operation and all below it, in order; microprograms are leaves."""
    yield operation
    if operation.name == "npuisa.micro":
        return
    for region in operation.regions:
        for block in region.blocks:
            for child in block.operations:
                yield from walk(child.operation)


def location_names(text: str) -> list[str]:
    """The names inside a printed location."""
    import re

    return re.findall(r'"((?:[^"\\]|\\.)*)"(?!:\d)', text)
