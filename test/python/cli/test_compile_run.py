# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu compile`, `npu run` and `npu dump` on models that work."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from cli_support import DIGITS, Npu, files_in, save_graph, save_linear
from onnx import helper

TARGETS = ("tiny", "mobile")


def report_of(path: Path) -> dict[str, object]:
    """A JSON report without what differs between runs."""
    report: dict[str, object] = json.loads(path.read_text())
    del report["started"], report["wall_s"]
    return report


@pytest.mark.parametrize("target", TARGETS)
def test_a_package_gives_the_values_of_the_model(npu: Npu, tmp_path: Path, target: str) -> None:
    weight = np.arange(12, dtype=np.float32).reshape(4, 3) / 8
    save_linear(tmp_path / "m.onnx", weight=weight)
    x = np.array([[1, 2, 3, 4], [0, -1, 0.5, 2]], np.float32)
    np.save(tmp_path / "x.npy", x)
    assert npu("compile", "m.onnx", "-o", "m.npux", "--target", target).code == 0
    result = npu("run", "m.npux", "--input", "x=x.npy", "-o", "out", "--compare-with", "m.onnx")
    assert result.code == 0, result.err
    assert "VERDICT ok" in result.out
    expected = np.maximum(x @ weight + np.array([0.5, -20.0, 1.0], np.float32), 0)
    assert np.allclose(np.load(tmp_path / "out" / "y.npy"), expected, rtol=1e-6)


