# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small ONNX models made in text."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper


def make_model(body: str, *, opset: int = 17, seed: int = 0, **weights: object) -> onnx.ModelProto:
    """A model from the ONNX text syntax.

    Args:
        body: `g (inputs) => (outputs) { nodes }`.
        opset: Version of the default domain.
        seed: Of the random weights.
        weights: Name to an array, or to the shape of a random float32 weight.
    """
    ir_version = 10 if opset > 20 else 8
    text = f'<ir_version: {ir_version}, opset_import: ["" : {opset}]>\n{body}'
    model = onnx.parser.parse_model(text)
    rng = np.random.default_rng(seed)
    for name, value in weights.items():
        array = value
        if isinstance(value, tuple):
            array = rng.standard_normal(value, dtype=np.float32)
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    return model


def matmul_relu() -> onnx.ModelProto:
    """MatMul, bias, Relu."""
    return make_model(
        "g (float[8,64] x) => (float[8,128] y) {"
        "[mm] h = MatMul(x, w) [bias] s = Add(h, b) [act] y = Relu(s) }",
        w=(64, 128),
        b=(128,),
    )


def small_cnn(*, opset: int = 13) -> onnx.ModelProto:
    """Two convolutions, pooling, a linear layer; the batch size is the parameter N."""
    return make_model(
        'g (float["N",1,8,8] x) => (float["N",10] y) {'
        "[conv1] a = Conv<pads=[1,1,1,1]>(x, w1, b1) [relu1] b = Relu(a)"
        "[pool] c = MaxPool<kernel_shape=[2,2], strides=[2,2]>(b)"
        "[conv2] d = Conv<pads=[1,1,1,1]>(c, w2, b2) [relu2] e = Relu(d)"
        "[gap] f = GlobalAveragePool(e) [flat] h = Flatten<axis=1>(f)"
        "[fc] y = Gemm<transB=1>(h, w3, b3) }",
        opset=opset,
        w1=(16, 1, 3, 3),
        b1=(16,),
        w2=(32, 16, 3, 3),
        b2=(32,),
        w3=(10, 32),
        b3=(10,),
    )
