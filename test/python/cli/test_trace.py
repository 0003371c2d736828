# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu trace` and the cost of each source node."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_support import Npu
from onnx import TensorProto, helper, numpy_helper, save


@pytest.fixture
def two_layers(tmp_path: Path) -> str:
    """A model of two matrix multiplications with a ReLU between them, and an operator for the host."""
    rng = np.random.default_rng(0)
    weights = [
        numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), name)
        for name, shape in (("w1", (64, 48)), ("w2", (48, 32)))
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["h"], "fc1"),
        helper.make_node("Relu", ["h"], ["r"], "relu"),
        helper.make_node("MatMul", ["r", "w2"], ["z"], "fc2"),
        helper.make_node("ArgMax", ["z"], ["y"], "argmax", axis=1, keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "two_layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (40, 64))],
        [helper.make_tensor_value_info("y", TensorProto.INT64, (40,))],
        weights,
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "two.onnx")
    return "two.onnx"


def traced(npu: Npu, model: str, target: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The events of the trace, and the profile."""
    result = npu("trace", model, "-o", "t.json", "--target", target, "--json", "r.json")
    assert result.code == 0, result.err
    return json.loads(Path("t.json").read_text())["traceEvents"], json.loads(Path("r.json").read_text())["profile"]


@pytest.mark.parametrize("target", ["tiny", "mobile"])
def test_trace_of_two_layers(npu: Npu, two_layers: str, target: str) -> None:
    events, profile = traced(npu, two_layers, target)
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    slices = defaultdict(list)
    for event in events:
        if event["ph"] == "X" and event["cat"] != "host":
            slices[tracks[event["tid"]]].append(event)
    assert {"ld", "st", "mm", "dr"} <= set(slices)
    for queue, entries in slices.items():
        # A queue does one thing at a time, and its busy cycles are those of its slices.
        for before, after in itertools.pairwise(entries):
            assert before["ts"] + before["dur"] <= after["ts"] + 1e-6
        assert sum(e["args"]["cycles"] for e in entries) == profile["queues"][queue]["busy"]
    assert {"fc1", "fc2"} <= {name for entries in slices.values() for e in entries for name in e["name"].split(", ")}
    assert any(e["name"] == "argmax" for e in events if e.get("cat") == "host")


def test_arrows_begin_and_end_in_slices(npu: Npu, two_layers: str) -> None:
    events, _ = traced(npu, two_layers, "tiny")
    slices = [e for e in events if e["ph"] == "X"]

    def inside(event: dict[str, Any]) -> bool:
        return any(
            s["tid"] == event["tid"] and s["ts"] - 1e-6 <= event["ts"] <= s["ts"] + s["dur"] + 1e-6 for s in slices
        )

    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert starts and starts.keys() == ends.keys()
    assert all(Counter(e["id"] for e in events if e["ph"] == "s")[key] == 1 for key in starts)
    assert all(starts[key]["ts"] <= ends[key]["ts"] and inside(starts[key]) and inside(ends[key]) for key in starts)
    assert {e["name"] for e in starts.values()} == {"data", "buffer"}


def test_counters_end_at_zero(npu: Npu, two_layers: str) -> None:
    events, profile = traced(npu, two_layers, "tiny")
    series = defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            series[event["name"]].append((event["ts"], next(iter(event["args"].values()))))
    assert set(series) == {"SRAM live", "DRAM load", "DRAM store"}
    for values in series.values():
        assert [time for time, _ in values] == sorted(time for time, _ in values)
        assert values[-1][1] == 0
    assert 0 < max(value for _, value in series["SRAM live"]) <= profile["memory"]["sram_high_water"]
    # The area under the curve is what was loaded.
    clock = profile["target"]["clock_mhz"]
    loads = series["DRAM load"]
    loaded = sum(value * (after - time) * clock for (time, value), (after, _) in itertools.pairwise(loads))
    assert loaded == pytest.approx(profile["bytes"]["dram_read"], rel=1e-3)


@pytest.mark.parametrize("target", ["tiny", "edge", "server"])
def test_nodes_add_up_to_the_run(npu: Npu, two_layers: str, target: str) -> None:
    _, profile = traced(npu, two_layers, target)
    nodes = profile["nodes"]
    assert sum(node["cycles"] for node in nodes) == profile["cycles"]
    assert all(sum(node["causes"].values()) == node["cycles"] for node in nodes)
    assert sum(node["macs"] for node in nodes) == 40 * 48 * (64 + 32)
    device = [node for node in nodes if node["place"] == "device"]
    assert sum(node["dram_bytes"] for node in device) == profile["bytes"]["dram_read"] + profile["bytes"]["dram_write"]
    assert sum(node["energy_pj"] for node in device) == pytest.approx(profile["energy_picojoules"], rel=1e-6)
    assert [node["name"] for node in nodes if node["place"] == "host"] == ["argmax"]


def test_table_and_csv(npu: Npu, two_layers: str) -> None:
    result = npu("run", two_layers, "--target", "tiny", "--profile", "--csv", "t.csv")
    assert result.code == 0
    rows = list(csv.DictReader(io.StringIO(Path("t.csv").read_text())))
    table = [line for line in result.out.splitlines() if line.startswith(tuple(row["name"] for row in rows))]
    assert len(table) == len(rows)
    total = next(line for line in result.out.splitlines() if line.startswith("all "))
    assert total.split()[1] == f"{sum(int(row['cycles']) for row in rows):,}"


def test_the_trace_must_be_writable(npu: Npu, two_layers: str) -> None:
    npu("trace", two_layers, "-o", "no/such/t.json").assert_error(2, "E-OUTPUT")
    npu("trace", two_layers, "-o", two_layers).assert_error(2, "E-SAME")
    npu("run", two_layers, "--csv", two_layers).assert_error(2, "E-SAME", "--csv")
