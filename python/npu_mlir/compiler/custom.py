# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes of the user's own, put into the compilation by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import InputError

if TYPE_CHECKING:
    from ..mlir import ir


@dataclass(frozen=True)
class CustomPass:
    """A pass that `compile` runs beside its own.

    Args:
        run: a textual pass pipeline on the module that `npu-opt` knows ("canonicalize",
            "func.func(linalg-generalize-named-ops)"), or a function that changes the module in place.
        after: name of the compiler's pass to run it after, for example "npu-fuse-epilogue".
        before: name of the compiler's pass to run it before. Exactly one of the two is given.
        name: how dumps and errors call it; by default the text or the function's name.

    Raises:
        InputError: neither or both of `after` and `before` are given.

    Example:
        >>> CustomPass("canonicalize", after="npu-fuse-epilogue").name
        'canonicalize'
    """

    run: str | Callable[[ir.Module], None]
    after: str | None = None
    before: str | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if (self.after is None) == (self.before is None):
            raise InputError(
                "a custom pass needs a place",
                code="E-PASS",
                why=f"after is {self.after!r} and before is {self.before!r}; exactly one is needed",
                fix='CustomPass(run, after="npu-fuse-epilogue")',
            )
        if not self.name:
            name = self.run if isinstance(self.run, str) else getattr(self.run, "__name__", "custom")
            object.__setattr__(self, "name", name)

    def __call__(self, module: ir.Module) -> None:
        """Run on a module, in place."""
        if isinstance(self.run, str):
            from .steps import run_pipeline

            run_pipeline(module, self.run)
        else:
            with _module_stays(module, self.name):
                self.run(module)


@dataclass(frozen=True)
class RewritePass(CustomPass):
    """Rewrite patterns written in Python, applied greedily.

    Args:
        patterns: op name ("npu.generic") to a function `(op, rewriter) -> bool` that rewrites the
            op and returns False, or returns True if it does not apply (the meaning of the upstream
            rewrite bindings).

    Example:
        >>> def drop(op, rewriter):  # doctest: +SKIP
        ...     rewriter.replace_op(op, [op.operands[0]])
        >>> RewritePass(patterns={"npu.copy": drop}, after="convert-linalg-to-npu")  # doctest: +SKIP
    """

    run: str | Callable[[ir.Module], None] = "builtin.module()"
    patterns: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", "rewrite-" + "-".join(self.patterns))
        super().__post_init__()

    def __call__(self, module: ir.Module) -> None:
        """Apply the patterns until none applies."""
        from ..mlir import rewrite

        with module.context:
            patterns = rewrite.RewritePatternSet()
            for op_name, function in self.patterns.items():
                patterns.add(op_name, function)
            with _module_stays(module, self.name):
                rewrite.apply_patterns_and_fold_greedily(module, patterns.freeze())


@contextmanager
def _module_stays(module: ir.Module, name: str) -> Iterator[None]:
    """Refuse to erase the module while the block runs: its Python object would free it again, and the process die."""
    from ..mlir import ir

    base = ir.Operation.__mro__[1]  # what Operation and the classes of all ops get `erase` from
    erase = base.erase

    def guarded(operation: ir.Operation) -> None:
        if operation.operation == module.operation:
            raise InputError(
                f"the custom pass '{name}' erases the module itself",
                code="E-PASS",
                fix="erase the operations inside of it",
            )
        erase(operation)

    base.erase = guarded
    try:
        yield
    finally:
        base.erase = erase