def test_the_summary_counts_what_was_compiled(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    result = npu("compile", "m.onnx", "--json", "r.json")
    report = report_of(tmp_path / "r.json")
    assert report["counts"]["programs"] == 1
    assert report["counts"]["ops_host"] == 0
    assert report["counts"]["instructions"] == sum(report["instructions"].values())
    assert {"matmul", "relu"} <= set(report["nodes_npu"]) <= {"matmul", "add", "relu"}
    assert report["artifacts"][0]["path"] == "m.npux"
    assert "on the host" in result.out
    assert f"({(tmp_path / 'm.npux').stat().st_size:,} bytes)" in result.out


def test_two_compilations_give_the_same_bytes_and_reports(npu: Npu, tmp_path: Path, digits: Path) -> None:
    packages, reports = [], []
    for _ in range(2):
        assert npu("compile", digits, "--json", "r.json").code == 0
        packages.append((tmp_path / "digits.npux").read_bytes())
        reports.append(report_of(tmp_path / "r.json"))
    assert packages[0] == packages[1]
    assert reports[0] == reports[1]


@pytest.mark.parametrize("target", TARGETS)
def test_a_model_runs_at_once_and_agrees_with_onnxruntime(npu: Npu, digits: Path, target: str) -> None:
    result = npu("run", digits, "--target", target, "--compare-with", "onnxruntime", "--json", "r.json")
    assert result.code == 0, result.err
    report = report_of(Path("r.json"))
    assert report["comparison"]["ok"]
    assert report["seed"] == 0
    assert report["counts"]["cycles"] == report["profile"]["cycles"] > 0
    assert set(report["profile"]["queues"]) == {"ld", "st", "mm", "dr", "ve"}
    assert report["outputs"][0]["shape"] == [1, 10]


def test_a_package_for_other_weights_differs_from_the_model(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    save_linear(tmp_path / "other.onnx", weight=np.ones((4, 3), np.float32))
    assert npu("compile", "other.onnx").code == 0
    result = npu("run", "other.npux", "--compare-with", "m.onnx")
    assert result.code == 1
    assert "VERDICT bad" in result.out


def test_runs_repeat_for_a_seed(npu: Npu, digits: Path) -> None:
    assert npu("compile", digits).code == 0
    hashes = []
    for seed in (0, 0, 1):
        npu("run", "digits.npux", "--seed", seed, "--json", "r.json")
        hashes.append(report_of(Path("r.json"))["outputs"][0]["sha256"])
    assert hashes[0] == hashes[1] != hashes[2]


def test_the_trace_is_json_with_a_track_for_each_queue(npu: Npu, digits: Path) -> None:
    assert npu("run", digits, "--trace", "t.json").code == 0
    text = Path("t.json").read_text()
    json.loads(text)
    assert all(queue in text for queue in ("ld", "st", "mm", "dr"))


def test_nan_in_an_input_goes_through(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    x = np.ones((2, 4), np.float32)
    x[1, 2] = np.nan
    np.save(tmp_path / "x.npy", x)
    result = npu("run", "m.onnx", "--input", "x.npy", "--compare-with", "onnxruntime", "-o", ".")
    assert result.code == 0, result.err
    assert np.isnan(np.load(tmp_path / "y.npy")).tolist() == [[False] * 3, [True] * 3]
    assert "(3 NaN)" in result.out


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("linalg", "linalg.matmul"),
        ("npu", "npu.program"),
        ("buffers", "npu.task"),
        ("npuisa", "npuisa.mm_exec"),
        ("asm", "program "),
    ],
)
def test_every_level_can_be_seen(npu: Npu, tmp_path: Path, level: str, text: str) -> None:
    save_linear(tmp_path / "m.onnx")
    shown = npu("compile", "m.onnx", "--emit", level)
    assert shown.code == 0
    assert text in shown.out
    assert ("on the NPU" in shown.err) == (level == "asm")  # other levels stop before there is anything to count
    assert npu("compile", "m.onnx", "--emit", level, "-o", "level.txt").code == 0
    assert (tmp_path / "level.txt").read_text() == shown.out
    assert files_in(tmp_path) == ["level.txt", "m.onnx"]


def test_a_dimension_is_bound_by_name_or_by_shape(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx", shape=("N", 4))
    for flag in ("N=5", "x=5x4"):
        assert npu("run", "m.onnx", "--shape", flag, "--json", "r.json").code == 0
        assert report_of(tmp_path / "r.json")["outputs"][0]["shape"] == [5, 3]


def test_an_mlir_file_with_another_entry(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_text(
        "func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %e = tensor.empty() : tensor<4xf32>\n"
        "  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %y : tensor<4xf32>\n"
        "}\n"
    )
    np.save(tmp_path / "x.npy", np.array([1, 2, 3, -4], np.float32))
    result = npu("run", "m.mlir", "--entry", "double", "--input", "x.npy", "-o", "out")
    assert result.code == 0, result.err
    (name,) = files_in(tmp_path / "out")
    assert np.load(tmp_path / "out" / name).tolist() == [2, 4, 6, -8]


def test_dump_writes_a_file_for_each_pass_that_changed_something(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    result = npu("dump", "m.onnx", "-o", "ir", "--json", "r.json")
    assert result.code == 0, result.err
    index = json.loads((tmp_path / "ir" / "index.json").read_text())
    assert [entry["name"] for entry in index[:4]] == [
        "import",
        "npu-verify-linalg",
        "npu-prepare-linalg",
        "npu-place",
    ]
    written = {entry["file"] for entry in index if entry["file"]}
    assert written | {"index.json", "index.md"} == set(files_in(tmp_path / "ir"))
    assert report_of(tmp_path / "r.json")["counts"]["changed"] == len(written)


def test_a_pass_is_inserted_where_it_was_asked_for(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    flags = ("--insert", "canonicalize@after:npu-place", "--insert", "cse@before:npu-tile")
    assert npu("dump", "m.onnx", "-o", "ir", *flags).code == 0
    names = [e["name"] for e in json.loads((tmp_path / "ir" / "index.json").read_text())]
    assert names[names.index("npu-place") + 1] == "canonicalize"
    assert names[names.index("npu-tile") - 1] == "cse"


def save_with_host_ops(path: Path) -> None:
    """y = asin(tanh(acos(x) w)): two operators that the vector engine lacks."""
    nodes = [
        helper.make_node("Acos", ["x"], ["a"], name="first_host"),
        helper.make_node("MatMul", ["a", "w"], ["m"], name="matmul"),
        helper.make_node("Tanh", ["m"], ["t"], name="tanh"),
        helper.make_node("Asin", ["t"], ["y"], name="second_host"),
    ]
    weights = {"w": np.eye(8, dtype=np.float32) / 4}
    save_graph(path, nodes, {"x": [8, 8]}, {"y": [8, 8]}, weights)


def test_what_the_device_lacks_runs_on_the_host_and_is_listed(npu: Npu, tmp_path: Path) -> None:
    save_with_host_ops(tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", np.linspace(-0.9, 0.9, 64, dtype=np.float32).reshape(8, 8))
    result = npu("compile", "m.onnx", "--json", "r.json")
    assert result.code == 0, result.err
    report = report_of(tmp_path / "r.json")
    assert report["counts"]["ops_host"] >= 1
    assert "acos" in " ".join(report["fallbacks"])
    assert all(text in result.out for text in report["fallbacks"])
    run = npu("run", "m.npux", "--input", "x.npy", "--compare-with", "m.onnx")
    assert run.code == 0, run.out + run.err


def test_no_host_refuses_and_lists_every_operator(npu: Npu, tmp_path: Path) -> None:
    save_with_host_ops(tmp_path / "m.onnx")
    npu("compile", "m.onnx", "--no-host").assert_error(3, "E-UNSUP", "m.onnx", "'first_host'", "'second_host'")
    assert files_in(tmp_path) == ["m.onnx"]


def test_inputs_that_do_not_fit_are_all_named(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    assert npu("compile", "m.onnx").code == 0
    np.save(tmp_path / "x.npy", np.ones((4, 2), np.float32))
    npu("run", "m.npux", "--input", "x.npy").assert_error(2, "'x' is [4,2], the model takes [2,4]")
    npu("run", "m.npux", "--input", "z=x.npy").assert_error(2, "no input 'z'", "x [2,4] float32")
    npu("run", "m.npux", "--target", "tiny").assert_error(2, "--target given for a package")


def test_a_damaged_package_is_refused_or_runs_but_never_crashes(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    assert npu("compile", "m.onnx").code == 0
    data = (tmp_path / "m.npux").read_bytes()
    for size in (1, 8, 64, len(data) // 2, len(data) - 1):
        (tmp_path / "m.npux").write_bytes(data[:size])
        npu("run", "m.npux").assert_error(2, "m.npux")
    for position in range(0, len(data), max(1, len(data) // 40)):
        damaged = bytearray(data)
        damaged[position] ^= 0x55
        (tmp_path / "m.npux").write_bytes(damaged)
        npu("run", "m.npux").assert_error(2, "m.npux")


def test_bytecode_of_a_level_holds_the_weights(npu: Npu, tmp_path: Path) -> None:
    from npu_mlir.compiler.steps import run_pipeline
    from npu_mlir.mlir import ir

    # Text leaves large weights out; what was stopped and goes on has to end like what never stopped.
    for level in ("npu", "npuisa"):
        assert npu("compile", str(DIGITS), "--emit", level, "-o", f"{level}.mlirbc").code == 0
    # A context each, because a name that is taken gets a number; so does one that a pass makes again.
    stopped, whole = (
        ir.Module.parse((tmp_path / f"{level}.mlirbc").read_bytes(), ir.Context()) for level in ("npu", "npuisa")
    )
    run_pipeline(stopped, "npu-compile{from=buffer}")
    texts = [re.sub(r"(weight|bias)(_\d+)+", r"\1", str(module)) for module in (stopped, whole)]
    assert texts[0] == texts[1]


def test_a_run_prints_what_the_host_did(npu: Npu, tmp_path: Path) -> None:
    save_graph(tmp_path / "m.onnx", [helper.make_node("Acos", ["x"], ["y"], name="arc")], {"x": [4]}, {"y": [4]}, {})
    result = npu("run", "m.onnx")
    assert result.code == 0, result.err
    assert "on the host" in result.out and "'arc'" in result.out and "math.acos" in result.out


def test_without_a_float64_run_there_is_no_verdict(npu: Npu, tmp_path: Path) -> None:
    """The reference evaluator of onnx has no Relu in RNN; the differences are shown, and the answer is open."""
    rng = np.random.default_rng(0)
    save_graph(
        tmp_path / "rnn.onnx",
        [helper.make_node("RNN", ["x", "w", "r"], ["y"], "rnn", hidden_size=4, activations=["Relu"])],
        {"x": (5, 2, 3)},
        {"y": (5, 1, 2, 4)},
        {
            "w": rng.standard_normal((1, 4, 3)).astype(np.float32),
            "r": 0.2 * rng.standard_normal((1, 4, 4)).astype(np.float32),
        },
    )
    result = npu("run", "rnn.onnx", "--compare-with", "onnxruntime", "--target", "tiny")
    result.assert_error(5, "E-ORACLE", "output 'y' against onnxruntime", "rms_rel")
