# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps of the ONNX preparation, one by one, without the importer."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from npu_mlir.errors import UnsupportedOpError
from npu_mlir.frontends.onnx_prep import (
    dead_code,
    fold,
    functions,
    infer,
    names,
    opset,
    reject,
    rewrite,
    weights,
)
from npu_mlir.frontends.onnx_prep.known_faults import refuse_known_faults
from npu_mlir.frontends.onnx_prep.prepare import prepare
from npu_mlir.frontends.onnx_prep.work import Work, stays_inline
from onnx.reference import ReferenceEvaluator
from small_onnx import make_model, small_cnn


def work_of(body: str, *, version: int = 17, **constants: object) -> Work:
    return Work(make_model(body, opset=version, **constants), "m.onnx")


def ops(work: Work) -> list[str]:
    return [node.op_type for node in work.graph.node]


def run(work: Work, **feeds: np.ndarray) -> list[np.ndarray]:
    """The model in the reference evaluator, with its weights as inputs."""
    result = ReferenceEvaluator(work.model).run(None, {**feeds, **work.weights})
    assert isinstance(result, list)
    return result


# names


def test_unnamed_and_doubled_names() -> None:
    work = work_of(
        "g (float[2] x) => (float[2] y) { a = Relu(x) [n] b = Abs(a) [n] c = Neg(b) y = Exp(c) }"
    )
    names.record_sources(work)
    assert [node.name for node in work.graph.node] == ["Relu_a", "n", "n#2", "Exp_y"]
    assert work.origins == {"n#2": "n"}
    assert work.op_types["Relu_a"] == ("Relu", "ai.onnx")


# weights


@pytest.mark.parametrize(
    ("shape", "dtype", "inline"),
    [
        ((64,), "float32", True),
        ((65,), "float32", False),
        ((1024,), "int64", True),
        ((1025,), "int64", False),
        ((2, 64), "int64", False),
        ((), "float16", True),
    ],
)
def test_what_stays_inline(shape: tuple[int, ...], dtype: str, inline: bool) -> None:
    assert stays_inline(np.zeros(shape, dtype)) is inline


def test_large_initializers_and_constant_nodes_become_inputs() -> None:
    work = work_of(
        "g (float[65] x) => (float[65] y) { c = Constant<value_floats=[1.0, 2.0]>()"
        " a = Add(x, w) y = Add(a, s) }",
        w=(65,),
        s=(1,),
    )
    weights.split_weights(work)
    assert [value.name for value in work.graph.input] == ["x", "w"]
    assert sorted(tensor.name for tensor in work.graph.initializer) == ["c", "s"]
    assert list(work.weights) == ["w"]
    assert ops(work) == ["Add", "Add"]


def test_input_with_initializer_is_a_constant() -> None:
    work = work_of("g (float[2] x, float[2] w) => (float[2] y) { y = Add(x, w) }", w=(2,))
    weights.split_weights(work)
    assert [value.name for value in work.graph.input] == ["x"]


# folding


def test_shape_chain_becomes_a_constant() -> None:
    work = work_of(
        "g (float[2,3,4] x) => (float[2,12] y) { s = Shape<end=1>(x)"
        " c = Concat<axis=0>(s, m) y = Reshape(x, c) }",
        m=np.array([-1], dtype=np.int64),
    )
    fold.fold(work)
    dead_code.remove_dead(work)
    assert ops(work) == ["Reshape"]
    known = {t.name: onnx.numpy_helper.to_array(t).tolist() for t in work.graph.initializer}
    assert known["c"] == [2, -1]


@pytest.mark.parametrize("condition", [True, False])
def test_if_on_a_constant_takes_the_branch(condition: bool) -> None:
    work = work_of(
        "g (float[2] x) => (float[2] y) { y = If (c) <"
        "then_branch = t () => (float[2] p) { k = Add(x, one) p = Relu(k) },"
        "else_branch = e () => (float[2] q) { q = Neg(x) }> }",
        c=np.array(condition),
        one=np.array([1.0], dtype=np.float32),
    )
    names.record_sources(work)
    weights.split_weights(work)
    fold.fold(work)
    dead_code.remove_dead(work)
    assert "If" not in ops(work)
    x = np.array([-3.0, 2.0], dtype=np.float32)
    expected = np.maximum(x + 1, 0) if condition else -x
    np.testing.assert_array_equal(run(work, x=x)[0], expected)


