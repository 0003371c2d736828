# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models of the end-to-end tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import onnx
from case import Case, generator
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Builds a model node by node.

    Args:
        name: name of the case; seeds the weights.
        opset: version of the default domain.
    """

    def __init__(self, name: str, opset: int = 17) -> None:
        self.name = name
        self.opset = opset
        self.random = generator(name)
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.examples: list[np.ndarray] = []

    def input(self, name: str, example: np.ndarray) -> str:
        """Add an input with the shape and type of ``example``."""
        self.inputs.append(_value_info(name, example.dtype, example.shape))
        self.examples.append(example)
        return name

    def normal(self, name: str, *shape: int) -> str:
        """Add a float32 input with normally distributed example values."""
        return self.input(name, self.random.standard_normal(shape).astype(np.float32))

    def constant(self, name: str, value: Any, dtype: Any = None) -> str:
        """Add an initializer."""
        self.initializers.append(numpy_helper.from_array(np.asarray(value, dtype=dtype), name))
        return name

    def weight(self, name: str, *shape: int, fan_in: int = 1) -> str:
        """Add a float32 weight of normal distribution with deviation 1 / sqrt(fan_in)."""
        return self.constant(
            name, (self.random.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32)
        )

    def node(
        self, op_type: str, inputs: Sequence[str], name: str, outputs: int = 1, **attributes: Any
    ) -> Any:
        """Add a node; returns its output name, or a list of names if there are several."""
        results = [name + "_out"] if outputs == 1 else [f"{name}_out{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op_type, inputs, results, name=name, **attributes))
        return results[0] if outputs == 1 else results

    def finish(self, *outputs: str) -> tuple[onnx.ModelProto, list[np.ndarray]]:
        """The checked model with inferred shapes, and its example inputs."""
        graph = helper.make_graph(
            self.nodes,
            self.name,
            self.inputs,
            [helper.make_empty_tensor_value_info(o) for o in outputs],
            self.initializers,
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=9
        )
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
        onnx.checker.check_model(model)
        return model, self.examples


def _value_info(name: str, dtype: Any, shape: Sequence[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape
    )


Built = tuple[onnx.ModelProto, list[np.ndarray]]


def matmul_bias_relu(name: str, m: int, k: int, n: int) -> Built:
    """relu(x @ w + b)."""
    g = Graph(name)
    product = g.node("MatMul", [g.normal("x", m, k), g.weight("w", k, n, fan_in=k)], "/fc/MatMul")
    biased = g.node("Add", [product, g.weight("b", n)], "/fc/Add")
    return g.finish(g.node("Relu", [biased], "/relu/Relu"))


def batch_matmul(name: str) -> Built:
    """Two inputs, batched, as the scores of attention."""
    g = Graph(name)
    return g.finish(
        g.node(
            "MatMul", [g.normal("a", 2, 3, 17, 24), g.normal("b", 2, 3, 24, 19)], "/scores/MatMul"
        )
    )


def mlp(name: str, gemm: bool) -> Built:
    """Three layers, as Gemm with transposed weights (as exporters write) or MatMul and Add."""
    g = Graph(name)
    y = g.normal("x", 4, 64)
    extents = (64, 96, 48, 10)
    for i in range(3):
        fan_in, fan_out = extents[i], extents[i + 1]
        if gemm:
            operands = [
                y,
                g.weight(f"w{i}", fan_out, fan_in, fan_in=fan_in),
                g.weight(f"b{i}", fan_out),
            ]
            y = g.node("Gemm", operands, f"/layer{i}/Gemm", transB=1)
        else:
            y = g.node(
                "MatMul",
                [y, g.weight(f"w{i}", fan_in, fan_out, fan_in=fan_in)],
                f"/layer{i}/MatMul",
            )
            y = g.node("Add", [g.weight(f"b{i}", fan_out), y], f"/layer{i}/Add")
        if i < 2:
            y = g.node("Relu", [y], f"/layer{i}/Relu")
    return g.finish(y)


def conv(
    name: str,
    image: tuple[int, int, int, int],
    filters: int,
    kernel: tuple[int, int],
    *,
    relu: bool = True,
    bias: bool = True,
    **attributes: Any,
) -> Built:
    """One convolution of an NCHW image, with bias and ReLU or without."""
    g = Graph(name)
    group = attributes.get("group", 1)
    channels = image[1] // group
    operands = [
        g.normal("x", *image),
        g.weight("w", filters, channels, *kernel, fan_in=channels * kernel[0] * kernel[1]),
    ]
    if bias:
        operands.append(g.weight("b", filters))
    y = g.node("Conv", operands, "/conv/Conv", kernel_shape=kernel, **attributes)
    return g.finish(g.node("Relu", [y], "/relu/Relu") if relu else y)


def conv1d(name: str) -> Built:
    """A convolution over time."""
    g = Graph(name)
    operands = [g.normal("x", 1, 8, 50), g.weight("w", 12, 8, 5, fan_in=40), g.weight("b", 12)]
    return g.finish(
        g.node("Conv", operands, "/conv/Conv", kernel_shape=[5], pads=[2, 2], strides=[2])
    )


def conv_batchnorm(name: str) -> Built:
    """Convolution, batch normalisation with trained-looking statistics, ReLU."""
    g = Graph(name)
    y = g.node(
        "Conv",
        [g.normal("x", 1, 3, 16, 16), g.weight("w", 8, 3, 3, 3, fan_in=27)],
        "/conv/Conv",
        pads=[1] * 4,
    )
    statistics = [
        g.constant("scale", g.random.uniform(0.5, 2.0, 8), np.float32),
        g.weight("shift", 8),
        g.weight("mean", 8),
        g.constant("var", g.random.uniform(0.2, 3.0, 8), np.float32),
    ]
    y = g.node("BatchNormalization", [y, *statistics], "/bn/BatchNormalization")
    return g.finish(g.node("Relu", [y], "/relu/Relu"))


def residual_block(name: str) -> Built:
    """Two convolutions around a shortcut with its own 1x1 convolution and stride."""
    g = Graph(name)
    x = g.normal("x", 1, 8, 16, 16)
    y = g.node(
        "Conv",
        [x, g.weight("w1", 16, 8, 3, 3, fan_in=72), g.weight("b1", 16)],
        "/conv1/Conv",
        pads=[1] * 4,
        strides=[2, 2],
    )
    y = g.node("Relu", [y], "/relu1/Relu")
    y = g.node(
        "Conv",
        [y, g.weight("w2", 16, 16, 3, 3, fan_in=144), g.weight("b2", 16)],
        "/conv2/Conv",
        pads=[1] * 4,
    )
    shortcut = g.node(
        "Conv", [x, g.weight("ws", 16, 8, 1, 1, fan_in=8)], "/shortcut/Conv", strides=[2, 2]
    )
    y = g.node("Add", [y, shortcut], "/add/Add")
    return g.finish(g.node("Relu", [y], "/relu2/Relu"))


def pool(name: str, op_type: str, **attributes: Any) -> Built:
    """One pooling operator on an odd-sized image."""
    g = Graph(name)
    return g.finish(
        g.node(op_type, [g.normal("x", 1, 6, 15, 13)], f"/pool/{op_type}", **attributes)
    )


def unary(
    name: str, op_type: str, shape: tuple[int, ...], opset: int = 17, **attributes: Any
) -> Built:
    """One operator with one input."""
    g = Graph(name, opset)
    return g.finish(g.node(op_type, [g.normal("x", *shape)], f"/{op_type}", **attributes))


def layer_norm(name: str) -> Built:
    """Layer normalisation with scale and bias; one row is constant (zero variance)."""
    g = Graph(name)
    x = g.random.standard_normal((5, 12, 40)).astype(np.float32) * 3 + 1
    x[2, 3] = 4.25
    operands = [g.input("x", x), g.weight("scale", 40), g.weight("bias", 40)]
    return g.finish(
        g.node("LayerNormalization", operands, "/norm/LayerNormalization", axis=-1, epsilon=1e-5)
    )


def gelu_erf(name: str) -> Built:
    """GELU as exporters before opset 20 write it: five elementwise operators."""
    g = Graph(name)
    x = g.normal("x", 7, 33)
    y = g.node("Div", [x, g.constant("sqrt2", np.sqrt(2.0), np.float32)], "/gelu/Div")
    y = g.node(
        "Add", [g.node("Erf", [y], "/gelu/Erf"), g.constant("one", 1.0, np.float32)], "/gelu/Add"
    )
    y = g.node("Mul", [x, y], "/gelu/Mul")
    return g.finish(g.node("Mul", [y, g.constant("half", 0.5, np.float32)], "/gelu/Mul_1"))


def elementwise_broadcast(name: str) -> Built:
    """A chain of arithmetic in which every operand broadcasts along other dimensions."""
    g = Graph(name)
    x, row, column = g.normal("x", 3, 9, 21), g.normal("row", 21), g.normal("column", 3, 1, 1)
    y = g.node("Add", [x, row], "/Add")
    y = g.node("Mul", [y, column], "/Mul")
    y = g.node("Sub", [g.constant("two", 2.0, np.float32), y], "/Sub")
    low, high = g.constant("low", -1.5, np.float32), g.constant("high", 1.5, np.float32)
    y = g.node("Clip", [y, low, high], "/Clip")
    denominator = g.node(
        "Add", [g.node("Abs", [x], "/Abs"), g.constant("one", 1.0, np.float32)], "/Add_1"
    )
    y = g.node("Div", [y, denominator], "/Div")
    return g.finish(
        g.node(
            "Max", [y, g.node("Neg", [y], "/Neg"), g.constant("floor", 0.125, np.float32)], "/Max"
        )
    )


def activations(name: str) -> Built:
    """Sigmoid, Tanh, Exp, Log, Sqrt side by side, joined at the end."""
    g = Graph(name)
    x = g.normal("x", 4, 50)
    positive = g.node(
        "Add", [g.node("Abs", [x], "/Abs"), g.constant("one", 1.0, np.float32)], "/Add"
    )
    parts = [g.node(op, [x], f"/{op}") for op in ("Sigmoid", "Tanh", "Exp")]
    parts += [g.node(op, [positive], f"/{op}") for op in ("Log", "Sqrt", "Reciprocal")]
    return g.finish(g.node("Concat", parts, "/Concat", axis=1))


def select(name: str) -> Built:
    """A comparison and a selection: booleans between operators."""
    g = Graph(name)
    a, b = g.normal("a", 6, 31), g.normal("b", 31)
    return g.finish(g.node("Where", [g.node("Greater", [a, b], "/Greater"), a, b], "/Where"))


def reductions(name: str) -> Built:
    """Sum, maximum, minimum and mean over different axes; four outputs."""
    g = Graph(name)
    x = g.normal("x", 4, 6, 10, 14)
    total = g.node("ReduceSum", [x, g.constant("axes", [1, 3], np.int64)], "/ReduceSum", keepdims=0)
    largest = g.node("ReduceMax", [x], "/ReduceMax", axes=[3], keepdims=1)
    smallest = g.node("ReduceMin", [x], "/ReduceMin", axes=[0], keepdims=0)
    mean = g.node("ReduceMean", [x], "/ReduceMean", axes=[2, 3], keepdims=1)
    return g.finish(total, largest, smallest, mean)


def reduce_all(name: str) -> Built:
    """One sum over everything: a result without dimensions."""
    g = Graph(name)
    return g.finish(g.node("ReduceSum", [g.normal("x", 9, 31)], "/ReduceSum", keepdims=0))


def data_movement(name: str) -> Built:
    """Transpose, reshape, slice (with step), pad and concat: results are bit-equal."""
    g = Graph(name)
    x = g.normal("x", 2, 5, 6, 8)
    y = g.node("Transpose", [x], "/Transpose", perm=[0, 2, 3, 1])
    y = g.node("Reshape", [y, g.constant("shape", [2, 12, 20], np.int64)], "/Reshape")
    bounds = [
        g.constant(n, v, np.int64)
        for n, v in (("starts", [1, 3]), ("ends", [11, 20]), ("axes", [1, 2]), ("steps", [2, 3]))
    ]
    y = g.node("Slice", [y, *bounds], "/Slice")
    y = g.node(
        "Pad",
        [y, g.constant("pads", [0, 1, 0, 0, 2, 3], np.int64), g.constant("fill", -1.5, np.float32)],
        "/Pad",
    )
    return g.finish(g.node("Concat", [y, g.node("Neg", [y], "/Neg")], "/Concat", axis=2))


def transpose_matmul(name: str) -> Built:
    """A transposed operand of a contraction, which a compiler may fold."""
    g = Graph(name)
    turned = g.node("Transpose", [g.normal("a", 40, 24)], "/Transpose", perm=[1, 0])
    return g.finish(g.node("MatMul", [turned, g.normal("b", 40, 32)], "/MatMul"))


def split_heads(name: str) -> Built:
    """Split along the last axis, reshape to heads, transpose, and join again."""
    g = Graph(name)
    parts = g.node(
        "Split",
        [g.normal("x", 2, 7, 24), g.constant("sizes", [8, 16], np.int64)],
        "/Split",
        2,
        axis=2,
    )
    heads = g.node("Reshape", [parts[1], g.constant("heads", [2, 7, 4, 4], np.int64)], "/Reshape")
    heads = g.node("Transpose", [heads], "/Transpose", perm=[0, 2, 1, 3])
    return g.finish(parts[0], heads)


def embedding(name: str) -> Built:
    """Rows of a table by index (first, last and repeated), plus positions."""
    g = Graph(name)
    tokens = g.input("tokens", np.array([[0, 49, 3, 3, 17, 0, 8, 31]], np.int64))
    y = g.node("Gather", [g.weight("table", 50, 24), tokens], "/embed/Gather", axis=0)
    return g.finish(g.node("Add", [y, g.weight("position", 8, 24)], "/embed/Add"))


def small_cnn(name: str) -> Built:
    """Convolution to classifier: everything of a small image model in one."""
    g = Graph(name)
    y = g.node(
        "Conv",
        [g.normal("x", 1, 3, 20, 20), g.weight("w1", 8, 3, 3, 3, fan_in=27), g.weight("b1", 8)],
        "/conv1/Conv",
        pads=[1] * 4,
    )
    y = g.node(
        "MaxPool",
        [g.node("Relu", [y], "/relu1/Relu")],
        "/pool1/MaxPool",
        kernel_shape=[2, 2],
        strides=[2, 2],
    )
    y = g.node(
        "Conv",
        [y, g.weight("w2", 16, 8, 3, 3, fan_in=72), g.weight("b2", 16)],
        "/conv2/Conv",
        pads=[1] * 4,
    )
    y = g.node(
        "GlobalAveragePool", [g.node("Relu", [y], "/relu2/Relu")], "/pool2/GlobalAveragePool"
    )
    y = g.node("Flatten", [y], "/flatten/Flatten")
    y = g.node(
        "Gemm", [y, g.weight("w3", 10, 16, fan_in=16), g.weight("b3", 10)], "/fc/Gemm", transB=1
    )
    return g.finish(g.node("Softmax", [y], "/softmax/Softmax", axis=1))


def host_operator(name: str) -> Built:
    """An arc tangent between two contractions: no NPU function, so it runs on the host."""
    g = Graph(name)
    y = g.node("MatMul", [g.normal("x", 8, 16), g.weight("w1", 16, 24, fan_in=16)], "/fc1/MatMul")
    y = g.node("Atan", [y], "/act/Atan")
    return g.finish(g.node("MatMul", [y, g.weight("w2", 24, 12, fan_in=24)], "/fc2/MatMul"))


def host_double(name: str) -> Built:
    """A stretch in double precision, which is no type of the NPU."""
    g = Graph(name)
    y = g.node("Relu", [g.normal("x", 6, 20)], "/pre/Relu")
    y = g.node("Cast", [y], "/wide/Cast", to=TensorProto.DOUBLE)
    y = g.node("Mul", [y, y], "/wide/Mul")
    y = g.node("Cast", [y], "/wide/Cast_1", to=TensorProto.FLOAT)
    return g.finish(g.node("Sqrt", [y], "/post/Sqrt"))


def recurrent(
    name: str, op_type: str, direction: str, bias: bool = False, **attributes: Any
) -> Built:
    """A recurrent layer with all of its results: the time loop runs on the host."""
    g = Graph(name)
    steps, batch, features, hidden = 4, 2, 5, 6
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op_type]
    ways = 2 if direction == "bidirectional" else 1
    operands = [
        g.normal("x", steps, batch, features),
        g.weight("w", ways, gates * hidden, features, fan_in=features),
        g.weight("r", ways, gates * hidden, hidden, fan_in=hidden),
    ]
    if bias:
        operands.append(g.weight("b", ways, 2 * gates * hidden))
    outputs = g.node(
        op_type,
        operands,
        f"/{op_type}",
        outputs=3 if op_type == "LSTM" else 2,
        hidden_size=hidden,
        direction=direction,
        **attributes,
    )
    return g.finish(*outputs)


def recurrent_classifier(name: str) -> Built:
    """A linear layer behind the last state: device, host, device."""
    g = Graph(name)
    x = g.node("Relu", [g.normal("x", 5, 1, 8)], "/pre/Relu")
    operands = [x, g.weight("w", 1, 48, 8, fan_in=8), g.weight("r", 1, 48, 12, fan_in=12)]
    states = g.node("LSTM", operands, "/LSTM", outputs=2, hidden_size=12)
    last = g.node("Reshape", [states[1], g.constant("shape", [1, 12], np.int64)], "/Reshape")
    return g.finish(g.node("MatMul", [last, g.weight("w2", 12, 7, fan_in=12)], "/fc/MatMul"))


def negative_pad(name: str, pads: Sequence[int]) -> Built:
    """Padding that cuts off at one end and adds at another."""
    g = Graph(name)
    x = g.normal("x", 5, 6, 4, 6)
    operands = [x, g.constant("pads", pads, np.int64), g.constant("fill", 1.5, np.float32)]
    return g.finish(g.node("Pad", operands, "/Pad"))


class QuantizedGraph(Graph):
    """Adds the QuantizeLinear and DequantizeLinear pairs of int8 models, per tensor."""

    def fake_quantize(self, tensor: str, scale: float) -> str:
        """Quantize and dequantize an activation."""
        parameters = [
            self.constant(f"{tensor}_scale", scale, np.float32),
            self.constant(f"{tensor}_zero", 0, np.int8),
        ]
        q = self.node("QuantizeLinear", [tensor, *parameters], f"/{tensor.strip('/')}/Quantize")
        return self.node("DequantizeLinear", [q, *parameters], f"/{tensor.strip('/')}/Dequantize")

    def quantized_weight(self, name: str, *shape: int, fan_in: int) -> tuple[str, float]:
        """An int8 weight behind DequantizeLinear; returns it and its scale."""
        value = self.random.standard_normal(shape) / np.sqrt(fan_in)
        scale = np.float32(np.abs(value).max() / 127.0)
        q = self.constant(f"{name}_q", np.rint(value / scale), np.int8)
        parameters = [
            self.constant(f"{name}_scale", scale, np.float32),
            self.constant(f"{name}_zero", 0, np.int8),
        ]
        return self.node("DequantizeLinear", [q, *parameters], f"/{name}/Dequantize"), float(scale)

    def quantized_bias(self, name: str, extent: int, scale: float) -> str:
        """An int32 bias behind DequantizeLinear with the product of the two other scales."""
        q = self.constant(
            f"{name}_q",
            np.rint(self.random.standard_normal(extent) * 0.3 / np.float32(scale)),
            np.int32,
        )
        parameters = [
            self.constant(f"{name}_scale", scale, np.float32),
            self.constant(f"{name}_zero", 0, np.int32),
        ]
        return self.node("DequantizeLinear", [q, *parameters], f"/{name}/Dequantize")


def quantized_mlp(name: str) -> Built:
    """Two int8 Gemm layers. The activation scales make some values saturate."""
    g = QuantizedGraph(name)
    scales = (np.float32(2.5 / 127), np.float32(2.0 / 127), np.float32(1.5 / 127))
    y = g.fake_quantize(g.normal("x", 4, 48), scales[0])
    for i, (fan_in, fan_out) in enumerate(((48, 64), (64, 10))):
        w, w_scale = g.quantized_weight(f"w{i}", fan_out, fan_in, fan_in=fan_in)
        b = g.quantized_bias(f"b{i}", fan_out, float(np.float32(w_scale) * scales[i]))
        y = g.node("Gemm", [y, w, b], f"/layer{i}/Gemm", transB=1)
        if i == 0:
            y = g.node("Relu", [y], "/layer0/Relu")
        y = g.fake_quantize(y, scales[i + 1])
    return g.finish(y)


def quantized_conv(name: str) -> Built:
    """An int8 convolution with bias and ReLU, per tensor."""
    g = QuantizedGraph(name)
    in_scale, out_scale = np.float32(2.5 / 127), np.float32(2.0 / 127)
    x = g.fake_quantize(g.normal("x", 1, 8, 12, 12), in_scale)
    w, w_scale = g.quantized_weight("w", 16, 8, 3, 3, fan_in=72)
    b = g.quantized_bias("b", 16, float(np.float32(w_scale) * in_scale))
    y = g.node("Conv", [x, w, b], "/conv/Conv", kernel_shape=[3, 3], pads=[1] * 4)
    return g.finish(g.fake_quantize(g.node("Relu", [y], "/relu/Relu"), out_scale))


def _bytes(g: Graph, dtype: Any, *shape: int) -> np.ndarray:
    bounds = np.iinfo(dtype)
    return g.random.integers(bounds.min, bounds.max + 1, shape).astype(dtype)


def dynamic_quantize(name: str, low: float, high: float) -> Built:
    """Scale and zero point from the values: the zero point takes the whole unsigned range."""
    g = Graph(name)
    x = g.input("x", g.random.uniform(low, high, (3, 17)).astype(np.float32))
    return g.finish(*g.node("DynamicQuantizeLinear", [x], "/DynamicQuantizeLinear", outputs=3))


def quantize_channels(name: str, dtype: Any) -> Built:
    """To 8 bits and back with a scale and a zero point for each channel."""
    g = Graph(name)
    zeros = g.constant("zeros", _bytes(g, dtype, 5))
    scales = g.constant("scales", g.random.uniform(0.01, 0.1, 5), np.float32)
    x = g.input("x", (g.random.standard_normal((4, 5, 3)) * 4).astype(np.float32))
    q = g.node("QuantizeLinear", [x, scales, zeros], "/QuantizeLinear", axis=1)
    return g.finish(q, g.node("DequantizeLinear", [q, scales, zeros], "/DequantizeLinear", axis=1))


def integer_matmul(name: str) -> Built:
    """Unsigned operands whose zero points are above 127."""
    g = Graph(name)
    operands = [
        g.input("a", _bytes(g, np.uint8, 5, 24)),
        g.constant("b", _bytes(g, np.uint8, 24, 7)),
        g.constant("a_zero", 200, np.uint8),
        g.constant("b_zero", 180, np.uint8),
    ]
    return g.finish(g.node("MatMulInteger", operands, "/MatMulInteger"))


def integer_conv(name: str) -> Built:
    """Unsigned, padded on one side more than on the other; the weight has no zero point."""
    g = Graph(name)
    operands = [
        g.input("x", _bytes(g, np.uint8, 1, 4, 9, 9)),
        g.constant("w", _bytes(g, np.uint8, 6, 4, 3, 3)),
        g.constant("x_zero", 200, np.uint8),
    ]
    return g.finish(g.node("ConvInteger", operands, "/ConvInteger", pads=[0, 1, 2, 1]))


def qlinear_matmul(name: str, *batch: int) -> Built:
    """Unsigned operands and result."""
    g = Graph(name)
    operands = [
        g.input("a", _bytes(g, np.uint8, *batch, 5, 24)),
        g.constant("a_scale", 0.02, np.float32),
        g.constant("a_zero", 200, np.uint8),
        g.constant("b", _bytes(g, np.uint8, 24, 7)),
        g.constant("b_scale", 0.03, np.float32),
        g.constant("b_zero", 150, np.uint8),
        g.constant("y_scale", 0.4, np.float32),
        g.constant("y_zero", 220, np.uint8),
    ]
    return g.finish(g.node("QLinearMatMul", operands, "/QLinearMatMul"))


def qlinear_conv(name: str, filters: Any, **attributes: Any) -> Built:
    """A scale for each channel of the result, bias, unsigned values."""
    g = Graph(name)
    operands = [
        g.input("x", _bytes(g, np.uint8, 1, 4, 9, 9)),
        g.constant("x_scale", 0.02, np.float32),
        g.constant("x_zero", 200, np.uint8),
        g.constant("w", _bytes(g, filters, 6, 4, 3, 3)),
        g.constant("w_scale", g.random.uniform(0.01, 0.05, 6), np.float32),
        g.constant("w_zero", np.full(6, 150 if filters == np.uint8 else 0, filters)),
        g.constant("y_scale", 0.9, np.float32),
        g.constant("y_zero", 140, np.uint8),
        g.constant("bias", g.random.integers(-5000, 5000, 6), np.int32),
    ]
    return g.finish(g.node("QLinearConv", operands, "/QLinearConv", **attributes))


def _case(
    name: str, builder: Callable[..., Built], *args: Any, tags: Sequence[str] = (), **kwargs: Any
) -> Case:
    return Case(name, "onnx", partial(builder, name, *args, **kwargs), tags=frozenset(tags))


CASES: tuple[Case, ...] = (
    _case("matmul_bias_relu_tile", matmul_bias_relu, 8, 16, 16),
    _case("matmul_bias_relu_ragged", matmul_bias_relu, 37, 61, 101),
    _case("matmul_bias_relu_one_row", matmul_bias_relu, 1, 33, 65),
    _case("matmul_bias_relu_over_tiny", matmul_bias_relu, 96, 320, 272, tags=["tiny-tiled"]),
    _case(
        "matmul_bias_relu_over_mobile",
        matmul_bias_relu,
        4,
        1024,
        2304,
        tags=["tiny-tiled", "mobile-tiled", "slow"],
    ),
    _case("batch_matmul", batch_matmul),
    _case("transpose_matmul", transpose_matmul),
    _case("mlp_gemm", mlp, True),
    _case("mlp_matmul_add", mlp, False),
    _case("relu", unary, "Relu", (5, 37), tags=["exact"]),
    _case("elementwise_broadcast", elementwise_broadcast),
    _case("activations", activations),
    _case("select", select, tags=["exact"]),
    _case("gelu_erf", gelu_erf),
    _case("gelu", unary, "Gelu", (7, 33), 20),
    _case("gelu_tanh", unary, "Gelu", (7, 33), 20, approximate="tanh"),
    _case("reductions", reductions),
    _case("reduce_all", reduce_all),
    _case("softmax", unary, "Softmax", (6, 45), axis=-1),
    _case("softmax_middle_axis", unary, "Softmax", (3, 20, 7), axis=1),
    _case("layer_norm", layer_norm),
    _case("conv_3x3_pad", conv, (1, 5, 14, 14), 12, (3, 3), pads=[1, 1, 1, 1]),
    _case("conv_3x3_stride2", conv, (1, 6, 17, 15), 10, (3, 3), pads=[1, 1, 1, 1], strides=[2, 2]),
    _case("conv_1x1", conv, (1, 20, 9, 9), 33, (1, 1)),
    _case("conv_no_bias", conv, (1, 4, 10, 10), 8, (5, 5), relu=False, bias=False),
    _case("conv_batch", conv, (3, 4, 8, 8), 8, (3, 3), pads=[1, 1, 1, 1]),
    _case("conv_asymmetric_pad", conv, (1, 4, 9, 11), 8, (3, 3), pads=[0, 1, 2, 1], strides=[1, 2]),
    _case("conv_dilated", conv, (1, 6, 16, 16), 8, (3, 3), pads=[2, 2, 2, 2], dilations=[2, 2]),
    _case("conv_depthwise", conv, (1, 16, 12, 12), 16, (3, 3), pads=[1, 1, 1, 1], group=16),
    _case(
        "conv_depthwise_stride2",
        conv,
        (1, 9, 13, 13),
        9,
        (3, 3),
        pads=[1, 1, 1, 1],
        strides=[2, 2],
        group=9,
    ),
    _case("conv_grouped", conv, (1, 12, 10, 10), 24, (3, 3), pads=[1, 1, 1, 1], group=3),
    _case(
        "conv_over_tiny",
        conv,
        (1, 16, 40, 40),
        48,
        (3, 3),
        pads=[1, 1, 1, 1],
        tags=["tiny-tiled", "slow"],
    ),
    _case("conv1d", conv1d),
    _case("conv_batchnorm", conv_batchnorm),
    _case(
        "max_pool",
        pool,
        "MaxPool",
        kernel_shape=[3, 3],
        strides=[2, 2],
        pads=[1, 1, 1, 1],
        tags=["exact"],
    ),
    _case("average_pool", pool, "AveragePool", kernel_shape=[2, 2], strides=[2, 2]),
    _case(
        "average_pool_pad",
        pool,
        "AveragePool",
        kernel_shape=[3, 3],
        strides=[1, 1],
        pads=[1, 1, 1, 1],
    ),
    _case("global_average_pool", pool, "GlobalAveragePool"),
    _case("data_movement", data_movement, tags=["exact"]),
    _case("split_heads", split_heads, tags=["exact"]),
    _case("embedding", embedding),
    _case("residual_block", residual_block),
    _case("small_cnn", small_cnn),
    _case("host_operator", host_operator, tags=["host"]),
    _case("host_double", host_double, tags=["host"]),
    _case("lstm", recurrent, "LSTM", "forward", tags=["host"]),
    _case("lstm_bidirectional", recurrent, "LSTM", "bidirectional", True, tags=["host"]),
    _case("gru", recurrent, "GRU", "forward", True, tags=["host"]),
    _case("gru_bidirectional", recurrent, "GRU", "bidirectional", tags=["host"]),
    _case("gru_linear", recurrent, "GRU", "forward", True, linear_before_reset=1, tags=["host"]),
    _case("rnn", recurrent, "RNN", "forward", True, tags=["host"]),
    _case("rnn_reverse", recurrent, "RNN", "reverse", tags=["host"]),
    _case("rnn_bidirectional", recurrent, "RNN", "bidirectional", True, tags=["host"]),
    _case("lstm_reverse", recurrent, "LSTM", "reverse", True, tags=["host"]),
    _case("lstm_classifier", recurrent_classifier, tags=["host"]),
    _case("pad_negative", negative_pad, [-1, 1, 2, 0, -1, 1, 2, -1], tags=["exact"]),
    _case("pad_only_negative", negative_pad, [-1, 0, -2, 0, -1, -3, 0, -1], tags=["exact"]),
    _case("dynamic_quantize", dynamic_quantize, -1.85, 0.74, tags=["exact"]),
    _case("dynamic_quantize_negative", dynamic_quantize, -5.0, -1.0, tags=["exact"]),
    _case("dynamic_quantize_positive", dynamic_quantize, 1.0, 5.0, tags=["exact"]),
    _case("quantize_channels_u8", quantize_channels, np.uint8, tags=["exact"]),
    _case("quantize_channels_i8", quantize_channels, np.int8, tags=["exact"]),
    _case("integer_matmul", integer_matmul, tags=["exact", "host"]),
    _case("integer_conv", integer_conv, tags=["exact"]),
    _case("qlinear_matmul", qlinear_matmul, tags=["exact"]),
    _case("qlinear_matmul_batch", qlinear_matmul, 3, tags=["exact", "host"]),
    _case("qlinear_conv_u8", qlinear_conv, np.uint8, pads=[1, 0, 2, 1], tags=["exact"]),
    _case("qlinear_conv_same", qlinear_conv, np.uint8, auto_pad="SAME_LOWER", tags=["exact"]),
    _case("quantized_mlp", quantized_mlp, tags=["quantized"]),
    _case("quantized_conv", quantized_conv, tags=["quantized"]),
)
