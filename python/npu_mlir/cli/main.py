# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `npu`: arguments in, exit code out, every failure as one clear message."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, InternalError, NPUError
from .console import Console, prepare_streams, silence, to_stderr
from .parser import build_parser

if TYPE_CHECKING:
    import argparse

    from .report import Report

    Command = Callable[[argparse.Namespace, Console, Report], None]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 good, 1 results differ, 2 wrong input, 3 model not supported, 4 fault of
        npu-mlir, 5 inconclusive, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    try:
        code = _main(arguments)
        try:
            Console().flush()
        except InputError as error:  # Only a command that succeeded gets another code by this.
            Console().error(error)
            return code or error.exit_code
        return code
    except BrokenPipeError:  # the reader of our output is gone: `npu ... | head`
        silence(sys.stdout)
        return 0
    except KeyboardInterrupt:  # while a module was loading; commands have their own report of it
        to_stderr("interrupted")
        return 130


def _main(arguments: list[str]) -> int:
    console = Console()
    try:
        options = build_parser().parse_args(arguments)
    except InputError as error:
        console.error(error)
        return error.exit_code
    except SystemExit as stop:  # --help and --version
        return int(stop.code or 0)
    from .clashes import check_clashes
    from .report import INTERRUPTED, Report

    console = Console(quiet=options.quiet, color=not options.no_color)
    if options.json == "-":
        console.use_stderr()
    report = Report(options.command, arguments)
    try:
        check_clashes(options)
        _check_json(options)
        command: Command = import_module(f".{options.command}_command", __package__).run
        command(options, console, report)
        console.flush()
    except NPUError as error:
        _show(error, console, report)
    except KeyboardInterrupt:
        report.exit_code = INTERRUPTED
        to_stderr("interrupted")
    except BrokenPipeError:
        raise
    except Exception as error:
        _show(_internal(error, options, arguments), console, report)
    _write_json(options.json, console, report)
    return report.exit_code


def _check_json(options: argparse.Namespace) -> None:
    if options.json in (None, "-"):
        return
    from .files import check_output_file

    goal, options.json = options.json, None  # It is not tried again if it cannot be written.
    check_output_file(Path(goal))
    options.json = goal


def _show(error: NPUError, console: Console, report: Report) -> None:
    report.add_error(error)
    console.error(error)


def _internal(error: Exception, options: argparse.Namespace, arguments: Sequence[str]) -> InternalError:
    """The error for a failure that nothing foresaw, with a folder to reproduce it."""
    from .reproducer import write_reproducer

    if isinstance(error, MemoryError):
        return InternalError("there is not enough memory", why=str(error) or None)
    folder = write_reproducer(error, arguments, getattr(options, "model", None))
    return InternalError(
        f"'npu {options.command}' failed unexpectedly",
        why=f"{type(error).__name__}: {error}",
        fix=f"report it with the folder {folder}" if folder else None,
    )


def _write_json(goal: str | None, console: Console, report: Report) -> None:
    if goal is None:
        return
    from .files import write_text

    try:
        if goal == "-":
            console.result(report.to_json())
            console.flush()
            return
        write_text(Path(goal), report.to_json())
    except NPUError as error:
        _show(error, console, report)


if __name__ == "__main__":
    sys.exit(main())
