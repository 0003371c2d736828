# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that break a rule of ONNX are refused before the importer sees them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from npu_mlir.errors import InputError, UnsupportedOpError
from npu_mlir.frontends import load_model
from npu_mlir.frontends.onnx_prep import functions
from onnx import TensorProto, helper
from small_onnx import make_model, matmul_relu


def _refused(model: onnx.ModelProto, code: str, *texts: str) -> None:
    with pytest.raises(InputError) as caught:
        load_model(model)
    assert caught.value.code == code
    assert caught.value.exit_code == 2
    for text in texts:
        assert text in str(caught.value)


def test_no_outputs() -> None:
    model = matmul_relu()
    del model.graph.output[:]
    _refused(model, "E-ONNX", "has no outputs")


def test_opset_of_the_future() -> None:
    model = matmul_relu()
    model.opset_import[0].version = 999
    _refused(model, "E-ONNX", "it is 999", str(onnx.defs.onnx_opset_version()))


def test_data_longer_than_the_shape() -> None:
    model = matmul_relu()
    weight = model.graph.initializer[0]
    weight.raw_data = onnx.numpy_helper.to_array(weight).tobytes() + b"\0" * 4
    del weight.float_data[:]
    _refused(model, "E-ONNX", "initializer 'w'", "takes 32768 bytes, but it holds 32772")


def test_unknown_element_type() -> None:
    model = matmul_relu()
    model.graph.initializer[0].data_type = 99
    _refused(model, "E-ONNX", "initializer 'w'", "no element type 99")


def test_broken_tensor_in_an_attribute() -> None:
    model = make_model("g (float[2] x) => (float[2] y) { y = Add(x, c) }")
    value = TensorProto(name="c", data_type=TensorProto.FLOAT, dims=[2], raw_data=b"\0" * 4)
    model.graph.node.insert(0, helper.make_node("Constant", [], ["c"], name="const", value=value))
    _refused(model, "E-ONNX", "attribute 'value' of node 'const'", "takes 8 bytes, but it holds 4")


def test_operands_of_different_types() -> None:
    model = make_model("g (float[2] x, double[2] z) => (float[2] y) { [sum] y = Add(x, z) }")
    _refused(model, "E-ONNX", "Add 'sum'", "'x' is FLOAT, but 'z' is DOUBLE")


def test_operands_that_may_differ() -> None:
    model = make_model("g (float[2] x, int64[2] e) => (float[2] y) { y = Pow(x, e) }")
    assert load_model(model).outputs[0].shape == (2,)


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ("Softmax<axis=7>(x)", "'axis' must be in [-2 , 1]"),
        ("Transpose<perm=[0,0]>(x)", "repeated value: 0"),
        ("Concat<axis=5>(x)", "axis must be in"),
    ],
)
def test_attributes_out_of_range(node: str, words: str) -> None:
    # Without this the importer runs for minutes, or fails in words of its own.
    _refused(make_model(f"g (float[2,3] x) => (float[a,b] y) {{ [it] y = {node} }}"), "E-SHAPE", "'it'", words)


def test_too_many_elements() -> None:
    huge = 1 << 62
    model = make_model(f"g (float[{huge},3] x) => (float[{huge},3] y) {{ y = Relu(x) }}")
    _refused(model, "E-TOOLARGE", "'x' has the shape [4611686018427387904, 3]", "at most 8,589,934,592")


@pytest.mark.parametrize("kind", ["INT4", "UINT4", "FLOAT8E4M3FN"])
def test_element_types_that_nothing_computes(kind: str) -> None:
    elem = getattr(TensorProto, kind)
    value = helper.make_tensor_value_info("x", elem, [2])
    node = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
    model = helper.make_model(helper.make_graph([node], "g", [value], [result]))
    with pytest.raises(UnsupportedOpError, match=f"the element type {kind}"):
        load_model(model)


def test_wrong_shape_of_an_output_is_a_warning() -> None:
    model = make_model("g (float[2,3] x) => (float[3,2] y) { y = Relu(x) }")
    imported = load_model(model)
    assert imported.outputs[0].shape == (2, 3)
    assert any("declares [3, 2]" in text for text in imported.warnings)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.onnx")
    with pytest.raises(InputError, match="not a file"):
        load_model(tmp_path / "m.onnx")


def test_weights_of_four_bits() -> None:
    model = make_model("g (float[2] x) => (float[2] y) { y = Add(x, d) }", opset=21)
    weight = helper.make_tensor("q", TensorProto.INT4, [2], np.array([1, -2], np.int8))
    scale = helper.make_tensor("s", TensorProto.FLOAT, [], [0.5])
    model.graph.initializer.extend([weight, scale])
    model.graph.node.insert(0, helper.make_node("DequantizeLinear", ["q", "s"], ["d"], name="dq"))
    with pytest.raises(UnsupportedOpError, match="node 'dq': its operand has the element type INT4"):
        load_model(model)


def test_functions_that_double(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "MAX_NODES", 1000)
    model = make_model("g (float[2] x) => (float[2] y) { [call] y = own.f12(x) }")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model.opset_import.append(opsets[1])
    bodies = [[helper.make_node("Relu", ["a"], ["b"])]]
    for level in range(12):
        calls = [("a", "m"), ("m", "b")]
        bodies.append([helper.make_node(f"f{level}", [x], [y], domain="own") for x, y in calls])
    for level, body in enumerate(bodies):
        model.functions.append(helper.make_function("own", f"f{level}", ["a"], ["b"], body, opsets))
    _refused(model, "E-ONNX", "more than 1,000 nodes", "inside of 'call'")


def test_a_constant_that_would_be_folded_into_the_whole_memory() -> None:
    model = make_model(
        "g (float[1] x) => (float[n] y) { [tile] t = Tile(c, r) y = Add(x, t) }",
        c=np.ones(1, np.float32),
        r=np.array([1 << 36]),
    )
    _refused(model, "E-TOOLARGE", "'t' has the shape [68719476736]")
