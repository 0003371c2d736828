# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong input: one clear error, the right exit code, and no file left behind."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from cli_support import DIGITS, Npu, files_in, save_graph, save_linear
from onnx import TensorProto, helper

# Model files that are not what their name says: name, bytes, what the error must say.
NOT_MODELS = {
    "empty": (b"", "the file is empty"),
    "html": (b"<!DOCTYPE html><html></html>", "HTML page"),
    "noise": (bytes(range(1, 200)), "ONNX"),
    "numpy": (b"\x93NUMPY\x01\x00", "NumPy array"),
    "zip": (b"PK\x03\x04rest", "zip archive"),
    "truncated": (DIGITS.read_bytes()[: DIGITS.stat().st_size // 2], "truncated or damaged"),
}


@pytest.mark.parametrize("kind", NOT_MODELS)
def test_a_file_that_is_no_onnx_model(npu: Npu, tmp_path: Path, kind: str) -> None:
    data, text = NOT_MODELS[kind]
    (tmp_path / "m.onnx").write_bytes(data)
    npu("compile", "m.onnx").assert_error(2, text, "where: m.onnx")
    assert files_in(tmp_path) == ["m.onnx"]


def test_a_missing_file_names_one_that_is_close(npu: Npu, digits: Path) -> None:
    npu("compile", "digit.onnx").assert_error(2, "file not found", "did you mean digits.onnx")


def test_a_folder_is_no_model(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").mkdir()
    npu("compile", "m.onnx").assert_error(2, "is a folder")


def test_an_unknown_kind_of_file_lists_the_known_ones(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "m.tflite").write_bytes(b"x")
    npu("compile", "m.tflite").assert_error(2, "'.tflite'", ".onnx, .pt2 or .mlir")


def test_mlir_that_does_not_parse_names_the_problem(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = arith.nonsense %x\n}\n"
    )
    npu("compile", "m.mlir").assert_error(2, "does not parse", "m.mlir", "arith.nonsense")
    assert files_in(tmp_path) == ["m.mlir"]


def test_mlir_with_dynamic_shapes(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_text(
        "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }\n"
    )
    npu("compile", "m.mlir").assert_error(2, "E-DYNAMIC", "tensor<?xf32>")


def test_mlir_without_the_named_function_lists_those_there_are(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }\n")
    npu("compile", "m.mlir", "--entry", "g").assert_error(2, "no function @g", "@f")


def test_unbound_dimensions_are_all_listed_with_the_flags_that_bind_them(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx", shape=("N", 4))
    npu("compile", "m.onnx").assert_error(
        2, "E-DYNAMIC", "input 'x' [N, 4]: dimension 0 'N'", "--shape x=1x4", "--shape N=1"
    )
    assert files_in(tmp_path) == ["m.onnx"]


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("x", "does not have the right form"),
        ("x=2x-1", "does not have the right form"),
        ("x=axb", "does not have the right form"),
        ("=3", "does not have the right form"),
        ("y=3x4", "'y' was given a shape, but the model has no such input"),
        ("M=3", "'M' was given a size, but the model has no such dimension name"),
        ("x=2x4x1", "has 3 dimensions"),
        ("x=2x5", "dimension 1 is 4 in the model"),
        ("N=0", "less than 1"),
    ],
)
def test_a_wrong_shape_flag(npu: Npu, tmp_path: Path, flag: str, text: str) -> None:
    save_linear(tmp_path / "m.onnx", shape=("N", 4))
    npu("compile", "m.onnx", "--shape", flag).assert_error(2, text)


def test_a_dimension_named_twice(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx", shape=("N", 4))
    npu("compile", "m.onnx", "--shape", "N=2", "--shape", "N=3").assert_error(2, "twice")


def test_a_zero_size_tensor_is_refused(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx", shape=(0, 4))
    npu("compile", "m.onnx").assert_error(2, "E-ZEROSIZE", "m.onnx", "'x'")
    assert files_in(tmp_path) == ["m.onnx"]


def test_nan_weights_are_named(npu: Npu, tmp_path: Path) -> None:
    weight = np.ones((4, 300), np.float32)
    weight[1, 2] = np.nan
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="matmul")]
    save_graph(tmp_path / "m.onnx", nodes, {"x": [2, 4]}, {"y": [2, 300]}, {"w": weight})
    npu("compile", "m.onnx").assert_error(2, "E-NANWEIGHT", "'w': 1 of 1200 elements are NaN")
    assert files_in(tmp_path) == ["m.onnx"]


def test_an_unknown_target_lists_the_presets(npu: Npu, digits: Path) -> None:
    npu("compile", digits, "--target", "huge").assert_error(2, "E-TARGET", "tiny, edge, mobile")


def test_a_missing_target_file(npu: Npu, digits: Path) -> None:
    npu("compile", digits, "--target", "no.yaml").assert_error(2, "E-TARGET", "no.yaml")


@pytest.mark.parametrize("text", ["", "{{{{", "- 1\n- 2\n", "sram_bytes: lots\n", "colour: red\n"])
def test_a_target_file_that_is_none(npu: Npu, tmp_path: Path, digits: Path, text: str) -> None:
    (tmp_path / "t.yaml").write_text(text)
    npu("compile", digits, "--target", "t.yaml").assert_error(2, "E-TARGET", "t.yaml")
    npu("target", "check", "t.yaml").assert_error(2, "E-TARGET", "t.yaml")
    assert files_in(tmp_path) == ["digits.onnx", "t.yaml"]


BAD_OUTPUTS = {
    "missing/m.npux": "there is no folder 'missing'",
    "digits.onnx/m.npux": "is not a folder",
    "folder": "it is a folder",
    "/proc/m.npux": "/proc/m.npux",
    "digits.onnx": "the same file as an input",
}


@pytest.mark.parametrize("output", BAD_OUTPUTS)
def test_an_output_that_cannot_be_written_is_found_before_the_work(
    npu: Npu, tmp_path: Path, digits: Path, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr("npu_mlir.compiler.compile", lambda *_, **__: pytest.fail("work began"))
    npu("compile", digits, "-o", output).assert_error(2, BAD_OUTPUTS[output])
    assert (tmp_path / digits).read_bytes() == DIGITS.read_bytes()
    assert files_in(tmp_path) == ["digits.onnx", "folder"]


@pytest.mark.parametrize("flag", ["--json", "--dump-dir"])
def test_other_outputs_are_checked_as_well(npu: Npu, digits: Path, flag: str) -> None:
    npu("compile", digits, flag, "digits.onnx/x").assert_error(2, "E-OUTPUT", "digits.onnx/x")


def test_a_custom_pass_in_a_wrong_place(npu: Npu, digits: Path) -> None:
    npu("compile", digits, "--insert", "canonicalize").assert_error(2, "PASS@after:NAME")
    npu("compile", digits, "--insert", "canonicalize@after:npu-nothing").assert_error(2, "npu-nothing", "npu-tile")


def test_usage_errors_have_the_form_of_all_errors(npu: Npu, digits: Path) -> None:
    npu().assert_error(2, "E-USAGE", "npu --help")
    npu("fly").assert_error(2, "E-USAGE", "'fly'")
    npu("compile").assert_error(2, "E-USAGE", "MODEL", "npu compile --help")
    npu("compile", digits, "--emit", "wasm").assert_error(2, "E-USAGE", "'wasm'")


def test_two_results_cannot_share_standard_output(npu: Npu, digits: Path) -> None:
    npu("compile", digits, "--emit", "npu", "--json", "-").assert_error(2, "E-USAGE", "--emit")


def test_a_wrong_seed(npu: Npu, digits: Path) -> None:
    npu("run", digits, "--seed", "many").assert_error(2, "E-USAGE", "'many'")


def test_a_factory_that_fails_is_named_with_its_line(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("def make():\n    return 1 / 0\n")
    npu("compile", "net.py:make").assert_error(2, "net.py:make", "ZeroDivisionError", "net.py:2")
    npu("compile", "net.py:other").assert_error(2, "no function 'other'")
    npu("compile", "nonet.py:make").assert_error(2, "file not found")


def test_an_operator_of_an_unknown_domain_is_unsupported(npu: Npu, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Foo", ["x"], ["a"], name="first", domain="com.acme"),
        helper.make_node("Bar", ["a"], ["y"], name="second", domain="com.acme"),
    ]
    save_graph(tmp_path / "m.onnx", nodes, {"x": [4]}, {"y": [4]})
    npu("compile", "m.onnx").assert_error(3, "E-UNSUP", "'first'", "'second'", "com.acme")
    assert files_in(tmp_path) == ["m.onnx"]


def test_packages_that_are_none(npu: Npu, tmp_path: Path) -> None:
    npu("run", "no.npux").assert_error(2, "file not found")
    for data in (b"", b"PK\x03\x04", b"\x7fELF", np.arange(64, dtype=np.uint8).tobytes()):
        (tmp_path / "m.npux").write_bytes(data)
        npu("run", "m.npux").assert_error(2, "m.npux")


def test_a_bare_program_is_for_npu_run(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "p.npuprog").write_bytes(b"x")
    npu("run", "p.npuprog").assert_error(2, "npu-run p.npuprog")


def test_compare_needs_an_onnx_model(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "m.npux").write_bytes(b"x")
    npu("run", "m.npux", "--compare-with", "onnxruntime").assert_error(2, "E-COMPARE", "--compare-with model.onnx")
    npu("run", "m.npux", "--compare-with", "no.onnx").assert_error(2, "file not found")


def test_byte_order_of_an_input_is_that_of_its_file(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    x = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)
    for name, array in (("little", x.astype("<f4")), ("big", x.astype(">f4")), ("columns", np.asfortranarray(x))):
        np.save(tmp_path / f"{name}.npy", array)
        assert npu("run", "m.onnx", "--input", f"{name}.npy", "-o", name).code == 0
    expected = np.load(tmp_path / "little" / "y.npy")
    for name in ("big", "columns"):
        assert np.array_equal(np.load(tmp_path / name / "y.npy"), expected), name


def test_broken_headers_of_arrays(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    for name, shape in (("overflow", "(99999999999999999999,)"), ("unterminated", "(2,"), ("huge", "(1<<60,)")):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
        (tmp_path / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        npu("run", "m.onnx", "--input", f"{name}.npy").assert_error(2, "E-INPUT", f"{name}.npy")
    with zipfile.ZipFile(tmp_path / "text.npz", "w") as archive:
        archive.writestr("x.txt", "no numbers")
    npu("run", "m.onnx", "--input", "text.npz").assert_error(2, "E-INPUT", "'x.txt' is not an array")


def test_any_path_names_a_target_file(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    folder = tmp_path / "a folder, with {'braces'}"
    folder.mkdir()
    source = next((Path(__file__).parents[3] / "dialects").rglob("tiny.yaml"))
    (folder / "my target.yaml").write_text(source.read_text())
    result = npu("compile", "m.onnx", "--target", str(folder / "my target.yaml"), "-o", "m.npux")
    assert result.code == 0, result.err


@pytest.mark.parametrize("value", ["0", "-1", "3"])
def test_an_alignment_that_is_impossible(npu: Npu, tmp_path: Path, value: str) -> None:
    source = next((Path(__file__).parents[3] / "dialects").rglob("tiny.yaml")).read_text()
    text = re.sub(r"(?m)^alignment_bytes:.*$", f"alignment_bytes: {value}", source)
    (tmp_path / "t.yaml").write_text(text)
    npu("target", "check", "t.yaml").assert_error(2, "alignment_bytes")


def test_no_host_names_the_operator_of_the_model(npu: Npu, tmp_path: Path) -> None:
    save_graph(
        tmp_path / "m.onnx",
        [
            helper.make_node("ArgMax", ["x"], ["i"], "best", axis=1, keepdims=0),
            helper.make_node("Cast", ["i"], ["y"], "cast", to=TensorProto.FLOAT),
        ],
        {"x": (4, 5)},
        {"y": (4,)},
    )
    result = npu("compile", "m.onnx", "--no-host")
    result.assert_error(3, "E-UNSUP", "ArgMax (domain ai.onnx), node 'best': element type i64")


def test_bytes_behind_an_array(npu: Npu, tmp_path: Path) -> None:
    save_linear(tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", np.ones((2, 4), np.float32))
    with (tmp_path / "x.npy").open("ab") as file:
        file.write(b"more")
    npu("run", "m.onnx", "--input", "x.npy").assert_error(2, "4 bytes follow behind the array")
