# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator charges what the instruction reference says: its formulas, written down once more."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from isa_description import description, run_tool
from npu_mlir.mlir._mlir_libs import _npu


@cache
def target() -> dict[str, Any]:
    """The parameters of the default target."""
    parameters: dict[str, Any] = json.loads(_npu.load_target("mobile")[0])
    return parameters


def up(a: int, b: int) -> int:
    """a / b, rounded up."""
    return -(-a // b)


def port(size: int) -> int:
    """Cycles of the on-chip memory for bytes."""
    return up(size, target()["sram_bytes_per_cycle"])


def bursts(size: int) -> int:
    """Bytes in whole bursts."""
    return up(size, target()["dram_burst_bytes"]) * int(target()["dram_burst_bytes"])


def dma(bus: int, on_chip: int, latencies: int) -> int:
    """Cycles of a transfer that runs alone."""
    t = target()
    busy = max(up(bus, t["dram_bytes_per_cycle"]), port(on_chip))
    return int(t["dma_setup_cycles"]) + latencies * int(t["dram_latency_cycles"]) + busy


def sorting(rows: int, n: int, size: int) -> int:
    """Batcher's bitonic sorter on the vector lanes."""
    t = target()
    p = max((n - 1).bit_length(), 1)
    steps = rows * (p * (p + 1) // 2) * up(1 << (p - 1), t["vector_lanes"])
    return int(t["vector_setup_cycles"]) + max(steps * 2 * int(t["cycles_simple"]), port(size))


COPY = "dst_strides = {} src = {} src_strides = {} shape = {} element_bytes = {}"
DENSE = "[4] shape = [4096] element_bytes = 4"
INDEXED = "row_bytes = 100 indices = {} index_dtype = i32 count = 20"
GATHER = "npuisa.dma_gather dst = {} dst_stride = 128 table = dram 0[0] table_rows = 50 table_stride = 100 "
SCATTER = "npuisa.dma_scatter table = dram 1[0] table_rows = 50 table_stride = 100 src = {} src_stride = 128 "
WEIGHTS = "npuisa.mm_load_w src = sram[0] dtype = {} k = 32 n = 31 k_stride = {} n_stride = {} zero_point = 0"
EXEC = "npuisa.mm_exec src = sram[0] dtype = {} rows = [{}] row_strides = [0] k = 32 k_stride = {} zero_point = 0 "
SUMS = "acc = acc[0] acc_strides = [0] n = 31"
SORT = "npuisa.v_sort dst = sram[0] dst_strides = [{0}, 4] indices = sram[0] index_strides = [0, 0] src = sram[0] "


@dataclass(frozen=True)
class Case:
    """An instruction, its queue, and its cycles."""

    line: str
    queue: str
    cycles: Callable[[dict[str, Any]], int]
    before: str = ""

    @property
    def mnemonic(self) -> str:
        return self.line.split()[0].removeprefix("npuisa.")


def load_cycles(t: dict[str, Any], size: int) -> int:
    """mm_load_w; alone, nothing hides it."""
    return int(t["matrix_setup_cycles"]) + max(int(t["array_rows"]), port(size))


def exec_cycles(t: dict[str, Any], rows: int, rate: int, size: int) -> int:
    """mm_exec."""
    streaming = rows * rate + int(t["array_rows"]) + int(t["array_cols"]) - 2
    return int(t["matrix_setup_cycles"]) + max(streaming, port(size))


def micro_cycles(t: dict[str, Any], setup: str, lanes: str, reductions: int, parallel: int, size: int) -> int:
    """drain and v_exec with a microprogram of an addition and an exponential."""
    price = int(t["cycles_simple"]) + int(t["cycles_exp"])
    return int(t[setup]) + max(reductions * up(parallel, t[lanes]) * price, port(size))


CASES = [
    Case(f"npuisa.dma_ld dst = sram[0] dst_strides = [4] src = dram 0[0] src_strides = {DENSE}", "ld",
         lambda t: dma(bursts(16384), 16384, 1)),
    Case("npuisa.dma_ld dst = sram[0] " + COPY.format([40, 4], "dram 0[0]", [400, 4], [7, 10], 4), "ld",
         lambda t: dma(7 * bursts(40), 280, 1)),
    Case(f"npuisa.dma_st dst = dram 1[0] dst_strides = [4] src = sram[0] src_strides = {DENSE}", "st",
         lambda t: dma(bursts(16384), 16384, 0)),
    Case("npuisa.dma_cp on st dst = dram 1[0] " + COPY.format([8], "dram 0[0]", [4], [64], 4), "st",
         lambda t: dma(64 * bursts(4) + bursts(256), 0, 1)),
    Case("npuisa.dma_cp on ld dst = sram[8192] " + COPY.format([4], "sram[0]", [4], [64], 4), "ld",
         lambda t: dma(0, 512, 0)),
    Case("npuisa.dma_fill on st dst = dram 1[0] dst_strides = [8] shape = [64] element_bytes = 8 value = 0", "st",
         lambda t: dma(bursts(512), 0, 0)),
    Case("npuisa.dma_fill on ld dst = sram[0] dst_strides = [8] shape = [64] element_bytes = 8 value = 0", "ld",
         lambda t: dma(0, 512, 0)),
    Case(GATHER.format("sram[0]") + INDEXED.format("sram[0]"), "ld",
         lambda t: dma(20 * (bursts(100) + bursts(1)), 2080, 1)),
    Case(GATHER.format("dram 1[0]") + INDEXED.format("dram 0[0]"), "ld",
         lambda t: dma(20 * (2 * bursts(100) + bursts(1)) + bursts(80), 0, 2)),
    Case(SCATTER.format("sram[0]") + INDEXED.format("sram[0]"), "st",
         lambda t: dma(20 * (bursts(100) + bursts(1)), 2080, 0)),
    Case(SCATTER.format("dram 0[0]") + INDEXED.format("dram 0[0]"), "st",
         lambda t: dma(20 * (2 * bursts(100) + bursts(1)) + bursts(80), 0, 2)),
    Case(WEIGHTS.format("f32", 124, 4), "mm", lambda t: load_cycles(t, 32 * 31 * 4)),
    Case(WEIGHTS.format("i4", 32, 1), "mm", lambda t: load_cycles(t, 32 * 16)),
    Case(EXEC.format("f16", 1000, 2) + SUMS, "mm",
         lambda t: exec_cycles(t, 1000, int(t["mac_cycles_f16"]), 1000 * 64) + load_cycles(t, 32 * 31 * 2),
         WEIGHTS.format("f16", 62, 2)),
    Case(EXEC.format("u8", 5, 1) + SUMS, "mm",
         lambda t: exec_cycles(t, 5, int(t["mac_cycles_i8"]), 5 * 32) + load_cycles(t, 32 * 16),
         WEIGHTS.format("u4", 32, 1)),
    Case("npuisa.mm_clear acc = acc[0] shape = [3, 50] strides = [200, 4]", "mm",
         lambda t: int(t["matrix_setup_cycles"]) + up(150, t["array_cols"])),
    Case("npuisa.drain micro = @m shape = [999] operands = (acc[0] f32 [4], sram[0] f32 [4])", "dr",
         lambda t: micro_cycles(t, "drain_setup_cycles", "drain_lanes", 1, 999, 999 * 8)),
    Case("npuisa.v_exec micro = @m shape = [999, 3] reduction_mask = 2 "
         "operands = (sram[0] f32 [4, 0], sram[0] f32 [4, 0])", "ve",
         lambda t: micro_cycles(t, "vector_setup_cycles", "vector_lanes", 3, 999, 2997 * 8)),
    Case("npuisa.v_gather dst = sram[8192] dst_strides = [4] table = sram[0] table_strides = [0] table_rows = 9 "
         "table_stride = 4 indices = sram[0] index_strides = [4] index_dtype = i32 shape = [777] element_bytes = 4",
         "ve",
         lambda t: int(t["vector_setup_cycles"]) + 777),
    Case(SORT.format(40) + "src_strides = [400, 4] dtype = f32 shape = [6, 100] k = 10 descending = 1 results = 1",
         "ve",
         lambda t: sorting(6, 100, 6 * 440)),
    Case(SORT.format(4) + "src_strides = [4, 4] dtype = i32 shape = [5, 1] k = 1 descending = 0 results = 1", "ve",
         lambda t: sorting(5, 1, 40)),
]  # fmt: skip


def test_every_instruction_has_a_case() -> None:
    engines = {i.mnemonic for i in description().instructions if i.queues != ("ctl",)} - {"sync"}
    assert engines == {case.mnemonic for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.mnemonic)
def test_cycles(case: Case, tmp_path: Path) -> None:
    regions = '<arena, "x", 65536 bytes, i8, [65536]>, <arena, "y", 65536 bytes, i8, [65536]>'
    micro = "npuisa.micro @m inputs 1 {\nr0 = input f32 0\nr1 = addf f32 r0, r0\nr2 = exp f32 r1\n} outputs [r2]"
    body = "\n".join([micro, case.before, case.line, "npuisa.halt"])
    (tmp_path / "p.mlir").write_text(f"npuisa.program @p regions [{regions}] {{\n{body}\n}}\n")
    run_tool("npu-translate", tmp_path / "p.mlir", "--npuisa-to-binary", "-o", tmp_path / "p.npuprog")
    run_tool("npu-run", tmp_path / "p.npuprog", "--timing-only", "--quiet", "--json", tmp_path / "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["profile"]["launches"][0]["queues"][case.queue]["busy_cycles"] == case.cycles(target())
