# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of the end-to-end tests: built here from fixed seeds, never downloaded.

`CASES` lists them; `build(name)` makes one. ONNX models are `ModelProto`, PyTorch models are
modules in eval mode. Sizes are chosen so that a plain simulator runs each in seconds. `onnx_models`
and `torch_models` hold the builders.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_models
import torch_models
from case import Case

#: Every case by name. The order is from simple to composed, so the first failure of a run is the
# simplest.
CASES: dict[str, Case] = {case.name: case for case in (*onnx_models.CASES, *torch_models.CASES)}


@dataclass(frozen=True)
class BuiltModel:
    """A model ready to compile.

    Attributes:
        name: name of the case.
        kind: "onnx" or "torch".
        model: `onnx.ModelProto` or `torch.nn.Module` in eval mode.
        inputs: example inputs in the order of the model's inputs.
        depth: number of rounding operators on the longest path.
        tags: see `Case.tags`.
    """

    name: str
    kind: str
    model: Any
    inputs: tuple[np.ndarray, ...]
    depth: int
    tags: frozenset[str]


def build(name: str) -> BuiltModel:
    """Build the model of case ``name``; equal in every call.

    Raises:
        KeyError: there is no such case.
    """
    case = CASES[name]
    model, inputs = case.make()
    depth = case.depth
    if case.kind == "onnx":
        from npu_mlir.compare import ErrorModel

        depth = ErrorModel(model).depth
    return BuiltModel(case.name, case.kind, model, tuple(inputs), depth, case.tags)


def names(*, kind: str | None = None, tag: str | None = None) -> list[str]:
    """Names of the cases of a kind ("onnx", "torch") and with a tag, in order."""
    return [
        c.name
        for c in CASES.values()
        if (kind is None or c.kind == kind) and (tag is None or tag in c.tags)
    ]
