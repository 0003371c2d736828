# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executables: calls, profiles, packages, custom passes, wrong inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import npu_mlir as npu
import numpy as np
import pytest

DENSE = """
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x12xf32>) -> tensor<8x12xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x12xf32>) -> tensor<8x12xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x12xf32>)
      outs(%init : tensor<8x12xf32>) -> tensor<8x12xf32>
  return %y : tensor<8x12xf32>
}
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "dense.mlir"
    path.write_text(DENSE)
    return path


@pytest.fixture(scope="module")
def arrays() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((8, 16), np.float32), rng.standard_normal((16, 12), np.float32)


def test_call_and_levels_agree(model: Path, arrays: tuple[np.ndarray, np.ndarray]) -> None:
    executable = npu.compile(model, target="tiny")
    got = executable(*arrays)
    np.testing.assert_allclose(got, arrays[0] @ arrays[1], rtol=1e-5, atol=1e-5)
    for level in ("npu", "buffers"):
        assert np.array_equal(executable.run(arrays, level=level)[0], got), level


def test_random_delays_and_poison_change_nothing(model: Path, arrays: tuple[np.ndarray, np.ndarray]) -> None:
    executable = npu.compile(model, target="tiny")
    expected = executable(*arrays)
    for seed in (1, 2, 3):
        assert np.array_equal(executable.profile(*arrays, perturb_seed=seed, poison=True).outputs[0], expected)


def test_package_gives_the_same_bits_and_cycles(
    model: Path, arrays: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    executable = npu.compile(model, target="edge")
    executable.save(tmp_path / "dense.npux")
    loaded = npu.load(tmp_path / "dense.npux")
    first, second = executable.profile(*arrays), loaded.profile(*arrays)
    assert np.array_equal(first.outputs[0], second.outputs[0])
    assert first.cycles == second.cycles > 0
    assert loaded.target == "edge"
    with pytest.raises(npu.InputError, match="level"):
        loaded.ir("npu")


def test_a_package_for_another_target_is_refused(model: Path, tmp_path: Path) -> None:
    npu.compile(model, target="edge").save(tmp_path / "dense.npux")
    other = npu.compile(model, target="tiny").target_hash
    with pytest.raises(npu.InputError):
        npu.load(tmp_path / "dense.npux", target_hash=other)


def test_a_custom_pass_runs_in_its_place(model: Path) -> None:
    seen: list[int] = []

    def count(module: Any) -> None:
        seen.append(str(module).count("npu.matmul"))

    npu.compile(
        model,
        passes=[
            npu.CustomPass("canonicalize", after="npu-fuse-epilogue"),
            npu.CustomPass(count, before="npu-fuse-epilogue"),
            npu.CustomPass(count, before="convert-linalg-to-npu"),
        ],
    )
    assert seen == [0, 1]


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ((), "takes 2"),
        ((np.zeros((8, 15), np.float32), np.zeros((16, 12), np.float32)), r"\[8, 15\]"),
        ((np.zeros((8, 16), np.float64), np.zeros((16, 12), np.float32)), "float64"),
    ],
)
def test_wrong_inputs_say_what_is_wanted(model: Path, inputs: tuple[np.ndarray, ...], text: str) -> None:
    executable = npu.compile(model, target="tiny")
    with pytest.raises(npu.InputError, match=text):
        executable.run(inputs)


@pytest.mark.parametrize("level", ["linalg", "npu", "buffers", "npuisa"])
def test_lower_stops_at_a_level(model: Path, level: str) -> None:
    module = npu.lower(model, to=level, target="tiny")
    assert str(module) == str(npu.compile(model, target="tiny").ir(level))


def test_lower_names_the_levels(model: Path) -> None:
    with pytest.raises(npu.InputError, match="linalg, npu, buffers, npuisa"):
        npu.lower(model, to="isa")


def test_its_text_names_target_inputs_and_outputs(model: Path) -> None:
    text = repr(npu.compile(model, target="tiny"))
    assert text == (
        "<Executable for tiny: (x: float32[8, 16], w: float32[16, 12]) -> (result0: float32[8, 12])>"
    )


def test_a_package_is_written_whole_or_not_at_all(model: Path, tmp_path: Path) -> None:
    executable = npu.compile(model, target="tiny")
    (tmp_path / "folder.npux").mkdir()
    for goal in (tmp_path / "folder.npux", tmp_path / "no" / "such.npux"):
        with pytest.raises(npu.InputError, match="cannot be written"):
            executable.save(goal)
    executable.save("/dev/null")
    executable.save(tmp_path / "m.npux")
    executable.save(tmp_path / "m.npux")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.npux", "m.npux"]
