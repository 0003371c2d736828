# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites of quantised and recurrent operators: the values stay, the forms are those that import right."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from npu_mlir.errors import UnsupportedOpError
from npu_mlir.frontends.onnx_prep import infer, rewrite
from npu_mlir.frontends.onnx_prep.known_faults import refuse_known_faults
from npu_mlir.frontends.onnx_prep.work import Work
from onnx.reference import ReferenceEvaluator
from small_onnx import make_model

RANDOM = np.random.default_rng(17)


def work_of(body: str, *, version: int = 21, **constants: object) -> Work:
    work = Work(make_model(body, opset=version, **constants), "m.onnx")
    infer.infer_shapes(work)
    return work


def ops(work: Work) -> list[str]:
    return [node.op_type for node in work.graph.node]


def run(work: Work, **feeds: np.ndarray) -> list[np.ndarray]:
    result = ReferenceEvaluator(work.model).run(None, {**feeds, **work.weights})
    assert isinstance(result, list)
    return result


def bytes_of(dtype: type, *shape: int) -> np.ndarray:
    bounds = np.iinfo(dtype)
    return RANDOM.integers(bounds.min, bounds.max + 1, shape).astype(dtype)


@pytest.mark.parametrize(("low", "high"), [(-1.85, 0.74), (-5.0, -1.0), (1.0, 5.0)])
def test_dynamic_quantize_keeps_its_values(low: float, high: float) -> None:
    work = work_of("g (float[3,7] x) => (uint8[3,7] y, float s, uint8 z) { [q] y, s, z = DynamicQuantizeLinear(x) }")
    x = RANDOM.uniform(low, high, (3, 7)).astype(np.float32)
    expected = run(work, x=x)
    rewrite.rewrite(work)
    assert "DynamicQuantizeLinear" not in ops(work)
    refuse_known_faults(work)
    for want, got in zip(expected, run(work, x=x), strict=True):
        np.testing.assert_array_equal(got, want)


def test_dynamic_quantize_of_zeros_has_a_scale() -> None:
    work = work_of("g (float[4] x) => (uint8[4] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear(x) }")
    rewrite.rewrite(work)
    y, scale, zero = run(work, x=np.zeros(4, np.float32))
    assert scale == 1 and zero == 0 and not y.any()


def test_zero_point_that_is_left_out() -> None:
    work = work_of(
        "g (float[4] x, int32[4] i) => (uint8[4] y, float[4] z) {"
        "[q] y = QuantizeLinear(x, s) [d] z = DequantizeLinear(i, s) }",
        s=np.array(0.5, np.float32),
    )
    x = np.array([-1, 0.25, 3, 900], np.float32)
    rewrite.rewrite(work)
    assert [len(node.input) for node in work.graph.node] == [3, 3]
    y, z = run(work, x=x, i=np.array([-3, 0, 5, 300], np.int32))
    assert y.tolist() == [0, 0, 6, 255] and z.tolist() == [-1.5, 0, 2.5, 150]


def test_quantize_by_channel_keeps_its_values() -> None:
    work = work_of(
        "g (float[2,3] x) => (uint8[2,3] y) { y = QuantizeLinear<axis=1>(x, s, z) }",
        s=np.array([0.1, 0.5, 2], np.float32),
        z=np.array([255, 200, 0], np.uint8),
    )
    x = np.array([[-30, 3, 7], [1, -1, 1000]], np.float32)
    expected = run(work, x=x)[0]
    rewrite.rewrite(work)
    assert "QuantizeLinear" not in ops(work)
    np.testing.assert_array_equal(run(work, x=x)[0], expected)


def test_unsigned_weights_by_channel_become_signed() -> None:
    work = work_of(
        "g (float[2,3] x) => (float[2,4] y) { d = DequantizeLinear<axis=1>(w, s, z) y = MatMul(x, d) }",
        w=bytes_of(np.uint8, 3, 4),
        s=np.array([0.1, 0.5, 2, 1], np.float32),
        z=np.array([255, 200, 0, 128], np.uint8),
    )
    x = RANDOM.standard_normal((2, 3)).astype(np.float32)
    expected = run(work, x=x)[0]
    rewrite.rewrite(work)
    refuse_known_faults(work)
    signed = next(t for t in work.graph.initializer if t.name == work.graph.node[0].input[0])
    assert signed.data_type == onnx.TensorProto.INT8
    np.testing.assert_array_equal(run(work, x=x)[0], expected)


def test_unsigned_values_by_channel_are_dequantised_in_steps() -> None:
    work = work_of(
        "g (uint8[2,3] x) => (float[2,3] y) { y = DequantizeLinear<axis=0>(x, s, z) }",
        s=np.array([0.1, 0.5], np.float32),
        z=np.array([255, 200], np.uint8),
    )
    x = bytes_of(np.uint8, 2, 3)
    expected = run(work, x=x)[0]
    rewrite.rewrite(work)
    assert "DequantizeLinear" not in ops(work)
    np.testing.assert_array_equal(run(work, x=x)[0], expected)


def convolved(x: np.ndarray, w: np.ndarray, pads: list[int]) -> np.ndarray:
    """The convolution in f64, which is exact for these integers."""
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    height, width = padded.shape[2] - w.shape[2] + 1, padded.shape[3] - w.shape[3] + 1
    result = np.zeros((x.shape[0], w.shape[0], height, width))
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            window = padded[:, :, i : i + height, j : j + width]
            result += np.einsum("nchw,fc->nfhw", window, w[:, :, i, j].astype(np.float64))
    return result


