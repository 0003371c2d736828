# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Error rules are sound: no change of the operands within their errors escapes the bound."""

from __future__ import annotations

import numpy as np
import pytest
from npu_mlir.compare.evaluate import NodeRunner
from npu_mlir.compare.rules import RULES, Call, Tracked
from onnx import helper

OPSET = 20
RNG = np.random.default_rng(2)


def _normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def _positive(*shape: int) -> np.ndarray:
    return 0.5 + np.abs(RNG.standard_normal(shape))


I64 = {"dtype": np.int64}

# Operator, operands (floats get an error, integers do not), attributes.
CASES: list[tuple[str, list[np.ndarray], dict]] = [
    ("MatMul", [_normal(3, 4, 7), _normal(7, 5)], {}),
    ("Gemm", [_normal(7, 4), _normal(5, 7), _normal(5)],
     {"transA": 1, "transB": 1, "alpha": -0.5, "beta": 2.0}),
    ("Conv", [_normal(2, 4, 7, 6), _normal(6, 2, 3, 3), _normal(6)],
     {"group": 2, "pads": [1, 0, 1, 2], "strides": [2, 1]}),
    ("ConvTranspose", [_normal(1, 4, 5, 5), _normal(4, 3, 3, 3), _normal(3)], {"strides": [2, 2]}),
    ("Einsum", [_normal(2, 3, 4), _normal(2, 4, 5)], {"equation": "bij,bjk->bik"}),
    ("Einsum", [_normal(3, 4)], {"equation": "ij->j"}),
    ("AveragePool", [_normal(1, 2, 7, 7)], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    ("GlobalAveragePool", [_normal(1, 2, 5, 5)], {}),
    ("ReduceSum", [_normal(3, 4, 5), np.array([1], **I64)], {"keepdims": 0}),
    ("ReduceMean", [_normal(3, 4, 5), np.array([0, 2], **I64)], {}),
    ("MaxPool", [_normal(1, 2, 7, 7)],
     {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ("GlobalMaxPool", [_normal(1, 2, 5, 5)], {}),
    ("ReduceMax", [_normal(3, 4, 5), np.array([1], **I64)], {}),
    ("ReduceMin", [_normal(3, 4, 5), np.array([2], **I64)], {}),
    ("Add", [_normal(3, 4), _normal(4)], {}),
    ("Sub", [_normal(3, 4), _normal(3, 1)], {}),
    ("Mul", [_normal(3, 4), _normal(4)], {}),
    ("Div", [_normal(3, 4), _positive(4)], {}),
    ("Pow", [_positive(3, 4), np.array(2.0)], {}),
    ("Pow", [_positive(3, 4), np.array(0.5)], {}),
    ("Pow", [_positive(3, 4), np.array(-1.0)], {}),
    ("Pow", [_normal(3, 4), np.array(3.0)], {}),
    ("Sum", [_normal(3, 4), _normal(4), _normal(1)], {}),
    ("Mean", [_normal(3, 4), _normal(4)], {}),
    ("Max", [_normal(3, 4), _normal(4)], {}),
    ("Min", [_normal(3, 4), _normal(4)], {}),
    ("Clip", [_normal(3, 4), np.array(-0.5), np.array(0.75)], {}),
    ("PRelu", [_normal(3, 4), _normal(4)], {}),
    ("Concat", [_normal(3, 4), _normal(3, 2)], {"axis": 1}),
    ("Where", [_normal(3, 4) > 0, _normal(3, 4), _normal(4)], {}),
    ("Transpose", [_normal(3, 4, 2)], {"perm": [2, 0, 1]}),
    ("Reshape", [_normal(3, 4), np.array([2, 6], **I64)], {}),
    ("Pad", [_normal(3, 4), np.array([1, 0, 0, 2], **I64), np.array(1.5)], {}),
    ("Slice", [_normal(6, 4), *(np.array([i], **I64) for i in (5, 0, 0, -2))], {}),
    ("Gather", [_normal(6, 4), np.array([[0, -1], [3, 3]], **I64)], {"axis": 0}),
    ("Split", [_normal(6, 4), np.array([2, 4], **I64)], {"axis": 0}),
    ("Softmax", [3 * _normal(4, 9)], {"axis": -1}),
    ("LogSoftmax", [3 * _normal(4, 9)], {"axis": 0}),
    ("LayerNormalization", [_normal(4, 9), _normal(9), _normal(9)], {"axis": -1}),
    ("InstanceNormalization", [_normal(2, 3, 8), _normal(3), _normal(3)], {}),
    ("GroupNormalization", [_normal(2, 6, 8), _normal(6), _normal(6)], {"num_groups": 3}),
    ("GroupNormalization", [_normal(2, 6, 8), _normal(3), _normal(3)], {"num_groups": 3}),
    ("RMSNormalization", [_normal(4, 9), _normal(9)], {"axis": -1}),
    ("BatchNormalization",
     [_normal(2, 3, 8), _normal(3), _normal(3), _normal(3), _positive(3)], {}),
    ("Resize", [_normal(1, 1, 4, 4), np.array([]), np.array([1.0, 1.0, 2.0, 2.0])],
     {"mode": "linear"}),
    *(
        (op, [2 * _normal(4, 9)], {})
        for op in (
            "Abs", "Atan", "Celu", "Cos", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid", "HardSwish",
            "LeakyRelu", "Mish", "Neg", "Relu", "Selu", "Sigmoid", "Sin", "Softplus", "Softsign",
            "Tanh",
        )
    ),
    *((op, [_positive(4, 9)], {}) for op in ("Log", "Reciprocal", "Sqrt")),
    ("Gelu", [2 * _normal(4, 9)], {"approximate": "tanh"}),
]  # fmt: skip

# Operands that rules take as exact only: statistics of batch norm, exponents, scales of a resize.
EXACT_FROM = {"BatchNormalization": 1, "Pow": 1, "Resize": 1}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_rule_is_sound(case: tuple[str, list[np.ndarray], dict]) -> None:
    op_type, operands, attributes = case
    rng = np.random.default_rng(3)
    names = [f"x{i}" for i in range(len(operands))]
    count = 2 if op_type == "Split" else 1
    node = helper.make_node(
        op_type, names, [f"y{i}" for i in range(count)], name=op_type, **attributes
    )
    runner = NodeRunner(node, {"": OPSET})

    def run(values: list[np.ndarray], errors: list[np.ndarray]) -> list[Tracked]:
        tracked = [
            Tracked(v, e, "float32" if v.dtype.kind == "f" else v.dtype.name)
            for v, e in zip(values, errors, strict=True)
        ]
        return list(RULES[op_type](Call(runner, tracked)))

    zeros = [np.zeros(v.shape) for v in operands]
    errors = [
        0.02 * np.abs(rng.standard_normal(v.shape))
        if v.dtype.kind == "f" and i < EXACT_FROM.get(op_type, 99)
        else np.zeros(v.shape)
        for i, v in enumerate(operands)
    ]
    base = run(operands, errors)
    unmoved = run(operands, zeros)
    for trial in range(40):
        # Half of the trials go to a corner of the box of errors, where the largest changes are.
        moved = [
            v
            + e
            * (rng.choice([-1.0, 1.0], v.shape) if trial % 2 else rng.uniform(-1.0, 1.0, v.shape))
            if v.dtype.kind == "f"
            else v
            for v, e in zip(operands, errors, strict=True)
        ]
        for result, bounded, exact in zip(run(moved, zeros), base, unmoved, strict=True):
            assert bounded.error is not None and exact.error is not None
            np.testing.assert_array_equal(bounded.value, exact.value)
            # At a corner the two are equal, up to the rounding of this very subtraction.
            excess = np.abs(result.value - bounded.value) - bounded.error
            assert float(np.max(excess)) <= 1e-12
            # The own rounding alone is far below errors of 2 %.
            assert np.all(exact.error <= 1e-4 * (1.0 + np.abs(exact.value)))


def test_every_rule_is_tested_here_or_moves_bits() -> None:
    elsewhere = {
        "And", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Cast", "Ceil",
        "DepthToSpace", "DequantizeLinear", "Dropout", "Equal", "Expand", "Flatten", "Floor",
        "GatherElements", "GatherND", "Greater", "GreaterOrEqual", "Identity", "Less",
        "LessOrEqual", "Mod", "Not",
        "Or",
        "QuantizeLinear", "Round", "Sign", "SpaceToDepth", "Squeeze", "Swish", "Tile", "Trilu",
        "Unsqueeze", "Xor",
    }  # fmt: skip
    assert set(RULES) == elsewhere | {c[0] for c in CASES}
