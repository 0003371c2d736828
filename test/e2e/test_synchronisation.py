# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs mean the same in every order of execution, and the checker notices when they do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import models
import npu_mlir as npu
import pytest
from npu_mlir.cli.tools import tool_path
from test_models import assert_same_bits, imported

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import mutations

SEEDS = (1, 2)
FAST = [name for name in models.names() if name not in models.names(tag="slow")]


@pytest.mark.parametrize("name", FAST)
def test_delays_change_nothing(name: str) -> None:
    # The smallest target has the most tiles, and with them the most to order.
    built, model = imported(name)
    executable = npu.compile(model, target="tiny")
    expected = executable.run(built.inputs)
    for seed in SEEDS:
        perturbed = executable.profile(*built.inputs, perturb_seed=seed).outputs
        for a, b in zip(expected, perturbed, strict=True):
            assert_same_bits(f"seed {seed}", a, b)


def test_mutations_are_found(tmp_path: Path) -> None:
    judged = []
    for subject in mutations.subjects(["matmul_bias_relu_over_tiny"], ["tiny"], tmp_path):
        judged = mutations.mutate(subject, count=2, seeds=2, folder=tmp_path)
    assert len(judged) >= 20
    assert not [m for m in judged if m.verdict == "survived"]
    found = {m.mutation for m in judged if m.verdict == "checker"}
    lost = [m for m in judged if m.mutation in ("drop a wait", "drop a signal")]
    assert {"drop a wait", "drop a signal", "one slot less in a ring"} <= found
    assert all(m.verdict == "checker" for m in lost)


def check(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run npu-run --check."""
    tool = tool_path("npu-run")
    assert tool is not None
    command = [str(tool), str(path), "--check", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_npu_run_check(tmp_path: Path) -> None:
    _, model = imported("mlp_gemm")
    executable = npu.compile(model, target="tiny")
    package = tmp_path / "mlp.npux"
    executable.save(package)
    good = check(package)
    assert good.returncode == 0 and good.stdout.startswith("check: 'main_0': ")
    assert "no race, no read of unwritten bytes" in good.stdout

    subject = next(mutations.subjects(["mlp_gemm"], ["tiny"], tmp_path))
    lines = mutations.drop_dependence(subject.lines, mutations.random.Random(1))
    assert lines is not None
    data = subject.program(lines)
    assert data is not None
    broken = tmp_path / "broken.npuprog"
    broken.write_bytes(data)
    bad = check(broken, "--json")
    assert bad.returncode == 1 and "race: instruction" in bad.stderr and "1. queue" in bad.stderr
    result = json.loads(bad.stdout)
    assert result["verdict"] == "bad" and result["exit_code"] == 1
    violation = result["programs"][0]["violation"]
    assert violation["fault"] == "race" and violation["end"] > violation["begin"]
    assert all(site["node"] for site in violation["sites"]) and violation["interleaving"]


def test_check_refuses_other_files(tmp_path: Path) -> None:
    path = tmp_path / "no.npuprog"
    path.write_bytes(b"nothing")
    assert check(path).returncode == 2
