# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole-model bounds and verdicts: correct kernels pass, a fault in any layer is found."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from npu_mlir.compare import (
    ErrorModel,
    TensorBound,
    compare_outputs,
    fp64_ratio,
    model_bound,
    run_float64,
)
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).parents[2] / "e2e"))

import checking
import models

ONNX_CASES = models.names(kind="onnx")
# onnxruntime's Sigmoid errs by more than 4 ULP for negative arguments.
INACCURATE_IN_ONNXRUNTIME = {"activations": 1.1}


# Operators without an error rule yet, and padding that numpy cannot do: their cases are compared without a bound.
WITHOUT_RULE = ("gru", "lstm", "rnn", "pad_negative", "pad_only_negative", "dynamic_quantize")


@pytest.mark.parametrize("name", [name for name in ONNX_CASES if not name.startswith(WITHOUT_RULE)])
def test_onnxruntime_is_within_the_bound(name: str) -> None:
    built = models.build(name)
    references = checking.reference_outputs(built)
    for reference, bound in zip(
        references, ErrorModel(built.model).bounds(built.inputs).values(), strict=True
    ):
        assert bound.bound is not None, bound.reason
        assert bound.value.shape == reference.shape
        difference = np.abs(reference.astype(np.float64) - bound.value)
        ratio = np.max(
            np.where(
                difference == 0.0, 0.0, difference / np.where(difference == 0.0, 1.0, bound.bound)
            ),
            initial=0.0,
        )
        assert ratio <= INACCURATE_IN_ONNXRUNTIME.get(name, 1.0)
        assert bound.is_useful(1e-3) or "quantized" in built.tags


@pytest.mark.parametrize("name", [n for n in ONNX_CASES if n not in INACCURATE_IN_ONNXRUNTIME])
def test_verdict_on_framework_and_on_a_scaled_result(name: str) -> None:
    built = models.build(name)
    references = checking.reference_outputs(built)
    good = checking.verdict(built, references)
    assert good, good.explain()
    wrong = [y * np.float32(1.005) if y.dtype == np.float32 else y + 1 for y in references]
    assert not checking.verdict(built, wrong)


def test_builders_are_deterministic() -> None:
    for name in ("mlp_gemm", "quantized_conv"):
        first, second = models.build(name), models.build(name)
        assert first.model.SerializeToString(deterministic=True) == second.model.SerializeToString(
            deterministic=True
        )
        assert all(np.array_equal(a, b) for a, b in zip(first.inputs, second.inputs, strict=True))


def _perturbed(model: onnx.ModelProto, name: str, change) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for tensor in copy.graph.initializer:
        if tensor.name == name:
            tensor.CopyFrom(
                numpy_helper.from_array(change(numpy_helper.to_array(tensor).copy()), name)
            )
    return copy


