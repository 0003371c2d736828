# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX import through the worker: values, locations, weights, and what happens when it fails."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import linalg_jit
import numpy as np
import onnx
import pytest
from npu_mlir.errors import ImportFailure, UnsupportedOpError
from npu_mlir.frontends import ImportedModel, TensorSpec, load_model, worker_client
from small_onnx import make_model, matmul_relu, small_cnn


def feeds_for(imported: ImportedModel, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        spec.name: rng.standard_normal(spec.shape).astype(spec.dtype) for spec in imported.inputs
    }


def check_values(model: onnx.ModelProto, imported: ImportedModel, **feeds: np.ndarray) -> None:
    """Imported text on the JIT against onnxruntime without optimisation."""
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(model.SerializeToString(), options)
    given = feeds or feeds_for(imported)
    expected = session.run(None, given)
    results = linalg_jit.run(imported, given)
    for spec, ours, reference in zip(imported.outputs, results, expected, strict=True):
        np.testing.assert_allclose(ours, reference, rtol=1e-4, atol=1e-5, err_msg=spec.name)


def test_matmul_relu() -> None:
    model = matmul_relu()
    imported = load_model(model)
    assert imported.inputs == (TensorSpec("x", (8, 64), "float32"),)
    assert imported.outputs == (TensorSpec("y", (8, 128), "float32"),)
    assert imported.weight_args == {1: "w", 2: "b"}
    assert imported.input_arg_indices() == (0,)
    assert imported.source_kind == "onnx"
    assert imported.warnings == ()
    np.testing.assert_array_equal(
        imported.weights["b"], onnx.numpy_helper.to_array(model.graph.initializer[1])
    )
    check_values(model, imported)


def test_the_given_model_is_not_changed() -> None:
    model = small_cnn()
    before = model.SerializeToString()
    load_model(model, shapes={"N": 1})
    assert model.SerializeToString() == before


def test_every_op_has_the_name_of_its_node_and_mlir_22_reads_it() -> None:
    model = small_cnn()
    imported = load_model(model, shapes={"N": 1})
    for node in model.graph.node:
        assert f'loc("{node.name}")' in imported.text
    from npu_mlir.mlir import ir

    module = ir.Module.parse(imported.text, ir.Context())
    assert 'loc("conv1")' in module.operation.get_asm(enable_debug_info=True)
    check_values(model, imported)


def test_example_inputs_bind_shapes() -> None:
    imported = load_model(small_cnn(), inputs=[np.zeros((2, 1, 8, 8), np.float32)])
    assert imported.inputs[0].shape == (2, 1, 8, 8)
    assert imported.outputs[0].shape == (2, 10)


def test_weights_do_not_pass_through_text() -> None:
    model = make_model("g (float[1,512] x) => (float[1,512] y) { y = MatMul(x, w) }", w=(512, 512))
    imported = load_model(model)
    assert len(imported.text) < 2000
    assert imported.weights["w"].shape == (512, 512)


def test_softmax_and_layer_norm_have_neither_f64_nor_i64() -> None:
    model = make_model(
        "g (float[2,5,16] x) => (float[2,5,16] y) { h = LayerNormalization(x, s, b)"
        " y = Softmax(h) }",
        s=(16,),
        b=(16,),
    )
    imported = load_model(model)
    assert "f64" not in imported.text
    assert "i64" not in imported.text
    check_values(model, imported)


def test_per_tensor_quantised_matmul_is_integer() -> None:
    body = (
        "g (float[4,16] x) => (float[4,8] y) { q = QuantizeLinear(x, s, z)"
        " d = DequantizeLinear(q, s, z) e = DequantizeLinear(w, s, z) m = MatMul(d, e)"
        " r = QuantizeLinear(m, t, z) y = DequantizeLinear(r, t, z) }"
    )
    rng = np.random.default_rng(3)
    model = make_model(
        body,
        w=rng.integers(-100, 100, (16, 8), dtype=np.int8),
        s=np.array(0.02, dtype=np.float32),
        t=np.array(0.1, dtype=np.float32),
        z=np.array(0, dtype=np.int8),
    )
    imported = load_model(model)
    assert "i8" in imported.text and "i32" in imported.text
    assert imported.weights["w"].dtype == np.int8
    check_values(model, imported)


