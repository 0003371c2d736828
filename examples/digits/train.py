# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the digits model; writes `digits.onnx` and `heldout.npz`, equal on every machine.

Usage: python train.py [--out DIR]

The data are scikit-learn's bundled 8x8 digits (1797 images, 10 classes). Floating-point training is
usually not reproducible, because every BLAS adds in its own order. Here all numbers are kept on a
fixed grid (multiples of a power of two, in float64) and are small enough that every sum is exact;
an exact sum has no order. The loss is a squared hinge, which needs no exp. So the trained weights
depend on nothing but this file.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper

SEED = 2
HELD_OUT = 360
# Learning rate of each epoch.
RATES = [2.0**-7] * 8 + [2.0**-8] * 3 + [2.0**-9] * 3
BATCH = 16
MOMENTUM = 0.875
MARGIN = 1.0

# The grids. Products of two of them are multiples of 2^-42 at the finest, and no sum exceeds 2^8,
# so sums need at most 50 of the 53 bits of a float64.
ACTIVATION_STEP = 2.0**-10
GRADIENT_STEP = 2.0**-20
WEIGHT_STEP = 2.0**-22
LARGEST = 2.0**8

Arrays = dict[str, np.ndarray]


def on_grid(x: np.ndarray, step: float) -> np.ndarray:
    """``x`` rounded to multiples of ``step``, a power of two.

    Raises:
        OverflowError: a value is so large that sums may no longer be exact.
    """
    largest = float(np.max(np.abs(x)))
    if largest > LARGEST:
        raise OverflowError(
            f"expected values of at most {LARGEST:g}, but found {largest:g}: training diverges"
        )
    return np.rint(x / step) * step


def initial_weights(random: np.random.RandomState) -> Arrays:
    """Uniform weights scaled by fan-in; biases zero. Shapes are those of ONNX."""
    shapes = {"conv1": (16, 1, 3, 3), "conv2": (32, 16, 3, 3), "gemm": (10, 512)}
    weights: Arrays = {}
    for name, shape in shapes.items():
        limit = np.sqrt(6.0 / np.prod(shape[1:])) * (0.25 if name == "gemm" else 1.0)
        weights[f"{name}.weight"] = on_grid(random.uniform(-limit, limit, shape), WEIGHT_STEP)
        weights[f"{name}.bias"] = np.zeros(shape[0])
    return weights


def patches(x: np.ndarray) -> np.ndarray:
    """3x3 neighbourhoods, zero-padded: [N, C, H, W] to [N, H, W, C * 9]."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = sliding_window_view(padded, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(x.shape[0], x.shape[2], x.shape[3], -1)


def convolve(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray | float, step: float = ACTIVATION_STEP
) -> np.ndarray:
    """3x3 convolution with padding 1, rounded to the grid."""
    flat = weight.reshape(weight.shape[0], -1)
    return on_grid((patches(x) @ flat.T + bias).transpose(0, 3, 1, 2), step)


def forward(weights: Arrays, x: np.ndarray) -> Arrays:
    """All activations for images in 0..1, [N, 1, 8, 8]."""
    a: Arrays = {"x": x}
    a["relu1"] = np.maximum(convolve(x, weights["conv1.weight"], weights["conv1.bias"]), 0.0)
    n, c, h, w = a["relu1"].shape
    blocks = (
        a["relu1"]
        .reshape(n, c, h // 2, 2, w // 2, 2)
        .transpose(0, 1, 2, 4, 3, 5)
        .reshape(n, c, h // 2, w // 2, 4)
    )
    a["choice"] = blocks.argmax(axis=-1)
    a["pool1"] = blocks.max(axis=-1)
    a["relu2"] = np.maximum(
        convolve(a["pool1"], weights["conv2.weight"], weights["conv2.bias"]), 0.0
    )
    a["flat"] = a["relu2"].reshape(n, -1)
    a["logits"] = on_grid(
        a["flat"] @ weights["gemm.weight"].T + weights["gemm.bias"], ACTIVATION_STEP
    )
    return a


def convolution_gradient(x: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradients of weight and bias of a 3x3 convolution from those of its result."""
    filters = d.shape[1]
    rows = d.transpose(0, 2, 3, 1).reshape(-1, filters)
    weight = rows.T @ patches(x).reshape(rows.shape[0], -1)
    return weight.reshape(filters, x.shape[1], 3, 3), rows.sum(axis=0)


