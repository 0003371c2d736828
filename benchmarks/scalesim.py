# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles of the matrix engine next to SCALE-Sim 3.0, weight stationary.

Each GEMM is compiled for a target with the array of the comparison, unlimited bandwidth, no latencies and no
double-buffered weights, and its instructions run on the simulator's clock. SCALE-Sim's cycles for an A x A array have
the closed form ceil(K/A) * ceil(N/A) * (M + 3A - 2) - 1, which was checked against scalesim 3.0.0 on all GEMMs below
and is used in its place.

What is compared are the cycles of mm_load_w and mm_exec. SCALE-Sim adds partial sums outside of the array for
nothing; here the accumulator is cleared first (mm_clear), and that is shown in a column of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

import npu_mlir as npu
import numpy as np
from npu_mlir.cli.target_command import read_target

ARRAYS = (32, 128)
GEMMS = (
    (128, 768, 768),
    (128, 3072, 768),
    (128, 768, 3072),
    (512, 512, 512),
    (1024, 1024, 1024),
    (1, 1024, 1024),
)
# A comparison is good if it is within this share of SCALE-Sim's cycles.
ALLOWED = 0.05

# The bottleneck stages of ResNet-50 (He et al., 2016): blocks, width, size of the picture behind the stage.
STAGES = ((3, 64, 56), (4, 128, 28), (6, 256, 14), (3, 512, 7))


@dataclass(frozen=True)
class Row:
    """One GEMM on one array.

    Attributes:
        array: rows and columns of the array.
        layer: what it is.
        m: rows of the product.
        k: length of the sums.
        n: columns of the product.
        count: how often the network has it.
        cycles: of mm_load_w and mm_exec.
        clear: cycles of mm_clear.
        scalesim: SCALE-Sim's cycles.
    """

    array: int
    layer: str
    m: int
    k: int
    n: int
    count: int
    cycles: int
    clear: int
    scalesim: int

    @property
    def ratio(self) -> float:
        """Ours over SCALE-Sim's."""
        return self.cycles / self.scalesim


def resnet50() -> dict[tuple[int, int, int], tuple[str, int]]:
    """The layers of ResNet-50 at 224 x 224 as GEMMs: (m, k, n) to a name and how often it occurs."""
    layers: dict[tuple[int, int, int], tuple[str, int]] = {}

    def add(name: str, m: int, k: int, n: int) -> None:
        first, count = layers.get((m, k, n), (name, 0))
        layers[m, k, n] = (first, count + 1)

    add("conv1", 112 * 112, 7 * 7 * 3, 64)
    channels = 64
    for stage, (blocks, width, size) in enumerate(STAGES, start=2):
        for block in range(blocks):
            # The first block of a stage halves the picture in its 3x3 convolution (v1.5), but for the first stage.
            before = size * 2 if block == 0 and stage > 2 else size
            name = f"conv{stage}_{block + 1}"
            add(f"{name}a", before * before, channels, width)
            add(f"{name}b", size * size, 9 * width, width)
            add(f"{name}c", size * size, width, 4 * width)
            if block == 0:
                add(f"{name}s", size * size, channels, 4 * width)
            channels = 4 * width
    add("fc", 1, channels, 1000)
    return layers


def write_target(array: int, folder: Path) -> Path:
    """The target of the comparison."""
    values = read_target("server").values | {
        "name": f"scalesim{array}",
        "description": "an array with unlimited bandwidth, for comparison with SCALE-Sim",
        "array_rows": array,
        "array_cols": array,
        "mac_cycles_i8": 1,
        "mac_cycles_f32": 1,
        "matrix_setup_cycles": 0,
        "weight_double_buffer": False,
        "acc_bytes": 1 << 28,
        "acc_banks": 1,
        "sram_bytes": 1 << 30,
        "sram_bytes_per_cycle": 1 << 16,
        "dram_bytes_per_cycle": 1 << 16,
        "dram_latency_cycles": 0,
        "dma_setup_cycles": 0,
    }
    path = folder / f"scalesim{array}.yaml"
    path.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()))
    return path


def measure(array: int, layer: str, m: int, k: int, n: int, count: int, target: Path, folder: Path) -> Row:
    """Compile one GEMM and add up the cycles of its matrix instructions."""
    text = f"""
func.func @main(%x: tensor<{m}x{k}xf32>, %w: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{m}x{n}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %y = linalg.matmul ins(%x, %w : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
      outs(%init : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %y : tensor<{m}x{n}xf32>
}}
"""
    model = folder / "gemm.mlir"
    model.write_text(text)
    executable = npu.compile(model, target=target)
    trace = folder / "trace.json"
    executable.profile(np.zeros((m, k), np.float32), np.zeros((k, n), np.float32), trace=trace)
    cycles: dict[str, int] = defaultdict(int)
    for event in json.loads(trace.read_text())["traceEvents"]:
        if event["ph"] == "X":
            cycles[event["cat"]] += event["args"]["cycles"]
    tiles = -(-k // array) * -(-n // array)
    closed_form = tiles * (m + 3 * array - 2) - 1
    return Row(array, layer, m, k, n, count, cycles["mm_load_w"] + cycles["mm_exec"], cycles["mm_clear"], closed_form)


def explain(row: Row) -> str:
    """Why the two differ."""
    if row.cycles == row.scalesim + 1:
        return "SCALE-Sim numbers cycles from 0"
    extra = row.cycles - row.scalesim - 1
    fill = 3 * row.array - 2
    if extra % fill == 0:
        return f"{extra // fill} tiles more are loaded and filled: the rows are cut into parts"
    return "not explained"


def print_table(rows: list[Row]) -> None:
    """The comparison as a table of Markdown."""
    print("| array | layer | M x K x N | times | SCALE-Sim | load and exec | ratio | clear | difference |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row.array} | {row.layer} | {row.m}x{row.k}x{row.n} | {row.count} | {row.scalesim:,} | {row.cycles:,} "
            f"| {row.ratio:.4f} | {row.clear:,} | {explain(row)} |"
        )
    for array in ARRAYS:
        layers = [row for row in rows if row.array == array and row.layer != "gemm"]
        if layers:
            ours, theirs = (sum(getattr(r, key) * r.count for r in layers) for key in ("cycles", "scalesim"))
            clear = sum(row.clear * row.count for row in layers)
            print(
                f"\nResNet-50, array {array}: {ours:,} cycles, SCALE-Sim {theirs:,}, ratio {ours / theirs:.4f};", end=""
            )
            print(f" clearing sums {clear:,} more")
    worst = max(rows, key=lambda row: abs(row.ratio - 1))
    verdict = "within" if abs(worst.ratio - 1) <= ALLOWED else "NOT within"
    print(
        f"\nworst ratio {worst.ratio:.4f} ({worst.layer} {worst.m}x{worst.k}x{worst.n}, array {worst.array}): ", end=""
    )
    print(f"{verdict} {ALLOWED:.0%}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the GEMMs only, without the layers of ResNet-50")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures")
    options = parser.parse_args()
    work = {gemm: ("gemm", 1) for gemm in GEMMS}
    if not options.quick:
        work |= {gemm: named for gemm, named in resnet50().items() if gemm not in work}
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for array in ARRAYS:
            target = write_target(array, folder)
            for (m, k, n), (layer, count) in work.items():
                print(f"array {array}: {layer} {m}x{k}x{n}", file=sys.stderr, flush=True)
                rows.append(measure(array, layer, m, k, n, count, target, folder))
    print_table(rows)
    if options.json:
        options.json.write_text(json.dumps([{**asdict(row), "ratio": row.ratio} for row in rows], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