def test_boolean_input_and_output() -> None:
    model = make_model("g (bool[4] a, bool[4] b) => (bool[4] y) { y = And(a, b) }")
    imported = load_model(model)
    assert [spec.dtype for spec in (*imported.inputs, *imported.outputs)] == ["bool"] * 3
    assert "tensor<4xi1>" in imported.text


def test_an_op_that_only_its_schema_function_can_lower() -> None:
    model = make_model(
        "g (float[1,2,3,8] x, int64[1,3] p) => (float[1,2,3,8] y) {"
        " [rope] y = RotaryEmbedding(x, c, s, p) }",
        opset=23,
        c=(10, 4),
        s=(10, 4),
    )
    imported = load_model(model)
    assert "rope" in imported.origins.values()
    x = np.random.default_rng(0).standard_normal((1, 2, 3, 8), dtype=np.float32)
    check_values(model, imported, x=x, p=np.array([[0, 1, 2]]))


def test_all_unsupported_nodes_are_found_at_once() -> None:
    model = make_model(
        "g (float[4] x, float[3,3] m) => (float[2] a, float b) {"
        "[relu] r = Relu(x) [top] a, i = TopK(r, k) [det] b = Det(m) }",
        k=np.array([2]),
    )
    with pytest.raises(UnsupportedOpError) as caught:
        load_model(model)
    found = {(node.name, node.op_type, node.domain) for node in caught.value.nodes}
    assert found == {("top", "TopK", "ai.onnx"), ("det", "Det", "ai.onnx")}
    assert caught.value.exit_code == 3


def test_shape_that_depends_on_data() -> None:
    model = make_model(
        "g (float[4] x) => (int64[1,M] y) { [keep] r = Relu(x) [nz] y = NonZero(r) }"
    )
    with pytest.raises(UnsupportedOpError) as caught:
        load_model(model)
    assert [node.name for node in caught.value.nodes] == ["nz"]


def test_a_crash_of_the_importer_is_a_normal_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    model = make_model(
        'g (float x) => (float y) { [first] a = Relu(x) [bad] y = Einsum<equation="->">(a) }'
    )
    with pytest.raises(ImportFailure) as caught:
        load_model(model)
    assert caught.value.node == "bad"
    assert caught.value.exit_code == 3
    assert "SIGABRT" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_time_limit() -> None:
    with pytest.raises(ImportFailure, match=r"crashed|failed") as caught:
        load_model(matmul_relu(), timeout_s=0.05)
    assert "stopped after 0.05 s" in str(caught.value)


