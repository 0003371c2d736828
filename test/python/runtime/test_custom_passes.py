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


def test_the_module_cannot_be_erased(imported: npu.ImportedModel) -> None:
    from npu_mlir.mlir import ir

    def vanish(module: ir.Module) -> None:
        module.operation.erase()

    with pytest.raises(npu.InputError, match=r"'vanish' erases the module itself") as caught:
        npu.compile(imported, passes=[npu.CustomPass(vanish, after="npu-place")])
    assert caught.value.code == "E-PASS"


def test_operations_inside_of_the_module_can_be_erased(
    imported: npu.ImportedModel, image: np.ndarray, expected: np.ndarray
) -> None:
    from npu_mlir.mlir import ir
    from npu_mlir.mlir.dialects import func

    def drop(module: ir.Module) -> None:
        with module.context, ir.Location.unknown(), ir.InsertionPoint(module.body):
            func.FuncOp("extra", ([], []), visibility="private").erase()
            func.FuncOp("other", ([], []), visibility="private").operation.erase()

    executable = npu.compile(imported, target="tiny", passes=[npu.CustomPass(drop, after="npu-place")])
    assert np.array_equal(executable(image), expected)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", 3),
        ("shapes", [1]),
        ("entry", 7),
        ("passes", "canonicalize"),
        ("passes", ["canonicalize"]),
        ("passes", 5),
        ("dump_dir", 5),
        ("progress", "loud"),
    ],
)
def test_arguments_of_a_wrong_kind(imported: npu.ImportedModel, name: str, value: object) -> None:
    for call in (npu.compile, lambda model, **given: npu.lower(model, to="npu", **given)):
        with pytest.raises(npu.InputError, match=f"argument '{name}' is of the wrong kind") as caught:
            call(imported, **{name: value})
        assert caught.value.code == "E-ARGUMENT"


def test_a_wrong_target_is_told_before_the_import() -> None:
    with pytest.raises(npu.InputError, match="target 'nope' cannot be used"):
        npu.compile("no such file.onnx", target="nope")
