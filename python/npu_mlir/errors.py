# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of npu-mlir: one form for all, with a stable code and an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class NPUError(Exception):
    """Base of all errors that npu-mlir raises on purpose.

    Args:
        what: What went wrong, one sentence without final period.
        code: Stable code, `E-...`.
        where: File, model node or source line the error is about.
        why: The violated rule with the actual value.
        fix: What the user can do, if possible one command.

    Attributes:
        exit_code: What a command ends with: 1 numbers differ, 2 bad input,
            3 model not supported, 4 fault of the tool.

    Example:
        >>> raise InputError("file not found", code="E-INPUT", where="m.onnx")
        Traceback (most recent call last):
        npu_mlir.errors.InputError: E-INPUT: file not found
          where: m.onnx
    """

    exit_code: int = 4
    default_code: str = "E-INTERNAL"

    def __init__(
        self,
        what: str,
        *,
        code: str | None = None,
        where: str | None = None,
        why: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.code = code or self.default_code
        self.where = where
        self.why = why
        self.fix = fix

    def __str__(self) -> str:
        """One readable block; later lines are indented below the first."""
        lines = [f"{self.code}: {self.what}"]
        for label, text in (("where", self.where), ("why", self.why), ("fix", self.fix)):
            if text:
                head = f"  {label}: "
                lines.append(head + text.replace("\n", "\n" + " " * len(head)))
        return "\n".join(lines)


class InputError(NPUError):
    """The user's file, flag or argument is wrong."""

    exit_code = 2
    default_code = "E-INPUT"


class NumericError(NPUError):
    """Results differ by more than their bound."""

    exit_code = 1
    default_code = "E-NUMERIC"


class InternalError(NPUError):
    """A fault of npu-mlir itself."""

    exit_code = 4
    default_code = "E-INTERNAL"


class MissingExtraError(InputError):
    """An optional package is needed and not installed.

    Args:
        package: The missing distribution, for example `torch`.
        extra: The extra of npu-mlir that brings it.
        purpose: What it is needed for.
    """

    default_code = "E-EXTRA"

    def __init__(self, package: str, *, extra: str, purpose: str) -> None:
        super().__init__(
            f"the package '{package}' is not installed",
            why=f"it is needed {purpose}",
            fix=f"pip install 'npu-mlir[{extra}]'",
        )
        self.package = package
        self.extra = extra


@dataclass(frozen=True)
class UnsupportedNode:
    """One node of the model that cannot be taken.

    Attributes:
        name: Name of the node in the source model.
        op_type: Operator, for example `Unique` or `aten.special_bessel_j0`.
        domain: ONNX domain (`ai.onnx` for the default one), or `torch`.
        reason: Why, in one phrase.
        source: Python file and line, when known.
    """

    name: str
    op_type: str
    domain: str
    reason: str = ""
    source: str | None = None

    def __str__(self) -> str:
        text = f"{self.op_type} (domain {self.domain}), node '{self.name}'"
        if self.source:
            text += f" at {self.source}"
        if self.reason:
            text += f": {self.reason}"
        return text


class UnsupportedOpError(NPUError):
    """The model holds nodes that cannot be imported; all known ones are listed.

    Args:
        nodes: The nodes, in model order; not empty.
        where: The model, usually its file name.
    """

    exit_code = 3
    default_code = "E-UNSUP"

    def __init__(
        self,
        nodes: Sequence[UnsupportedNode],
        *,
        where: str | None = None,
        fix: str | None = None,
    ) -> None:
        ops = sorted({node.op_type for node in nodes})
        count = f"{len(nodes)} node{'s' if len(nodes) != 1 else ''}"
        super().__init__(
            f"unsupported: {count} with {', '.join(ops)}",
            where=where,
            why="\n".join(str(node) for node in nodes),
            fix=fix or "replace these operators in the model, or compute them outside of it",
        )
        self.nodes = tuple(nodes)


class ImportFailure(NPUError):
    """The importer failed on a model: a crash, a time-out, or an error it does not explain.

    Args:
        node: Name of the source node at fault, when known.
    """

    exit_code = 3
    default_code = "E-IMPORT"

    def __init__(
        self,
        what: str,
        *,
        node: str | None = None,
        code: str | None = None,
        where: str | None = None,
        why: str | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(what, code=code, where=where, why=why, fix=fix)
        self.node = node
