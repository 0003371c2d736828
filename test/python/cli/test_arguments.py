# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values on the command line: shapes, inputs, random inputs, files that are written."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from npu_mlir import InputError, TensorSpec
from npu_mlir.cli.arguments import parse_inserts, parse_shapes, random_inputs, read_inputs
from npu_mlir.cli.files import check_output_file, replacing, write_text

X = TensorSpec("x", (2, 3), "float32")
N = TensorSpec("n", (), "int64")


def test_shapes_and_sizes() -> None:
    assert parse_shapes(["x=1x3x224x224", "N=4", "a=b=2X2", "v=3,4"]) == {
        "x": (1, 3, 224, 224),
        "N": 4,
        "a=b": (2, 2),
        "v": (3, 4),
    }


def test_inserts() -> None:
    after, before = parse_inserts(["canonicalize@after:npu-tile", "func.func(cse)@before:npu-place"])
    assert (after.run, after.after, after.before) == ("canonicalize", "npu-tile", None)
    assert (before.run, before.after, before.before) == ("func.func(cse)", None, "npu-place")


def test_inputs_by_name_by_order_and_from_npz(tmp_path: Path) -> None:
    x, n = np.ones((2, 3), np.float32), np.array(7)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "n.npy", n)
    np.savez(tmp_path / "all.npz", n=n, x=x)
    for texts in (
        [f"{tmp_path}/x.npy", f"{tmp_path}/n.npy"],
        [f"n={tmp_path}/n.npy", f"{tmp_path}/x.npy"],
        [f"{tmp_path}/all.npz"],
    ):
        arrays = read_inputs(texts, [X, N])
        assert list(arrays) == ["x", "n"]
        assert np.array_equal(arrays["x"], x)
        assert arrays["n"] == 7


def test_bfloat16_survives_a_file(tmp_path: Path) -> None:
    value = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", value)
    array = read_inputs([f"{tmp_path}/x.npy"], [TensorSpec("x", (2,), "bfloat16")])["x"]
    assert array.dtype == value.dtype
    assert np.array_equal(array, value)


def test_all_mismatches_are_listed_at_once(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((3, 2), np.float32))
    with pytest.raises(InputError) as caught:
        read_inputs([f"{tmp_path}/x.npy"], [X, N])
    assert "'x' is [3,2], the model takes [2,3]" in str(caught.value)
    assert "'n' [] int64 is not given" in str(caught.value)


def test_a_wrong_element_type_is_not_converted(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 3)))
    with pytest.raises(InputError, match=r"(?s)'x' is float64, the model takes float32"):
        read_inputs([f"{tmp_path}/x.npy"], [X])


def test_an_unknown_name_names_the_one_that_fits(tmp_path: Path) -> None:
    np.savez(tmp_path / "all.npz", X=np.ones((2, 3), np.float32))
    with pytest.raises(InputError, match="did you mean 'x'"):
        read_inputs([f"{tmp_path}/all.npz"], [X])


def test_too_many_and_repeated_inputs(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    file = f"{tmp_path}/x.npy"
    with pytest.raises(InputError, match="more inputs than the model has"):
        read_inputs([file, file], [X])
    with pytest.raises(InputError, match="given twice"):
        read_inputs([file, f"x={file}"], [X])


@pytest.mark.parametrize("data", [b"", b"nothing", b"\x93NUMPY\x01\x00v\x00{", b"PK\x03\x04"])
def test_files_that_hold_no_array(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.npy").write_bytes(data)
    with pytest.raises(InputError, match="cannot be read"):
        read_inputs([f"{tmp_path}/x.npy"], [X])


def test_pickles_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="plain numbers"):
        read_inputs([f"{tmp_path}/x.npy"], [X])


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "bool"])
def test_random_inputs_have_the_type_and_repeat(dtype: str) -> None:
    specs = [TensorSpec("x", (64,), dtype), TensorSpec("s", (), dtype)]
    first, again, other = (random_inputs(specs, seed) for seed in (0, 0, 1))
    assert first["x"].dtype.name == dtype
    assert first["s"].shape == ()
    assert np.array_equal(first["x"], again["x"])
    assert not np.array_equal(first["x"], other["x"])


def test_random_indices_are_small() -> None:
    values = random_inputs([TensorSpec("i", (1000,), "int64")], 0)["i"]
    assert (values.min(), values.max()) == (0, 9)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "m.npux"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["m.npux"]


def test_a_write_replaces_the_file_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "real.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()


def test_devices_are_written_in_place() -> None:
    check_output_file(Path("/dev/null"))
    write_text(Path("/dev/null"), "gone")
    assert Path("/dev/null").is_char_device()