def test_if_branch_that_returns_an_outer_value() -> None:
    work = work_of(
        "g (float[2] x) => (float[2] y) { a = Relu(x) y = If (c) <"
        "then_branch = t () => (float[2] a2) { a2 = Identity(a) },"
        "else_branch = e () => (float[2] q) { q = Neg(x) }> }",
        c=np.array(True),
    )
    names.record_sources(work)
    fold.fold(work)
    dead_code.remove_dead(work)
    x = np.array([-3.0, 2.0], dtype=np.float32)
    np.testing.assert_array_equal(run(work, x=x)[0], np.maximum(x, 0))


def test_if_on_data_stays() -> None:
    work = work_of(
        "g (float[2] x, bool c) => (float[2] y) { y = If (c) <"
        "then_branch = t () => (float[2] p) { p = Relu(x) },"
        "else_branch = e () => (float[2] q) { q = Neg(x) }> }"
    )
    fold.fold(work)
    assert ops(work) == ["If"]


def test_identity_goes_and_output_identity_stays() -> None:
    work = work_of("g (float[2] x) => (float[2] y) { a = Identity(x) b = Relu(a) y = Identity(b) }")
    fold.fold(work)
    assert ops(work) == ["Relu", "Identity"]


def test_random_and_quantised_constants_are_not_folded() -> None:
    work = work_of(
        "g (float[2] x) => (float[2] y) { r = RandomNormal<shape=[2]>()"
        " d = DequantizeLinear(w, s, z) a = Add(r, d) y = Add(a, x) }",
        w=np.array([1, 2], dtype=np.int8),
        s=np.array(0.5, dtype=np.float32),
        z=np.array(0, dtype=np.int8),
    )
    fold.fold(work)
    assert ops(work) == ["RandomNormal", "DequantizeLinear", "Add", "Add"]


def test_a_large_expansion_is_not_folded() -> None:
    work = work_of(
        "g (float[2048,1024] x) => (float[2048,1024] y) { e = Expand(c, s) y = Add(x, e) }",
        c=np.ones((1, 1), dtype=np.float32),
        s=np.array([2048, 1024], dtype=np.int64),
    )
    fold.fold(work)
    assert ops(work) == ["Expand", "Add"]


def test_stale_shapes_are_inferred_anew() -> None:
    work = Work(small_cnn(), "m")
    work.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 3
    infer.infer_shapes(work)
    types = infer.known_types(work.graph)
    assert infer.static_shape(types["y"]) == (3, 10)


# dead code


def test_dead_nodes_constants_and_weights_go_but_inputs_stay() -> None:
    work = work_of(
        "g (float[65] x, float[2] unused) => (float[65] y) { d = Add(x, w) y = Relu(x) }", w=(65,)
    )
    weights.split_weights(work)
    dead_code.remove_dead(work)
    assert ops(work) == ["Relu"]
    assert [value.name for value in work.graph.input] == ["x", "unused"]
    assert not work.weights


def test_what_a_branch_captures_is_alive() -> None:
    work = work_of(
        "g (float[2] x, bool c) => (float[2] y) { a = Neg(x) y = If (c) <"
        "then_branch = t () => (float[2] p) { p = Relu(a) },"
        "else_branch = e () => (float[2] q) { q = Add(x, k) }> }",
        k=(2,),
    )
    dead_code.remove_dead(work)
    assert ops(work) == ["Neg", "If"]
    assert [tensor.name for tensor in work.graph.initializer] == ["k"]


# opset


@pytest.mark.parametrize("version", [7, 9, 11, 13, 16])
def test_old_opsets_are_raised_and_keep_their_values(version: int) -> None:
    body = "g (float[2,3,4] x) => (float[2,3,4] y) { a = Softmax<axis=1>(x) [b] y = Relu(a) }"
    model = make_model(body, opset=version)
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)
    work = Work(model, "m")
    opset.raise_opset(work)
    assert work.opset() >= 17
    if version < 13:  # flattened to two dimensions at the axis
        powers = np.exp(x.reshape(2, 12))
        expected = (powers / powers.sum(1, keepdims=True)).reshape(2, 3, 4)
    else:
        powers = np.exp(x)
        expected = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(run(work, x=x)[0], np.maximum(expected, 0), rtol=1e-6)


def test_new_opsets_are_left() -> None:
    work = work_of("g (float[2] x) => (float[2] y) { y = Relu(x) }", version=22)
    opset.raise_opset(work)
    assert work.opset() == 22


# functions


