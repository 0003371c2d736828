# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every model of `models.py` on two presets, through every level.

The results on the simulator are judged against the framework; the levels below the import are
compared with each other bit for bit, so that the reference lowering and the simulator are each
other's witness.
"""

from __future__ import annotations

import functools

import models
import npu_mlir as npu
import numpy as np
import pytest
from checking import verdict
from models import BuiltModel

TARGETS = ("mobile", "tiny")
DEVICE_LEVELS = ("npu", "buffers")


@functools.lru_cache(maxsize=2)
def imported(name: str) -> tuple[BuiltModel, npu.ImportedModel]:
    """The model and its import, shared by the targets."""
    built = models.build(name)
    inputs = built.inputs
    if built.kind == "torch":
        import torch

        return built, npu.load_model(built.model, inputs=tuple(torch.from_numpy(x) for x in inputs))
    return built, npu.load_model(built.model)


def assert_same_bits(level: str, expected: np.ndarray, got: np.ndarray) -> None:
    """Equal shape, type and bits; any NaN equals any other."""
    assert got.dtype == expected.dtype and got.shape == expected.shape, level
    if got.tobytes() != expected.tobytes():
        differ = ~((got == expected) | ((got != got) & (expected != expected)))
        signs = np.signbit(got) != np.signbit(expected) if got.dtype.kind == "f" else False
        count = int(np.sum(differ | (signs & (got == got))))
        assert count == 0, f"{level} and npuisa differ in {count} of {got.size} elements"


@pytest.mark.parametrize("name", models.names())
@pytest.mark.parametrize("target", TARGETS)
def test_model(name: str, target: str) -> None:
    built, model = imported(name)
    executable = npu.compile(model, target=target)
    got = executable.run(built.inputs)
    judged = verdict(built, got)
    assert judged.ok, judged.explain()
    for level in DEVICE_LEVELS:
        for expected, other in zip(got, executable.run(built.inputs, level=level), strict=True):
            assert_same_bits(level, expected, other)
    if "host" not in built.tags:
        assert not executable.fallbacks, [str(f) for f in executable.fallbacks]
