# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps of a compilation: the compiler's own list with the user's passes put in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InputError
from .custom import CustomPass

if TYPE_CHECKING:
    from ..mlir import ir

# The level that the end of each phase is.
LEVEL_OF_PHASE = {"tensor": "npu", "buffer": "buffers", "isa": "npuisa"}
LEVELS = ("linalg", "npu", "buffers", "npuisa")


@dataclass(frozen=True)
class Step:
    """One pass of a compilation.

    Attributes:
        name: the pass, as errors and dumps call it.
        phase: linalg, tensor, buffer or isa.
        run: runs it on a module, in place.
        pipeline: its textual pipeline, empty for a Python function.
        is_custom: whether it is a pass of the user's.
    """

    name: str
    phase: str
    run: Callable[[ir.Module], None]
    pipeline: str = ""
    is_custom: bool = False


def run_pipeline(module: ir.Module, pipeline: str) -> None:
    """Run a textual pass pipeline on a module, in place.

    Raises:
        InputError: the text is not a pipeline.
        npu_mlir.mlir.ir.MLIRError: a pass failed.
    """
    from ..mlir.passmanager import PassManager

    with module.context:
        try:
            manager = PassManager.parse(f"builtin.module({pipeline})")
        except ValueError as error:
            raise InputError(
                f"'{pipeline}' is not a pass pipeline",
                code="E-PASS",
                why=str(error),
                fix="npu-opt --help lists the passes",
            ) from error
        manager.run(module.operation)


def _runner(pipeline: str) -> Callable[[ir.Module], None]:
    def run(module: ir.Module) -> None:
        run_pipeline(module, pipeline)

    return run


def pass_name(pipeline: str) -> str:
    """The name of a step: its pipeline without options and anchors."""
    text = pipeline.split("{", 1)[0]
    return text.rsplit("(", 1)[-1].rstrip(")")


def own_steps(options: dict[str, str]) -> list[Step]:
    """The compiler's passes in order.

    Args:
        options: pass name to its options in pipeline syntax, for example {"npu-place": "no-host"}.
    """
    from ..mlir._mlir_libs import _site_initialize_0

    steps = []
    for phase, text in _site_initialize_0.pipeline_steps():
        name = pass_name(text)
        pipeline = text.replace(name, f"{name}{{{options[name]}}}") if name in options else text
        steps.append(Step(name, phase, _runner(pipeline), pipeline))
    return steps


def host_step() -> Step:
    """The step that takes the host part of a module on npuisa level to LLVM."""
    pipeline = "npu-lower-host"
    return Step(pipeline, "host", _runner(pipeline), pipeline)


def with_custom(steps: Sequence[Step], custom: Sequence[CustomPass]) -> list[Step]:
    """The steps with the user's passes in their places, in the order given.

    Raises:
        InputError: a place names no pass of the compiler.
    """
    result = list(steps)
    for extra in custom:
        anchor = extra.after or extra.before
        own = [step.name for step in steps]
        if anchor not in own:
            raise InputError(
                f"the custom pass '{extra.name}' stands beside '{anchor}', which the compiler does not run",
                code="E-PASS",
                fix="use one of: " + ", ".join(own),
            )
        index = max(i for i, step in enumerate(result) if step.name == anchor)
        if extra.after:
            index += 1
            while index < len(result) and result[index].name not in own:
                index += 1  # passes put after the same one run in the order given
        phase = result[min(index, len(result) - 1)].phase if extra.before else result[index - 1].phase
        result.insert(
            index, Step(extra.name, phase, extra, extra.run if isinstance(extra.run, str) else "", is_custom=True)
        )
    return result