@pytest.mark.parametrize("weight", ["w1", "b1", "w2", "b2", "w3", "b3"])
def test_fault_in_any_layer_is_seen_at_the_output(weight: str) -> None:
    """A wrong parameter of each layer of a CNN, seen through all layers after it and a softmax."""
    import onnxruntime as ort

    def change(w: np.ndarray) -> np.ndarray:
        w.reshape(-1)[: max(1, w.size // 8)] *= np.float32(1.2)
        return w

    built = models.build("small_cnn")
    wrong = _perturbed(built.model, weight, change)
    session = ort.InferenceSession(wrong.SerializeToString(), providers=["CPUExecutionProvider"])
    result = checking.verdict(built, session.run(None, {"x": built.inputs[0]}))
    assert not result and result.outputs[0].gate == "bound"
    assert result.outputs[0].err_over_bound is not None and result.outputs[0].err_over_bound > 3.0


def test_intermediate_tensors_have_bounds_too() -> None:
    built = models.build("small_cnn")
    bounds = model_bound(built.model, built.inputs, tensors=["/conv1/Conv_out", "/relu2/Relu_out"])
    assert [b.value.shape for b in bounds.values()] == [(1, 8, 20, 20), (1, 16, 10, 10)]
    with pytest.raises(ValueError, match="no tensor 'nothing'"):
        model_bound(built.model, built.inputs, tensors=["nothing"])


def test_sources_and_inputs(tmp_path: Path) -> None:
    built = models.build("matmul_bias_relu_tile")
    path = tmp_path / "m.onnx"
    onnx.save(built.model, path)
    expected = run_float64(built.model, built.inputs)
    for source in (path, str(path), path.read_bytes()):
        for inputs in (built.inputs, {"x": built.inputs[0]}):
            np.testing.assert_array_equal(
                run_float64(source, inputs)["/relu/Relu_out"], expected["/relu/Relu_out"]
            )
    with pytest.raises(ValueError, match="expected inputs"):
        run_float64(path, {"y": built.inputs[0]})
    with pytest.raises(ValueError, match="expected 1 inputs"):
        run_float64(path, [])
    with pytest.raises(ValueError, match="'float7' is not a known"):
        ErrorModel(path, accumulate="float7")
    with pytest.raises(OSError):
        run_float64(tmp_path / "none.onnx", [])


def _one_node(
    node: onnx.NodeProto, x: np.ndarray, opset: int = 17, **constants: np.ndarray
) -> onnx.ModelProto:
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)],
        [numpy_helper.from_array(v, n) for n, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def test_softmax_of_old_opsets_flattens() -> None:
    x = np.arange(12, dtype=np.float32).reshape(2, 2, 3) / 7
    value = run_float64(_one_node(helper.make_node("Softmax", ["x"], ["y"]), x, 11), [x])["y"]
    np.testing.assert_allclose(value.reshape(2, -1).sum(axis=1), 1.0)
    value = run_float64(_one_node(helper.make_node("Softmax", ["x"], ["y"]), x, 13), [x])["y"]
    np.testing.assert_allclose(value.sum(axis=-1), 1.0)


def test_masked_softmax_has_a_finite_bound() -> None:
    x = np.array([[1.0, -np.inf, 2.0]], np.float32)
    bound = model_bound(_one_node(helper.make_node("Softmax", ["x"], ["y"]), x), [x])["y"]
    assert bound.value[0, 1] == 0.0 and bound.bound is not None and np.isfinite(bound.bound).all()


def test_division_by_what_may_be_zero_has_no_finite_bound() -> None:
    x = np.array([1.0, 2.0], np.float32)
    nodes = [
        helper.make_node("Mul", ["x", "third"], ["a"]),
        helper.make_node("Sub", ["a", "a0"], ["b"]),
        helper.make_node("Div", ["x", "b"], ["y"]),
    ]
    model = _one_node(nodes[0], x, third=np.float32(1 / 3), a0=np.array([1 / 3, 0.0], np.float32))
    model.graph.node.extend(nodes[1:])
    bound = model_bound(model, [x])["y"].bound
    assert bound is not None and bound[0] > 1e6 and bound[1] < 1e-5


def test_unknown_operator_gives_the_value_and_the_reason() -> None:
    x = np.array([[3.0, 1.0], [2.0, 5.0]], np.float32)
    bound = model_bound(_one_node(helper.make_node("Det", ["x"], ["y"]), x), [x])["y"]
    assert (
        bound.bound is None
        and bound.reason == "Det has no error rule"
        and bound.value == pytest.approx(13.0)
    )


def test_quantized_values_next_to_a_tie_may_move_one_step() -> None:
    """An exact tie has one answer; a product that lands near a tie may round either way."""
    q = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"])
    x = np.array([0.5, 0.25, 1.5], np.float32)
    bound = model_bound(_one_node(q, x, s=np.float32(1.0), z=np.int8(0)), [x])["y"]
    np.testing.assert_array_equal(bound.value, [0, 0, 2])
    assert bound.bound is not None and not bound.bound.any()
    model = _one_node(
        helper.make_node("Mul", ["x", "third"], ["a"]),
        x,
        third=np.float32(1 / 3),
        s=np.float32(1 / 3),
        z=np.int8(0),
    )
    model.graph.node.append(helper.make_node("QuantizeLinear", ["a", "s", "z"], ["y"]))
    moved = model_bound(model, [x])["y"].bound
    assert moved is not None
    np.testing.assert_array_equal(moved, [1.0, 0.0, 1.0])


def test_float64_gate() -> None:
    rng = np.random.default_rng(0)
    exact = rng.standard_normal(1000)
    ref = (exact * (1 + 1e-6 * rng.standard_normal(1000))).astype(np.float32)
    near = (exact * (1 + 3e-6 * rng.standard_normal(1000))).astype(np.float32)
    far = (exact * (1 + 6e-6 * rng.standard_normal(1000))).astype(np.float32)
    assert fp64_ratio(ref, near, exact) == pytest.approx(3.0, rel=0.2)
    assert compare_outputs([ref], [near], ref64=[exact], depth=30)
    result = compare_outputs([ref], [far], ref64=[exact], depth=30)
    assert not result and "times the framework's own (limit 4)" in result.explain()
    assert not compare_outputs([ref], [near], ref64=[exact], depth=1)
    with pytest.raises(ValueError, match="pass 'ref64' and 'depth'"):
        compare_outputs([ref], [near])


def test_exact_reference_does_not_make_rounding_a_fault() -> None:
    exact = np.linspace(1, 2, 100).astype(np.float32).astype(np.float64)
    got = np.nextafter(exact.astype(np.float32), np.float32(3))
    assert fp64_ratio(exact.astype(np.float32), got, exact) <= 4.0
    deep = (exact * (1 + 1e-7 * np.sqrt(100))).astype(np.float32)
    assert fp64_ratio(exact.astype(np.float32), deep, exact) > 4.0
    assert fp64_ratio(exact.astype(np.float32), deep, exact, depth=100) <= 4.0


def test_names_missing_on_either_side() -> None:
    y = np.ones(2, np.int32)
    result = compare_outputs({"a": y, "b": y}, {"b": y, "c": y})
    assert not result and result.only_ref == ("a",) and result.only_got == ("c",)
    assert "'a' is missing" in result.explain()
    assert result.to_dict()["outputs"][0]["gate"] == "exact"


def test_structure_decides_before_any_bound() -> None:
    ref = np.ones(2, np.float32)
    wide = TensorBound("y", np.ones(2), np.full(2, 1e9), "float32")
    assert not compare_outputs([ref], [ref[None]], bounds=[wide], depth=1, ref64=[ref])
    assert not compare_outputs([ref], [ref * np.nan], bounds=[wide], depth=1, ref64=[ref])
    assert not compare_outputs([ref], [ref.astype(np.float16)], bounds=[wide], depth=1, ref64=[ref])


def _integer_layer(
    x: np.ndarray, weights: dict[str, np.ndarray], layer: int, scales: list[float], relu: bool
) -> np.ndarray:
    """An int8 layer as the NPU runs it: integer sums, one float32 multiplier, half to even."""
    acc = x.astype(np.int32) @ weights[f"w{layer}_q"].astype(np.int32).T + weights[f"b{layer}_q"]
    multiplier = np.float32(scales[layer] * weights[f"w{layer}_scale"] / scales[layer + 1])
    rounded = np.rint(acc.astype(np.float32) * multiplier)
    return np.clip(rounded, 0 if relu else -128, 127).astype(np.int8)


@pytest.mark.parametrize(("shift", "ok"), [(0, True), (1, False)])
def test_integer_arithmetic_is_within_the_bound_of_a_quantized_model(shift: int, ok: bool) -> None:
    """Folding DQ, Gemm, Q to integers passes; a zero point off by one does not."""
    built = models.build("quantized_mlp")
    weights = {t.name: numpy_helper.to_array(t) for t in built.model.graph.initializer}
    scales = [np.float32(2.5 / 127), np.float32(2.0 / 127), np.float32(1.5 / 127)]
    q = np.clip(np.rint(built.inputs[0] / scales[0]), -128, 127).astype(np.int8)
    hidden = _integer_layer(q, weights, 0, scales, relu=True)
    hidden = np.clip(hidden.astype(int) + shift, -128, 127).astype(np.int8)
    y = _integer_layer(hidden, weights, 1, scales, relu=False).astype(np.float32) * scales[2]
    result = checking.verdict(built, [y])
    assert result.ok is ok, result.explain()