def test_functions_of_the_model_are_inlined_to_the_bottom() -> None:
    model = onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 17, "my" : 1]>
        g (float[2] x) => (float[2] y) { [call] y = my.outer<k: float = 2.0>(x) }
        <domain: "my", opset_import: ["" : 17, "my" : 1]>
        outer <k> (a) => (b) { t = my.inner(a)  b = LeakyRelu<alpha: float = @k>(t) }
        <domain: "my", opset_import: ["" : 17]>
        inner (a) => (b) { t = Neg(a)  b = Exp(t) }
        """)
    work = Work(model, "m")
    names.record_sources(work)
    functions.inline_model_functions(work)
    assert ops(work) == ["Neg", "Exp", "LeakyRelu"]
    assert not work.model.functions
    assert {work.origins[node.name] for node in work.graph.node} == {"call"}
    onnx.checker.check_model(work.model)
    x = np.array([1.0, -1.0], dtype=np.float32)
    np.testing.assert_allclose(run(work, x=x)[0], np.exp(-x), rtol=1e-6)


@pytest.mark.parametrize(
    ("body", "version"),
    [
        (
            "g (float[2,3] x) => (float[2,3] y) { [f] y = MeanVarianceNormalization<axes=[1]>(x) }",
            17,
        ),
        ('g (float[2,3] x) => (float[2,3] y) { [f] y = Gelu<approximate="tanh">(x) }', 21),
        ("g (float[2,3] x) => (float[2,3] y) { [f] y = Clip(x) }", 17),
        ("g (float[2,3] x) => (float[2,3] y) { [f] y = HardSwish(x) }", 17),
        ("g (float[2,3] x) => (float[2,3] y) { [f] y = Celu<alpha=0.5>(x) }", 17),
    ],
)
def test_schema_functions_keep_their_values(body: str, version: int) -> None:
    x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    work = work_of(body, version=version)
    expected = run(work, x=x)[0]
    infer.infer_shapes(work)
    assert functions.expand_schema_functions(work, ["f"]) == ["f"]
    assert {work.origins[node.name] for node in work.graph.node} == {"f"}
    np.testing.assert_allclose(run(work, x=x)[0], expected, rtol=1e-5, atol=1e-6)


def test_an_operator_without_a_function_is_left() -> None:
    work = work_of("g (float[2] x) => (float[2] y) { [f] y = Exp(x) }")
    infer.infer_shapes(work)
    assert functions.expand_schema_functions(work, ["f"]) == []


# refusals


def refused(work: Work) -> list[tuple[str, str]]:
    names.record_sources(work)
    with pytest.raises(UnsupportedOpError) as caught:
        reject.reject_unsupported(work)
    return [(node.name, node.op_type) for node in caught.value.nodes]


def test_sequences_and_strings_are_refused_all_at_once() -> None:
    work = work_of(
        "g (float[2] x) => (float[4] y) { [s] q = SequenceConstruct(x, x)"
        " [c] y = ConcatFromSequence<axis=0>(q) }"
    )
    assert refused(work) == [("s", "SequenceConstruct"), ("c", "ConcatFromSequence")]


def test_string_input_is_refused() -> None:
    work = work_of("g (string[2] x) => (string[2] y) { [i] y = Identity(x) }")
    assert refused(work)[:2] == [("x", "input"), ("y", "output")]


def test_other_domains_are_refused() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 3, "com.x" : 1]>'
        "g (float[2] x) => (float[2] y) { [b] a = ai.onnx.ml.Binarizer(x) [f] y = com.x.F(a) }"
    )
    assert refused(Work(model, "m")) == [("b", "Binarizer"), ("f", "F")]


def test_operators_inside_branches_are_seen() -> None:
    work = work_of(
        "g (float[2] x, bool c) => (float[2] y) { y = If (c) <"
        "then_branch = t () => (float[2] p)"
        " { [s] q = SequenceConstruct(x) [a] p = SequenceAt(q, k) },"
        "else_branch = e () => (float[2] q) { q = Neg(x) }> }",
        k=np.array(0),
    )
    assert refused(work) == [("s", "SequenceConstruct"), ("a", "SequenceAt")]


@pytest.mark.parametrize(
    "body",
    [
        'g (uint8[2] x, uint8[2] n) => (uint8[2] y) { [s] y = BitShift<direction="LEFT">(x, n) }',
        "g (float[1,1,4,4] x, float[1,2,2,2] n) => (float[1,1,2,2] y) { [s] y = GridSample(x, n) }",
        "g (uint8[2,3] x, float[2] n, uint8[2] z) => (float[2,3] y)"
        " { [s] y = DequantizeLinear<axis=0>(x, n, z) }",
    ],
)
def test_forms_that_would_be_wrong_are_refused(body: str) -> None:
    with pytest.raises(UnsupportedOpError) as caught:
        refuse_known_faults(work_of(body))
    assert caught.value.nodes[0].name == "s"


def test_forms_beside_them_are_taken() -> None:
    refuse_known_faults(
        work_of(
            "g (int8[2,3] x, float[2] n, int8[2] z) => (float[2,3] y)"
            " { [s] y = DequantizeLinear<axis=0>(x, n, z) }"
        )
    )


# rewrites


def test_batch_norm_becomes_scale_and_shift() -> None:
    work = work_of(
        "g (float[1,4,2,2] x) => (float[1,4,2,2] y) {"
        "[bn] y = BatchNormalization<epsilon=0.01>(x, s, b, m, v) }",
        s=(4,),
        b=(4,),
        m=(4,),
        v=np.array([0.5, 1, 2, 3], dtype=np.float32),
    )
    x = np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 4, 2, 2)
    expected = run(work, x=x)[0]
    infer.infer_shapes(work)
    rewrite.rewrite(work)
    assert ops(work) == ["Mul", "Add"]
    assert work.graph.node[-1].name == "bn"
    np.testing.assert_allclose(run(work, x=x)[0], expected, rtol=1e-5, atol=1e-6)


def test_batch_norm_on_run_time_statistics_stays() -> None:
    work = work_of(
        "g (float[1,4,2] x, float[4] m) => (float[1,4,2] y) {"
        "y = BatchNormalization(x, s, b, m, v) }",
        s=(4,),
        b=(4,),
        v=(4,),
    )
    infer.infer_shapes(work)
    rewrite.rewrite(work)
    assert ops(work) == ["BatchNormalization"]


@pytest.mark.parametrize("version", [17, 21])
@pytest.mark.parametrize("axis", [-1, 1])
def test_layer_norm(version: int, axis: int) -> None:
    size = (4,) if axis == -1 else (3, 4)
    work = work_of(
        "g (float[2,3,4] x) => (float[2,3,4] y) {"
        f"[ln] y = LayerNormalization<axis={axis}>(x, s, b) }}",
        version=version,
        s=size,
        b=size,
    )
    x = np.linspace(90, 110, 24, dtype=np.float32).reshape(2, 3, 4)
    expected = run(work, x=x)[0]
    infer.infer_shapes(work)
    rewrite.rewrite(work)
    assert "LayerNormalization" not in ops(work)
    np.testing.assert_allclose(run(work, x=x)[0], expected, rtol=1e-4, atol=1e-5)


def test_gemm_weight_is_transposed_at_import() -> None:
    work = work_of(
        "g (float[2,8] x) => (float[2,16] y) { y = Gemm<transB=1, alpha=0.5>(x, w, b) }",
        w=(16, 8),
        b=(16,),
    )
    x = np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 8)
    expected = run(work, x=x)[0]
    weights.split_weights(work)
    infer.infer_shapes(work)
    rewrite.rewrite(work)
    fold_names = {attribute.name for attribute in work.graph.node[0].attribute}
    assert fold_names == {"alpha"}
    np.testing.assert_allclose(run(work, x=x)[0], expected, rtol=1e-6)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cumulative_sum(axis: int, exclusive: int, reverse: int) -> None:
    work = work_of(
        "g (float[3,5] x) => (float[3,5] y) {"
        f"y = CumSum<exclusive={exclusive}, reverse={reverse}>(x, axis) }}",
        axis=np.array(axis),
    )
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    expected = run(work, x=x)[0]
    infer.infer_shapes(work)
    rewrite.rewrite(work)
    assert "CumSum" not in ops(work)
    np.testing.assert_allclose(run(work, x=x)[0], expected)


# all of it


def test_prepare_does_all_steps() -> None:
    work = prepare(small_cnn(opset=9), "m.onnx", {"N": 2})
    assert work.opset() >= 17
    assert work.graph.name == "main"
    assert sorted(work.weights) == ["fc/transposed", "w1", "w2"]
    assert all(infer.static_shape(value.type) for value in work.graph.output)
    assert all(node.name for node in work.graph.node)


def test_prelu_slope_of_old_opsets_goes_along_the_channels() -> None:
    work = work_of("g (float[1,2,3] x) => (float[1,2,3] y) { y = PRelu(x, s) }", version=6, s=(2,))
    names.record_sources(work)
    infer.infer_shapes(work)
    slope = onnx.numpy_helper.to_array(work.graph.initializer[0])
    opset.raise_opset(work)
    x = -np.ones((1, 2, 3), dtype=np.float32)
    np.testing.assert_array_equal(run(work, x=x)[0], x * slope[None, :, None])
