# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold of the time and the traffic of every program, whatever the formulas are."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import npu_mlir as npu
import numpy as np
import pytest
from npu_mlir.cli.tools import tool_path

M, K, N = 100, 96, 80
MODEL = f"""
func.func @main(%x: tensor<{M}x{K}xf32>, %w: tensor<{K}x{N}xf32>) -> tensor<{M}x{N}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{M}x{N}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{M}x{N}xf32>) -> tensor<{M}x{N}xf32>
  %y = linalg.matmul ins(%x, %w : tensor<{M}x{K}xf32>, tensor<{K}x{N}xf32>)
      outs(%init : tensor<{M}x{N}xf32>) -> tensor<{M}x{N}xf32>
  %r = tensor.empty() : tensor<{M}x{N}xf32>
  %z = linalg.exp ins(%y : tensor<{M}x{N}xf32>) outs(%r : tensor<{M}x{N}xf32>) -> tensor<{M}x{N}xf32>
  return %z : tensor<{M}x{N}xf32>
}}
"""
TARGETS = ["tiny", "edge", "mobile", "server"]


@pytest.fixture(scope="module", params=TARGETS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the assembly of the program for a target, and its inputs."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "m.mlir").write_text(MODEL)
    (folder / "p.npuasm").write_text(npu.compile(folder / "m.mlir", target=request.param).assembly())
    np.save(folder / "x.npy", np.zeros((M, K), np.float32))
    np.save(folder / "w.npy", np.zeros((K, N), np.float32))
    return folder


def timed(folder: Path, **changes: int) -> dict[str, Any]:
    """Run the program on its target with some values changed; gives the report of the launch."""
    text = (folder / "p.npuasm").read_text()
    for key, value in changes.items():
        text, found = re.subn(rf"(?m)^  {key}=\d+", f"  {key}={value}", text)
        assert found == 1, key
    (folder / "changed.npuasm").write_text(text)
    translate, run = tool_path("npu-translate"), tool_path("npu-run")
    for step in (
        ["--asm-to-npuisa", "changed.npuasm", "-o", "p.mlir"],
        ["--npuisa-to-binary", "p.mlir", "-o", "p.npuprog"],
    ):
        subprocess.run([str(translate), *step], cwd=folder, check=True)
    result = subprocess.run(
        [str(run), "p.npuprog", "--input", "x.npy", "--input", "w.npy", "--timing-only", "--json"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    report: dict[str, Any] = json.loads(result.stdout)["profile"]["launches"][0]
    return report


def test_no_queue_is_busier_than_the_run(program: Path) -> None:
    report = timed(program)
    for queue in report["queues"].values():
        times = ("busy_cycles", "wait_semaphore_cycles", "wait_dispatch_cycles")
        assert sum(queue[key] for key in times) == report["cycles"]


def test_work_does_not_depend_on_time(program: Path) -> None:
    slow, fast = timed(program, dram_bytes_per_cycle=1), timed(program, dram_bytes_per_cycle=1024)
    for key in ("instructions", "macs", "vector_ops", "bytes", "memory"):
        assert slow[key] == fast[key]
    assert sum(slow["macs"].values()) == M * K * N


def test_cycles_fall_with_bandwidth(program: Path) -> None:
    cycles = [timed(program, dram_bytes_per_cycle=2**power)["cycles"] for power in range(0, 13, 2)]
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[0] > cycles[-1]


def test_cycles_rise_with_latency(program: Path) -> None:
    cycles = [timed(program, dram_latency_cycles=latency)["cycles"] for latency in (0, 10, 100, 1000, 10000)]
    assert cycles == sorted(cycles)
    assert cycles[0] < cycles[-1]


@pytest.mark.parametrize("bandwidth", [1, 16, 4096])
def test_nothing_beats_the_roofline(program: Path, bandwidth: int) -> None:
    """The bounds are computed here, from the model and the target alone."""
    report = timed(program, dram_bytes_per_cycle=bandwidth)
    text = (program / "p.npuasm").read_text()
    value = {m[1]: int(m[2]) for m in re.finditer(r"(?m)^  (\w+)=(\d+)", text)}
    array = M * K * N * value["mac_cycles_f32"] / (value["array_rows"] * value["array_cols"])
    memory = 4 * (M * K + K * N + M * N) / bandwidth
    assert report["cycles"] >= max(array, memory)
    assert report["bytes"]["dram_read"] >= 4 * (M * K + K * N)
    assert report["bytes"]["dram_write"] >= 4 * M * N
    assert report["bytes"]["dram_bus"] >= report["bytes"]["dram_read"] + report["bytes"]["dram_write"]
