# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The digits example: its files, its verdicts, and reproducible training."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

DIGITS = Path(__file__).parents[3] / "examples" / "digits"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"digits_{name}", DIGITS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up in sys.modules while the module runs.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


run = _load("run")


class InOrder:
    """The digits model in float32, every sum sequential in k: stands in for the compiled model.

    Args:
        fault: changes the logits, to see that a wrong kernel is found.
    """

    fallbacks: tuple[str, ...] = ()

    def __init__(self, fault=lambda y: y) -> None:
        model = onnx.load(run.MODEL)
        self.weights = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
        self.fault = fault

    def _contract(self, rows: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
        total = np.zeros((len(rows), len(weight)), np.float32)
        for k in range(rows.shape[1]):
            total += rows[:, k : k + 1] * weight[:, k]
        return total + bias

    def _conv(self, x: np.ndarray, name: str) -> np.ndarray:
        weight = self.weights[f"{name}.weight"]
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
        rows = windows.transpose(1, 2, 0, 3, 4).reshape(-1, weight[0].size)
        y = self._contract(rows, weight.reshape(len(weight), -1), self.weights[f"{name}.bias"])
        return np.maximum(y.T.reshape(-1, *x.shape[1:]), np.float32(0))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        y = self._conv(x[0], "conv1")
        y = y.reshape(y.shape[0], 4, 2, 4, 2).max(axis=(2, 4))
        y = self._conv(y, "conv2").reshape(1, -1)
        return self.fault(self._contract(y, self.weights["gemm.weight"], self.weights["gemm.bias"]))

    def profile(self, x: np.ndarray) -> SimpleNamespace:
        numbers = {"cycles": 12345, "time_us": 12.345, "utilization": 0.25}
        return SimpleNamespace(**numbers, to_dict=lambda: numbers)


def _main(*argv: str, fault=lambda y: y) -> int:
    return run.main(argv, compiler=lambda path, target: InOrder(fault))


def test_model_is_small_static_and_named() -> None:
    assert run.MODEL.stat().st_size < 200_000
    model = onnx.load(run.MODEL)
    onnx.checker.check_model(model, full_check=True)
    assert [n.op_type for n in model.graph.node] == [
        "Conv",
        "Relu",
        "MaxPool",
        "Conv",
        "Relu",
        "Flatten",
        "Gemm",
    ]
    assert all("/" in n.name for n in model.graph.node)
    assert [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim] == [1, 1, 8, 8]
    assert model.opset_import[0].version >= 17


def test_correct_executable_passes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _main("--count", "120", "--show", "5", "--json", str(tmp_path / "r.json")) == 0
    text = capsys.readouterr().out
    assert (
        "120 held-out images" in text
        and "same class for 120 of 120" in text
        and text.endswith("VERDICT ok\n")
    )
    assert "12,345 per image" in text and "at 1,000 MHz" in text and "fallbacks     none" in text
    document = json.loads((tmp_path / "r.json").read_text())
    assert document["exit_code"] == 0 and document["summary"]["accuracy"] >= 0.97
    assert 0.0 < document["summary"]["worst_err_over_bound"] <= 1.0
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


def _scaled(y: np.ndarray) -> np.ndarray:
    return y * np.float32(1.005)


def _half(y: np.ndarray) -> np.ndarray:
    return y.astype(np.float16).astype(np.float32)


def _biased(y: np.ndarray) -> np.ndarray:
    return y + np.eye(1, 10, 5, dtype=np.float32) * np.float32(0.05)


def _nan(y: np.ndarray) -> np.ndarray:
    return np.where(np.arange(10) == 3, np.float32(np.nan), y)


def _rank(y: np.ndarray) -> np.ndarray:
    return y[0]


def _double(y: np.ndarray) -> np.ndarray:
    return y.astype(np.float64)


@pytest.mark.parametrize("fault", [_scaled, _half, _biased, _nan, np.zeros_like, _rank, _double])
def test_wrong_executable_fails(capsys: pytest.CaptureFixture[str], fault) -> None:
    """Faults that leave (nearly) every class as it is are found by the bound."""
    assert _main("--count", "20", fault=fault) == 1
    text = capsys.readouterr().out
    assert "outside the error bound" in text and text.endswith("VERDICT bad\n")


@pytest.mark.parametrize("count", ["0", "361", "-1"])
def test_wrong_count(capsys: pytest.CaptureFixture[str], count: str) -> None:
    assert _main("--count", count) == 2
    assert f"between 1 and 360, but found {count}" in capsys.readouterr().err


def test_error_of_the_compiler_gives_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(path: Path, target: str) -> object:
        from npu_mlir.errors import InputError

        raise InputError(f"unknown target '{target}'")

    assert run.main(["--target", "nothing"], compiler=fails) == 2
    assert "unknown target 'nothing'" in capsys.readouterr().err


def test_json_to_stdout_is_only_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert _main("--count", "2", "--json", "-") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["summary"]["images"] == 2
    assert captured.err.endswith("VERDICT ok\n")


def test_unwritable_json_leaves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _main("--count", "1", "--json", str(tmp_path / "no" / "r.json")) == 2
    assert not list(tmp_path.iterdir())


def test_picture() -> None:
    lines = run.picture(np.array([[0, 16], [8, 1]], np.uint8))
    assert lines == ["  @@", "==  "]


def test_training_gives_the_committed_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn")
    train = _load("train")
    monkeypatch.setattr("sys.argv", ["train.py", "--out", str(tmp_path)])
    assert train.main() == 0
    assert (tmp_path / "digits.onnx").read_bytes() == (DIGITS / "digits.onnx").read_bytes()
    # The archive around the arrays depends on the versions of numpy and zlib, the arrays do not.
    with np.load(tmp_path / "heldout.npz") as made, np.load(DIGITS / "heldout.npz") as committed:
        assert made.files == committed.files
        assert all(np.array_equal(made[name], committed[name]) for name in committed.files)


def test_training_refuses_to_lose_exactness() -> None:
    train = _load("train")
    with pytest.raises(OverflowError, match="found 300"):
        train.on_grid(np.array([300.0]), 1.0)


def test_the_accuracy_counts_for_all_images_only(capsys: pytest.CaptureFixture[str]) -> None:
    def first_class(y: np.ndarray) -> np.ndarray:
        return np.eye(1, 10, dtype=np.float32)

    assert _main(fault=first_class) == 1
    assert "is below 97%" in capsys.readouterr().out
    assert _main("--count", "20", fault=first_class) == 1
    text = capsys.readouterr().out
    assert "is below" not in text and "no limit for a part of the images" in text
