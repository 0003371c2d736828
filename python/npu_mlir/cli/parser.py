# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of every command; only the standard library is imported, to start at once."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from ..errors import InputError

EMIT_LEVELS = ("linalg", "npu", "buffers", "npuisa", "asm")

EXIT_CODES = """\
exit codes: 0 good; 1 results differ; 2 an input, flag or file is wrong; 3 the model cannot be
processed at some level; 4 a fault of npu-mlir, a folder to reproduce it is written;
5 inconclusive; 130 interrupted"""


class _Parser(argparse.ArgumentParser):
    """Usage errors in the form of all other errors, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message, code="E-USAGE", where=self.prog, fix=f"{self.prog} --help")


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least 0")
    return int(text)


def _common(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", metavar="FILE", help="write the result as JSON; '-' is standard output")
    group.add_argument("--quiet", "-q", action="store_true", help="show errors only")
    group.add_argument("--no-color", action="store_true", help="plain text (also: NO_COLOR in the environment)")


def _model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        default=None,
        metavar="T",
        help="tiny, edge, mobile, server, or a target file (default: mobile)",
    )
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="X=SHAPE",
        help="shape of an input (x=1x3x224x224) or size of a named dimension (N=4); repeatable",
    )
    parser.add_argument("--entry", metavar="NAME", help=".mlir: the function to compile (default: main)")
    parser.add_argument(
        "--no-host",
        action="store_true",
        help="refuse the model, with the full list, if an operator would run on the host",
    )
    parser.add_argument(
        "--insert",
        action="append",
        default=[],
        metavar="PASS@after:NAME",
        help="run a pass of npu-opt after (or before) a pass of the compiler; repeatable",
    )


_MODEL = "a .onnx, .pt2 or .mlir file, or module:function"


def _add_compile(commands: Any) -> None:
    parser = commands.add_parser(
        "compile",
        help="compile a model to a package (.npux)",
        description="Compile a model to a package that 'npu run' and npu.load() take.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help=_MODEL)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the package, or the text of --emit (default: MODEL's name with .npux, here)",
    )
    _model_options(parser)
    parser.add_argument(
        "--emit",
        choices=EMIT_LEVELS,
        help="stop at this level and give its text, large weights left out, instead of a package; on standard output "
        "without -o; with -o FILE.mlirbc as bytecode with all weights, for npu-opt",
    )
    parser.add_argument(
        "--dump-dir",
        metavar="DIR",
        help="write the IR after every pass that changed it, with an index",
    )
    _common(parser)


def _input_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="FILE",
        help="x.npy, name=x.npy or all.npz; repeatable (default: random values)",
    )
    parser.add_argument("--seed", type=_seed, default=0, help="seed of random inputs (default: 0)")


def _add_run(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        help="run a package or a model on the simulated NPU",
        description="Run a package (or compile a model and run it) on the simulated NPU: outputs,\n"
        "cycles, time at the clock of the target, and what each queue did.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help=f"a .npux package; or {_MODEL}")
    _input_options(parser)
    parser.add_argument("--output", "-o", metavar="DIR", help="write each output as DIR/NAME.npy")
    parser.add_argument(
        "--compare-with",
        metavar="REF",
        help="compare with a run of 'onnxruntime' (MODEL is .onnx), or of the given .onnx file",
    )
    parser.add_argument("--trace", metavar="FILE", help="write a trace for Perfetto (JSON)")
    parser.add_argument("--profile", action="store_true", help="show what each source node cost; --json has it always")
    parser.add_argument("--csv", metavar="FILE", help="write what each source node cost, a line each")
    _model_options(parser)
    _common(parser)


def _add_trace(commands: Any) -> None:
    parser = commands.add_parser(
        "trace",
        help="run and write a trace for Perfetto",
        description="Run a package (or compile a model and run it) on the simulated NPU and write a trace for\n"
        "Perfetto: a track for each queue, an arrow from each signal to what waited for it, the live\n"
        "bytes of on-chip memory and the bandwidth. Shows what each source node cost.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help=f"a .npux package; or {_MODEL}")
    parser.add_argument("-o", "--output", metavar="FILE", dest="trace", required=True, help="the trace (JSON)")
    _input_options(parser)
    parser.add_argument("--csv", metavar="FILE", help="write what each source node cost, a line each")
    _model_options(parser)
    _common(parser)


def _add_dump(commands: Any) -> None:
    parser = commands.add_parser(
        "dump",
        help="write the IR after every pass",
        description="Write the IR after every pass that changed it, with an index.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help=_MODEL)
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="the folder to write")
    _model_options(parser)
    _common(parser)


def _add_target(commands: Any) -> None:
    parser = commands.add_parser(
        "target",
        help="list, show, check and compare target descriptions",
        description="Target descriptions: the hardware that models are compiled for.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="the built-in targets, with their main numbers")
    _common(listing)
    show = actions.add_parser("show", help="every number of a target")
    show.add_argument("name", metavar="TARGET", help="a preset or a target file")
    _common(show)
    check = actions.add_parser("check", help="check a target file")
    check.add_argument("name", metavar="FILE", help="a target file (YAML)")
    _common(check)
    diff = actions.add_parser("diff", help="what differs between two targets")
    diff.add_argument("first", metavar="TARGET", help="a preset or a target file")
    diff.add_argument("second", metavar="TARGET", help="another one")
    _common(diff)


def _add_doctor(commands: Any) -> None:
    parser = commands.add_parser(
        "doctor",
        help="check the installation",
        description="Versions of all parts, what is missing, and the command that brings it.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _common(parser)


def build_parser() -> argparse.ArgumentParser:
    """The parser of `npu`; `command` in its result names the subcommand."""
    from .. import __version__

    parser = _Parser(
        prog="npu",
        description="Compile models for neural processing units and run them on the simulated NPU.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"npu {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for add in (_add_compile, _add_run, _add_trace, _add_dump, _add_target, _add_doctor):
        add(commands)
    return parser
