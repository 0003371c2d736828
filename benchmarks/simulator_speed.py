# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the simulator computes, next to onnxruntime, numpy and SCALE-Sim.

Each case is compiled with npu_mlir and called through `Executable`: one call checks the inputs, runs the device
program (values and cycles together), copies the outputs and writes the profile. Compilation and the first call,
which prepares the program, are not counted. The peer computes the same from the same arrays on one thread.

Both take turns in every repetition; a sample is the CPU time of the calling thread over enough calls to fill
--sample seconds, and the figures are medians. So a busy machine moves both sides, and the ratio is what counts.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Before numpy is imported: its threads would count, and compete.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

Array = np.ndarray[Any, np.dtype[Any]]
Call = Callable[[], Any]

ROWS = COLUMNS = 1024

# Measured with scalesim 3.0.0, weight stationary, in millions of multiply-accumulates a second. It counts cycles only.
SCALESIM = {
    ("mobile", (128, 768, 768)): 10.1,
    ("mobile", (512, 512, 512)): 13.3,
    ("mobile", (1024, 1024, 1024)): 8.2,
    ("mobile", (1, 1024, 1024)): 0.2,
    ("server", (128, 768, 768)): 25.7,
    ("server", (512, 512, 512)): 55.8,
    ("server", (1024, 1024, 1024)): 40.5,
    ("server", (1, 1024, 1024)): 0.4,
}


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes:
        case: what was computed.
        target: target of the device program.
        milliseconds: CPU time of one call.
        rate: what the simulator did in a second, with unit.
        peer: what it is compared with.
        peer_milliseconds: CPU time of the peer, or None if its figure is a rate measured elsewhere.
        ratio: speed of the simulator divided by that of the peer.
        goal: least ratio wanted.
    """

    case: str
    target: str
    milliseconds: float
    rate: str
    peer: str
    peer_milliseconds: float | None
    ratio: float
    goal: float

    @property
    def reached(self) -> bool:
        """Whether the ratio is at least the goal."""
        return self.ratio >= self.goal


@dataclass(frozen=True)
class Effort:
    """How long to measure: repetitions, and seconds of a sample."""

    repetitions: int
    sample: float

    def measure(self, *calls: Call) -> list[float]:
        """Median seconds of one call of each, all taking turns."""
        counts = []
        for call in calls:
            call()
            counts.append(max(1, round(self.sample / max(_seconds(call, 1), 1e-7))))
        samples: list[list[float]] = [[] for _ in calls]
        for _ in range(self.repetitions):
            for call, count, taken in zip(calls, counts, samples, strict=True):
                taken.append(_seconds(call, count))
        return [statistics.median(taken) for taken in samples]


def _seconds(call: Call, count: int) -> float:
    begin = time.thread_time()
    for _ in range(count):
        call()
    return (time.thread_time() - begin) / count


def _model(
    nodes: Sequence[Any], x: tuple[str, int, Sequence[int]], y: tuple[str, int, Sequence[int]], **weights: Array
) -> Any:
    """An ONNX model of one input and one output, each (name, element type, shape)."""
    from onnx import helper, numpy_helper

    graph = helper.make_graph(
        list(nodes),
        "case",
        [helper.make_tensor_value_info(*x)],
        [helper.make_tensor_value_info(*y)],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def _matmul(shape: tuple[int, int, int], integer: bool) -> tuple[Any, Array]:
    """A product with constant weights, and its input."""
    from onnx import TensorProto, helper

    m, k, n = shape
    random = np.random.default_rng(0)
    if integer:
        # Small enough for kernels without 32-bit products of bytes, which saturate: both sides must agree.
        weights = random.integers(-60, 61, (k, n)).astype(np.int8)
        x = random.integers(0, 256, (m, k)).astype(np.uint8)
        operator, kinds = "MatMulInteger", (TensorProto.UINT8, TensorProto.INT32)
    else:
        weights = random.standard_normal((k, n)).astype(np.float32)
        x = random.standard_normal((m, k)).astype(np.float32)
        operator, kinds = "MatMul", (TensorProto.FLOAT, TensorProto.FLOAT)
    node = helper.make_node(operator, ["x", "w"], ["y"])
    return _model([node], ("x", kinds[0], [m, k]), ("y", kinds[1], [m, n]), w=weights), x


def _compile(model: Any, target: str) -> Any:
    import npu_mlir

    return npu_mlir.compile(model, target=target)


def compare_matmul(size: int, integer: bool, target: str, effort: Effort) -> Row:
    """A square product against the operator of onnxruntime.

    Args:
        size: extent of all three dimensions.
        integer: u8 times s8 to s32 (MatMulInteger), else float32 (MatMul).
        target: name of the target.
        effort: how long to measure.

    Raises:
        RuntimeError: the values differ by more than the order of float additions explains.
    """
    import onnxruntime

    model, x = _matmul((size, size, size), integer)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    executable = _compile(model, target)
    operator = "MatMulInteger" if integer else "MatMul"
    _expect(executable(x), session.run(None, {"x": x})[0], 0.0 if integer else 1e-5 * size, f"{operator} {size}")
    ours, theirs = effort.measure(lambda: executable(x), lambda: session.run(None, {"x": x}))
    kind = "int8" if integer else "fp32"
    return Row(
        f"{kind} matmul {size}",
        target,
        ours * 1e3,
        f"{size**3 / ours / 1e9:.1f} GMAC/s",
        f"onnxruntime {operator}",
        theirs * 1e3,
        theirs / ours,
        1 / 3 if integer else 0.4,
    )


@dataclass(frozen=True)
class Expression:
    """Something that the vector engine computes, as ONNX and with numpy."""

    name: str
    model: Any
    numpy: Callable[[Array], Array]


def expressions() -> list[Expression]:
    """The vector programs, on float32 [1024, 1024]. The one with erf needs scipy and is left out without."""
    from onnx import TensorProto, helper

    random = np.random.default_rng(1)
    scale = random.standard_normal(COLUMNS).astype(np.float32)
    bias = random.standard_normal(COLUMNS).astype(np.float32)
    one, half, root, tiny = np.float32(1), np.float32(0.5), np.float32(2**-0.5), np.float32(1e-5)
    x = ("x", TensorProto.FLOAT, [ROWS, COLUMNS])
    y = ("y", TensorProto.FLOAT, [ROWS, COLUMNS])
    node = helper.make_node

    def layer_norm(a: Array) -> Array:
        centered = a - a.mean(-1, keepdims=True)
        variance = (centered * centered).mean(-1, keepdims=True)
        return centered / np.sqrt(variance + tiny) * scale + bias

    def softmax(a: Array) -> Array:
        power = np.exp(a - a.max(-1, keepdims=True))
        return power / power.sum(-1, keepdims=True)

    affine = [node("Mul", ["x", "s"], ["t"]), node("Add", ["t", "b"], ["u"]), node("Relu", ["u"], ["y"])]
    norm = node("LayerNormalization", ["x", "s", "b"], ["y"], axis=-1)
    found = [
        Expression(
            "x*scale+bias, relu",
            _model(affine, x, y, s=scale, b=bias),
            lambda a: np.maximum(a * scale + bias, np.float32(0)),
        ),
        Expression("exp", _model([node("Exp", ["x"], ["y"])], x, y), np.exp),
        Expression("layer norm", _model([norm], x, y, s=scale, b=bias), layer_norm),
        Expression("softmax", _model([node("Softmax", ["x"], ["y"], axis=-1)], x, y), softmax),
    ]
    try:
        from scipy.special import erf
    except ImportError:
        print("without scipy there is no erf to compare gelu with", file=sys.stderr)
        return found
    gelu = Expression(
        "gelu (erf)", _model([node("Gelu", ["x"], ["y"])], x, y), lambda a: half * a * (one + erf(a * root))
    )
    return [*found, gelu]


def compare_vector(expression: Expression, target: str, effort: Effort) -> Row:
    """A vector program against numpy.

    Args:
        expression: what to compute.
        target: name of the target.
        effort: how long to measure.

    Raises:
        RuntimeError: the values differ by more than rounding explains.
    """
    x = np.random.default_rng(2).standard_normal((ROWS, COLUMNS)).astype(np.float32)
    executable = _compile(expression.model, target)
    _expect(executable(x), expression.numpy(x), 1e-4, expression.name)
    ours, theirs = effort.measure(lambda: executable(x), lambda: expression.numpy(x))
    rate = f"{x.size / ours / 1e9:.2f} Gelement/s"
    return Row(expression.name, target, ours * 1e3, rate, "numpy", theirs * 1e3, theirs / ours, 0.5)


def compare_scalesim(shape: tuple[int, int, int], target: str, values: bool, effort: Effort) -> Row:
    """A product in int8 against the figure of SCALE-Sim for the same layer on an array of the same size.

    Args:
        shape: m, k, n.
        target: "mobile" (32x32) or "server" (128x128).
        values: compute values and cycles; else cycles only, as SCALE-Sim does.
        effort: how long to measure.
    """
    model, x = _matmul(shape, integer=True)
    executable = _compile(model, target)
    if values:
        (ours,) = effort.measure(lambda: executable(x))
    else:
        from npu_mlir.mlir._mlir_libs import _npu

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "case.npux")
            executable.save(file)
            package = _npu.read_package(file.read_bytes())
        (ours,) = effort.measure(lambda: package.run([x], timing_only=True))
    rate = shape[0] * shape[1] * shape[2] / ours / 1e6
    figure = SCALESIM[target, shape]
    name = f"int8 matmul {'x'.join(map(str, shape))}, {'values and cycles' if values else 'cycles only'}"
    return Row(
        name, target, ours * 1e3, f"{rate / 1e3:.1f} GMAC/s", f"SCALE-Sim {figure} MMAC/s", None, rate / figure, 1000
    )


def _expect(found: Array, wanted: Array, tolerance: float, what: str) -> None:
    error = float(np.abs(found.astype(np.float64) - wanted).max())
    if error > tolerance:
        raise RuntimeError(f"{what}: the simulator and the peer differ by {error}, allowed is {tolerance}")


def measure_all(effort: Effort, *, quick: bool) -> list[Row]:
    """Every comparison; progress goes to stderr."""
    rows: list[Row] = []

    def add(row: Row) -> None:
        rows.append(row)
        print(f"{row.case} on {row.target}: {row.ratio:.3g}", file=sys.stderr, flush=True)

    for target in ("server", "mobile"):
        for integer in (True, False):
            for size in (512,) if quick else (512, 1024):
                add(compare_matmul(size, integer, target, effort))
        for expression in expressions():
            add(compare_vector(expression, target, effort))
    for target, shape in SCALESIM:
        if not quick or shape == (128, 768, 768):
            for values in (True, False):
                add(compare_scalesim(shape, target, values, effort))
    return rows


def machine() -> str:
    """The processor in words: its architecture and the vector units that matter here."""
    try:
        flags = set(Path("/proc/cpuinfo").read_text(encoding="ascii").split())
    except OSError:
        flags = set()
    names = {"avx2": "AVX2", "avx512bw": "AVX-512", "avx512_vnni": "AVX-512 VNNI", "avx_vnni": "AVX-VNNI"}
    units = [name for flag, name in names.items() if flag in flags]
    return f"{platform.machine()} with {', '.join(units) or 'no vector unit that is used'}, one core"


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| case | target | simulator | | peer | peer | ratio | goal | reached |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        peer = "" if row.peer_milliseconds is None else f"{row.peer_milliseconds:.2f} ms"
        ratio = f"{row.ratio:.2f}" if row.ratio < 100 else f"{row.ratio:,.0f}"
        lines.append(
            f"| {row.case} | {row.target} | {row.milliseconds:.2f} ms | {row.rate} | {row.peer} | {peer} | {ratio} "
            f"| {row.goal:.3g} | {'yes' if row.reached else 'no'} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, write JSON. The exit code says nothing about the goals."""
    parser = argparse.ArgumentParser(description="Speed of the simulator next to onnxruntime, numpy and SCALE-Sim.")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there")
    parser.add_argument("--quick", action="store_true", help="fewer cases and repetitions, for a first look")
    parser.add_argument("--repetitions", type=int, help="repetitions of each case (default: 15, with --quick 5)")
    parser.add_argument("--sample", type=float, default=0.03, help="CPU seconds of a sample (default: 0.03)")
    options = parser.parse_args(arguments)
    effort = Effort(options.repetitions or (5 if options.quick else 15), options.sample)
    rows = measure_all(effort, quick=options.quick)
    print(machine() + "\n")
    print(table(rows))
    if options.json:
        figures = [{**asdict(row), "reached": row.reached} for row in rows]
        options.json.write_text(json.dumps({"machine": machine(), "rows": figures}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
