# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream's cleanups may run between any two passes of the compiler and change no bit of a result."""

from __future__ import annotations

from pathlib import Path

import npu_mlir as npu
import numpy as np
import pytest
from npu_mlir.compiler.steps import own_steps

EXAMPLE = Path(__file__).parents[3] / "examples" / "digits"


@pytest.fixture(scope="module")
def imported() -> npu.ImportedModel:
    return npu.load_model(EXAMPLE / "digits.onnx")


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    with np.load(EXAMPLE / "heldout.npz") as data:
        return data["images"][:1].astype(np.float32)


@pytest.fixture(scope="module")
def expected(imported: npu.ImportedModel, image: np.ndarray) -> np.ndarray:
    return npu.compile(imported, target="tiny")(image)


@pytest.mark.parametrize("step", [step.name for step in own_steps({})])
def test_cleanups_fit_everywhere(
    imported: npu.ImportedModel, image: np.ndarray, expected: np.ndarray, step: str
) -> None:
    cleanup = npu.CustomPass("canonicalize,cse", after=step)
    executable = npu.compile(imported, target="tiny", passes=[cleanup])
    assert np.array_equal(executable(image), expected)


def test_ir_that_a_custom_pass_broke_is_its_own_fault(imported: npu.ImportedModel) -> None:
    from npu_mlir.mlir import ir

    def stand_still(module: ir.Module) -> None:
        for view in module.body.operations[0].body.blocks[0].operations:
            if view.operation.name == "npu.conv2d":
                view.operation.attributes["strides"] = ir.DenseI64ArrayAttr.get([0, 0], module.context)

    with pytest.raises(npu.InputError, match=r"custom pass 'stand_still'.*does not verify") as caught:
        npu.compile(imported, passes=[npu.CustomPass(stand_still, after="convert-linalg-to-npu")])
    assert "found [0, 0]" in str(caught.value)