def test_interrupt_ends_the_worker_and_cleans_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]
        def wait(self, timeout: float | None = None) -> Any:
            if self not in started:
                started.append(self)
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(worker_client.subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        load_model(matmul_relu())
    assert started[0].poll() is not None
    assert list(tmp_path.iterdir()) == []


_CONSTANTS: dict[str, object] = {
    "one": np.array(1.0, dtype=np.float32),
    "pads": np.array([0, 0, 1, 2, 0, 0, 2, 1]),
    "gamma": (4,),
    "delta": (4,),
    "low": np.array(-0.5, dtype=np.float32),
    "high": np.array(0.5, dtype=np.float32),
    "index": np.array([3, 0]),
    "wt": (4, 2, 2, 2),
    "wd": (4, 1, 3, 3),
    "first": np.array([0]),
    "last_axis": np.array(3),
    "second": np.array([2]),
    "rest": np.array([-1]),
    "scales": np.array([1, 1, 2, 1.5], dtype=np.float32),
}
# Opset to one statement for each result. They share a model: each import costs a process.
_OPERATORS = {
    8: [
        "y0 = MaxPool<kernel_shape=[2,2], strides=[2,2]>(x)",
        "y1 = LeakyRelu<alpha=0.1>(x)",
    ],
    12: [
        "y0 = Softmax(x)",
        "y1 = AveragePool<kernel_shape=[3,3], strides=[2,2], ceil_mode=1>(x)",
        "y2 = Clip(x, low, high)",
        "y3 = Unsqueeze<axes=[0]>(x)",
    ],
    17: [
        "a = Sub(x, one) b = Add(a, one) y0 = Sub(x, b)",
        "y1 = Pad(x, pads)",
        "s = Shape(x) t = Slice(s, first, second) u = Concat<axis=0>(t, rest) y2 = Reshape(x, u)",
        "y3 = ReduceMean<axes=[1], keepdims=0>(x)",
        "y4 = HardSigmoid(x)",
        "y5 = InstanceNormalization(x, gamma, delta)",
        "y6 = Transpose<perm=[0,2,3,1]>(x)",
        "y7 = DepthToSpace<blocksize=2>(x)",
        'y8 = DepthToSpace<blocksize=2, mode="CRD">(x)',
        "y9 = SpaceToDepth<blocksize=3>(x)",
        "y10 = GlobalMaxPool(x)",
        "y11 = Concat<axis=1>(x, x)",
        "y12 = Gather<axis=1>(x, index)",
        "y13 = ConvTranspose<strides=[2,2], kernel_shape=[2,2]>(x, wt)",
        "y14 = Conv<group=4, kernel_shape=[3,3], pads=[1,1,1,1]>(x, wd)",
        'y15 = Resize<mode="nearest", nearest_mode="ceil">(x, , scales)',
        "y16 = CumSum<reverse=1>(x, last_axis)",
        'y17 = Resize<mode="linear">(x, , scales)',
    ],
    20: ["y0 = Gelu(x)", 'y1 = Gelu<approximate="tanh">(x)', "y2 = Mish(x)"],
}


@pytest.mark.parametrize("version", sorted(_OPERATORS))
def test_operators(version: int) -> None:
    statements = _OPERATORS[version]
    body = " ".join(statements)
    words = set(re.findall(r"\w+", body))
    outputs = ", ".join(f"float[] y{i}" for i in range(len(statements)))
    model = make_model(
        f"g (float[1,4,6,6] x) => ({outputs}) {{ {body} }}",
        opset=version,
        **{name: value for name, value in _CONSTANTS.items() if name in words},
    )
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    check_values(model, load_model(model))


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_resize_nearest_is_exact_in_every_coordinate_mode(rounding: str) -> None:
    modes = [
        "half_pixel",
        "half_pixel_symmetric",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
    ]
    body = " ".join(
        f'y{i}_{j} = Resize<mode="nearest", nearest_mode="{rounding}",'
        f' coordinate_transformation_mode="{mode}">(x, , s{j})'
        for i, mode in enumerate(modes)
        for j in range(4)
    )
    outputs = ", ".join(f"float[1,1,M,7] y{i}_{j}" for i in range(len(modes)) for j in range(4))
    scales = {f"s{j}": np.array([1, 1, v, 1], np.float32) for j, v in enumerate([2, 1.5, 2.5, 0.5])}
    model = make_model(f"g (float[1,1,20,7] x) => ({outputs}) {{ {body} }}", **scales)
    check_values(model, load_model(model))


def test_index_of_the_maximum_keeps_the_maximum() -> None:
    model = make_model(
        "g (float[3,7] x) => (int64[3,1] a, int64[1,7] b, float[3,7] c, float[3,1] d) {"
        "a = ArgMax<axis=1>(x) b = ArgMin<axis=0>(x) c = Hardmax(x)"
        " d = ReduceMax<axes=[1]>(x) }"
    )
    check_values(model, load_model(model))


def test_normalisation_of_a_row_of_zeros() -> None:
    model = make_model(
        "g (float[2,3] x) => (float[2,3] a, float[2,3] b) {"
        "a = LpNormalization<p=1>(x) b = LpNormalization<axis=0>(x) }"
    )
    x = np.array([[0, 0, 0], [0, 3, -4]], dtype=np.float32)
    imported = load_model(model)
    first, second = linalg_jit.run(imported, {"x": x})
    np.testing.assert_allclose(first, [[0, 0, 0], [0, 3 / 7, -4 / 7]], rtol=1e-6)
    np.testing.assert_allclose(second, [[0, 0, 0], [0, 1, -1]], rtol=1e-6)


def test_element_type_that_the_importer_does_not_know() -> None:
    model = make_model(
        "g (float[4] x) => (float[4] y) { [down] a = Cast<to=23>(x) [up] y = Cast<to=1>(a) }",
        opset=23,
    )
    with pytest.raises(UnsupportedOpError) as caught:
        load_model(model)
    assert [node.name for node in caught.value.nodes] == ["down", "up"]
    assert "FLOAT4E2M1" in str(caught.value)
