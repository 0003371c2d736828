# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every front end delivers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class TensorSpec:
    """Name, static shape and element type of an input or output.

    Attributes:
        name: Name in the source model.
        shape: Extents, all static; `()` for a scalar tensor.
        dtype: NumPy spelling: `float32`, `bfloat16`, `int8`, `uint8`, `bool`, ...
            MLIR integers are signless, so the sign is only known from here.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class ImportedModel:
    """A model on linalg level, its weights beside the text.

    Attributes:
        text: MLIR module (text or bytecode) with `func.func @main` on static tensors. Weights are arguments of it.
        weights: Name to array. Weights that share memory in the source appear once.
        weight_args: Argument index of `@main` to the name of its weight.
        inputs: The other arguments of `@main`, in argument order.
        outputs: The results of `@main`, in order.
        source_kind: `onnx`, `torch` or `mlir`.
        warnings: Texts for the user, each starting with a `W-` code.
        origins: Location names that the preparation made up, to the node of the source model
            they stand for. A name that is not a key is a node of the source itself.
        source: File name or type of what was imported, for messages.
        operators: Source node to its operator and the domain of that, where known (ONNX).
    """

    text: str | bytes
    weights: Mapping[str, np.ndarray]
    weight_args: Mapping[int, str]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    source_kind: str
    warnings: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    operators: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def input_arg_indices(self) -> tuple[int, ...]:
        """Indices of the arguments of `@main` that are real inputs, in order."""
        total = len(self.inputs) + len(self.weight_args)
        return tuple(i for i in range(total) if i not in self.weight_args)
