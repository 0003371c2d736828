# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu compile`: a model to a package, or to the text of one level."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..frontends.termination import cleaned_up
from .clashes import default_output
from .compilation import compile_model, figures, lower_model
from .console import Console
from .files import check_output_file, check_output_folder, replacing, write_text
from .report import Report

if TYPE_CHECKING:
    from ..executable import Executable
    from ..mlir import ir


def _level_text(module: ir.Module) -> str:
    """The text of a module. Large weights are left out of it."""
    text = str(module.operation.get_asm(large_elements_limit=16, large_resource_limit=16))
    return text if text.endswith("\n") else text + "\n"


def _write_level(module: ir.Module, output: Path) -> None:
    """Write a module: bytecode with everything in it if the file is called .mlirbc, else text."""
    if output.suffix == ".mlirbc":
        with cleaned_up(), replacing(output) as temporary, open(temporary, "wb") as file:
            module.operation.write_bytecode(file)
    else:
        write_text(output, _level_text(module))


def run(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Run `npu compile`."""
    to_stdout = options.emit and options.output in (None, "-")
    if to_stdout and options.json == "-":
        raise InputError(
            "--emit and --json would both write to standard output",
            code="E-USAGE",
            where="npu compile",
            fix="name a file: --json report.json, or -o level.mlir",
        )
    output = Path(options.output) if options.output else default_output(options.model)
    if to_stdout:
        console.use_stderr()
    else:
        check_output_file(output)
    if options.dump_dir:
        check_output_folder(Path(options.dump_dir))
    if options.emit and options.emit != "asm":
        module = lower_model(options, console, report, level=options.emit, dump_dir=options.dump_dir)
        if to_stdout:
            console.result(_level_text(module))
        else:
            _write_level(module, output)
            report.add_artifact(options.emit, output)
    else:
        executable = compile_model(options, console, report, dump_dir=options.dump_dir)
        if to_stdout:
            console.result(executable.assembly())
        elif options.emit:
            write_text(output, executable.assembly())
            report.add_artifact(options.emit, output)
        else:
            with cleaned_up(), replacing(output) as temporary:
                executable.save(temporary)
            report.add_artifact("package", output)
            report.next.append(f"npu run {output}")
        _summarize(executable, console, report)
    if options.dump_dir:
        report.add_artifact("dump", options.dump_dir)
    if not to_stdout:
        size = output.stat().st_size if output.is_file() else 0
        console.rows([("wrote", f"{output} ({size:,} bytes)")])


def _summarize(executable: Executable, console: Console, report: Report) -> None:
    counted = figures(executable)
    fallbacks = list(executable.fallbacks)
    report.counts.update(
        nodes_npu=len(counted.npu_nodes),
        ops_host=len(fallbacks),
        programs=counted.programs,
        instructions=sum(counted.instructions.values()),
    )
    report.body["fallbacks"] = [str(fallback) for fallback in fallbacks]
    report.body["nodes_npu"] = sorted(counted.npu_nodes)
    report.body["instructions"] = counted.instructions
    for text in executable.warnings:
        report.add_warning(text)
        console.warning(text)
    kinds = ", ".join(f"{count} {kind}" for kind, count in counted.instructions.items())
    host = "\n".join([str(len(fallbacks) or "none"), *map(str, fallbacks)])
    console.rows(
        [
            ("target", report.target["name"] if report.target else ""),
            ("on the NPU", f"{len(counted.npu_nodes)} nodes of the model"),
            ("on the host", host),
            ("programs", str(counted.programs)),
            ("instructions", f"{report.counts['instructions']} ({kinds})" if kinds else "0"),
        ]
    )