@pytest.mark.parametrize("filters", [np.uint8, np.int8])
def test_zero_points_of_filters_by_channel(filters: type) -> None:
    w, zeros = bytes_of(filters, 3, 2, 2, 2), bytes_of(filters, 3)
    work = work_of(
        "g (uint8[1,2,5,5] x) => (int32[1,3,a,b] y) { y = ConvInteger<pads=[1,0,2,1]>(x, w, u, z) }",
        w=w,
        u=np.array(200, np.uint8),
        z=zeros,
    )
    x = bytes_of(np.uint8, 1, 2, 5, 5)
    rewrite.rewrite(work)
    integer = [node for node in work.graph.node if node.op_type == "ConvInteger"]
    assert len(integer) > 1
    difference = w.astype(np.int32) - zeros.astype(np.int32).reshape(-1, 1, 1, 1)
    expected = convolved(x.astype(np.int32) - 200, difference, [1, 0, 2, 1])
    np.testing.assert_array_equal(run(work, x=x)[0], expected)


def test_scales_of_filters_by_channel_keep_the_sums_in_integers() -> None:
    w = bytes_of(np.int8, 3, 2, 2, 2)
    scales = np.array([0.01, 0.02, 0.05], np.float32)
    work = work_of(
        "g (uint8[1,2,5,5] x) => (uint8[1,3,4,4] y) { y = QLinearConv(x, s, u, w, t, z, r, v, b) }",
        s=np.array(0.02, np.float32),
        u=np.array(200, np.uint8),
        w=w,
        t=scales,
        z=np.zeros(3, np.int8),
        r=np.array(0.2, np.float32),
        v=np.array(140, np.uint8),
        b=np.array([500, -500, 0], np.int32),
    )
    x = bytes_of(np.uint8, 1, 2, 5, 5)
    rewrite.rewrite(work)
    refuse_known_faults(work)
    assert "QLinearConv" not in ops(work) and "ConvInteger" in ops(work)
    sums = convolved(x.astype(np.int32) - 200, w, [0] * 4) + np.array([500, -500, 0]).reshape(1, 3, 1, 1)
    factors = (np.float32(0.02) * scales / np.float32(0.2)).reshape(1, 3, 1, 1)
    expected = np.clip(np.rint(sums.astype(np.float32) * factors) + 140, 0, 255).astype(np.uint8)
    np.testing.assert_array_equal(run(work, x=x)[0], expected)


def test_plain_quantised_operators_are_left_alone() -> None:
    work = work_of(
        "g (uint8[2,3] x) => (float[2,3] y) { y = DequantizeLinear(x, s, z) }",
        s=np.array(0.1, np.float32),
        z=np.array(200, np.uint8),
    )
    rewrite.rewrite(work)
    assert ops(work) == ["DequantizeLinear"]


RECURRENT = (
    "g (float[3,2,4] x{lengths}) => (float[3,{d},2,5] y, float[{d},2,5] h)"
    " {{ y, h = {op}<hidden_size=5{extra}>({args}) }}"
)


def recurrent(op: str, *, ways: int = 1, extra: str = "", lengths: str = "", **constants: object) -> Work:
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    args = "x, w, r" + (", e, n" if lengths or "n" in constants else "")
    body = RECURRENT.format(op=op, d=ways, extra=extra, args=args, lengths=lengths)
    weights = {"w": (ways, gates * 5, 4), "r": (ways, gates * 5, 5)}
    if ", e, n" in args:
        weights["e"] = (ways, 10 * gates)
    return work_of(body, version=17, **weights, **constants)


@pytest.mark.parametrize("op", ["GRU", "LSTM", "RNN"])
def test_both_directions_become_two_layers(op: str) -> None:
    work = recurrent(op, ways=2, extra=', direction="bidirectional"')
    rewrite.rewrite(work)
    refuse_known_faults(work)
    layers = [node for node in work.graph.node if node.op_type == op]
    directions = [a.s for node in layers for a in node.attribute if a.name == "direction"]
    assert directions == [b"forward", b"forward"]
    assert ops(work).count("Gather") == 2 and ops(work).count("Concat") == 2


def test_reverse_is_forward_on_the_reversed_input() -> None:
    work = recurrent("RNN", extra=', direction="reverse"')
    x = RANDOM.standard_normal((3, 2, 4)).astype(np.float32)
    rewrite.rewrite(work)
    assert [op for op in ops(work) if op != "Concat"] == ["Gather", "RNN", "Gather"]
    y, h = run(work, x=x)
    # The last step of the reverse direction is the first in time.
    np.testing.assert_array_equal(y[0], h)


def test_full_sequence_lengths_are_dropped() -> None:
    work = recurrent("GRU", n=np.array([3, 3], np.int32))
    rewrite.rewrite(work)
    refuse_known_faults(work)
    assert work.graph.node[0].input[4] == ""


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"n": np.array([3, 2], np.int32)}, "sequence_lens"),
        ({"lengths": ", int32[2] n"}, "sequence_lens"),
        ({"extra": ", clip=0.5"}, "clip"),
        ({"extra": ', activations=["HardSigmoid"]'}, "HardSigmoid"),
        ({"extra": ", layout=1"}, "layout"),
    ],
)
def test_what_the_importer_ignores_is_refused(options: dict[str, object], reason: str) -> None:
    work = recurrent("RNN", **options)  # type: ignore[arg-type]
    rewrite.rewrite(work)
    with pytest.raises(UnsupportedOpError, match=reason):
        refuse_known_faults(work)


def test_a_node_of_the_source_is_named_once() -> None:
    work = recurrent("RNN", ways=2, extra=', direction="bidirectional", clip=0.5')
    rewrite.rewrite(work)
    with pytest.raises(UnsupportedOpError) as caught:
        refuse_known_faults(work)
    assert len(caught.value.nodes) == 1