def gradients(weights: Arrays, x: np.ndarray, labels: np.ndarray) -> Arrays:
    """Gradients of the mean squared hinge loss over a batch."""
    a = forward(weights, x)
    sign = np.where(np.arange(10) == labels[:, None], 1.0, -1.0)
    shortfall = np.maximum(MARGIN - sign * a["logits"], 0.0)
    d = on_grid(-sign * shortfall / len(x), GRADIENT_STEP)
    g: Arrays = {"gemm.weight": d.T @ a["flat"], "gemm.bias": d.sum(axis=0)}

    d = on_grid(d @ weights["gemm.weight"], GRADIENT_STEP).reshape(a["relu2"].shape) * (
        a["relu2"] > 0.0
    )
    g["conv2.weight"], g["conv2.bias"] = convolution_gradient(a["pool1"], d)

    turned = weights["conv2.weight"][:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
    d = convolve(d, turned, 0.0, GRADIENT_STEP)
    n, c, h, w = d.shape
    spread = np.zeros((n, c, h, w, 4))
    np.put_along_axis(spread, a["choice"][..., None], d[..., None], axis=-1)
    d = spread.reshape(n, c, h, w, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(a["relu1"].shape) * (
        a["relu1"] > 0.0
    )
    g["conv1.weight"], g["conv1.bias"] = convolution_gradient(a["x"], d)
    return g


def shifted(x: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Half of the images moved by -1, 0 or 1 pixels in both directions, zeros coming in."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    offsets = 1 + random.randint(-1, 2, (len(x), 2)) * random.randint(0, 2, (len(x), 1))
    return np.stack(
        [image[:, r : r + 8, c : c + 8] for image, (r, c) in zip(padded, offsets, strict=True)]
    )


def train(images: np.ndarray, labels: np.ndarray) -> Arrays:
    """Weights after stochastic gradient descent with momentum, one epoch for each of `RATES`.

    Args:
        images: [N, 1, 8, 8], multiples of 1/16 in 0..1.
        labels: [N], 0..9.
    """
    random = np.random.RandomState(SEED)
    weights = initial_weights(random)
    velocity = {name: np.zeros_like(w) for name, w in weights.items()}
    for rate in RATES:
        order = random.permutation(len(images))
        for start in range(0, len(images), BATCH):
            chosen = order[start : start + BATCH]
            step = gradients(weights, shifted(images[chosen], random), labels[chosen])
            for name, g in step.items():
                velocity[name] = on_grid(MOMENTUM * velocity[name] - rate * g, WEIGHT_STEP)
                weights[name] = weights[name] + velocity[name]
    return weights


def to_onnx(weights: Arrays) -> onnx.ModelProto:
    """The model for pixels 0..16: the first convolution carries the factor 1/16, which is exact."""
    tensors = dict(weights)
    tensors["conv1.weight"] = weights["conv1.weight"] / 16.0
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [1, 1]}
    nodes = [
        helper.make_node(
            "Conv",
            ["image", "conv1.weight", "conv1.bias"],
            ["conv1"],
            name="features/conv1",
            **conv,
        ),
        helper.make_node("Relu", ["conv1"], ["relu1"], name="features/relu1"),
        helper.make_node(
            "MaxPool",
            ["relu1"],
            ["pool1"],
            name="features/pool1",
            kernel_shape=[2, 2],
            strides=[2, 2],
        ),
        helper.make_node(
            "Conv",
            ["pool1", "conv2.weight", "conv2.bias"],
            ["conv2"],
            name="features/conv2",
            **conv,
        ),
        helper.make_node("Relu", ["conv2"], ["relu2"], name="features/relu2"),
        helper.make_node("Flatten", ["relu2"], ["flat"], name="classifier/flatten", axis=1),
        helper.make_node(
            "Gemm",
            ["flat", "gemm.weight", "gemm.bias"],
            ["logits"],
            name="classifier/gemm",
            transB=1,
        ),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 10])],
        [numpy_helper.from_array(w.astype(np.float32), name) for name, w in tensors.items()],
    )
    model = helper.make_model(
        graph,
        producer_name="npu-mlir digits example",
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=9,
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def load_data() -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's digits: pixels [1797, 1, 8, 8] of 0..16 and labels [1797], both uint8."""
    from sklearn.datasets import load_digits

    data = load_digits()
    return data.images.astype(np.uint8)[:, None], data.target.astype(np.uint8)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent, help="folder to write to"
    )
    out: Path = parser.parse_args().out
    try:
        from threadpoolctl import threadpool_limits  # comes with scikit-learn

        images, labels = load_data()
    except ImportError as error:
        print(f"training needs scikit-learn ({error}): pip install scikit-learn", file=sys.stderr)
        return 2
    order = np.random.RandomState(SEED).permutation(len(images))
    held_out, training = order[:HELD_OUT], order[HELD_OUT:]
    # The matrices are small: one thread is several times faster than any number of them.
    with threadpool_limits(1):
        weights = train(images[training] / 16.0, labels[training])
    predicted = forward(weights, images[held_out] / 16.0)["logits"].argmax(axis=1)
    correct = int(np.count_nonzero(predicted == labels[held_out]))
    accuracy = correct / HELD_OUT
    print(f"trained on {len(training)} images; held out {correct} of {HELD_OUT} = {accuracy:.2%}")

    (out / "digits.onnx").write_bytes(to_onnx(weights).SerializeToString(deterministic=True))
    np.savez(out / "heldout.npz", images=images[held_out], labels=labels[held_out])
    print(f"wrote {out / 'digits.onnx'} and {out / 'heldout.npz'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
