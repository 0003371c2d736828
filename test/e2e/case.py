# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an end-to-end test model is."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """One model, not built yet.

    Attributes:
        name: unique name.
        kind: "onnx" or "torch".
        make: builds the model and its example inputs.
        depth: number of rounding operators on the longest path of a torch model (an ONNX model is
            counted).
        tags: "exact" (results are bit-equal to the framework's), "host" (some op runs on the host
            on every target), "tiny-tiled" and "mobile-tiled" (tensors exceed the SRAM of that
            preset), "quantized", "slow" (seconds on a plain simulator).
    """

    name: str
    kind: str
    make: Callable[[], tuple[Any, Sequence[np.ndarray]]]
    depth: int = 1
    tags: frozenset[str] = frozenset()


def generator(name: str) -> np.random.Generator:
    """A random generator seeded by ``name``, so that a case does not depend on its neighbours."""
    return np.random.default_rng(zlib.crc32(name.encode()))
