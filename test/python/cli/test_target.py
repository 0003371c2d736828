# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu target`: what it shows of the hardware descriptions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_support import Npu
from npu_mlir.cli.target_command import Target, presets, read_target


def write(target: Target, path: Path, **changes: object) -> str:
    """A target file with the values of `target` and some changes; returns its name."""
    values = target.values | changes
    path.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()))
    return path.name


def test_list_has_every_preset(npu: Npu) -> None:
    result = npu("target", "list")
    assert result.code == 0
    assert [line.split()[0] for line in result.out.splitlines()[1:]] == presets()


def test_show_gives_units_and_figures(npu: Npu) -> None:
    result = npu("target", "show", "tiny")
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "clock_mhz 500 MHz" in lines
    # 2 operations x 16 x 8 cells x 500 MHz
    assert "peak_i8_tops 0.128 Tops/s 2 * array_rows * array_cols * clock / mac_cycles_i8" in lines
    assert any(line.startswith("energy_source Horowitz") for line in lines)


def test_figures_follow_the_values(npu: Npu, tmp_path: Path) -> None:
    name = write(read_target("tiny"), tmp_path / "t.yaml", clock_mhz=1000, dtypes=["i8", "i32"])
    report = json.loads(npu("target", "show", name, "--json", "-").out)
    assert report["figures"]["peak_i8_tops"] == 0.256
    assert "peak_f32_tops" not in report["figures"]
    assert report["values"]["clock_mhz"] == 1000


def test_diff_of_a_target_with_itself(npu: Npu, tmp_path: Path) -> None:
    name = write(read_target("tiny"), tmp_path / "t.yaml")
    result = npu("target", "diff", "tiny", name)
    assert result.code == 0
    assert result.out.startswith("the targets are equal: ")


def test_diff_names_every_difference(npu: Npu, tmp_path: Path) -> None:
    name = write(
        read_target("tiny"), tmp_path / "t.yaml", description="wider", dram_bytes_per_cycle=8, dtypes=["i8", "i32"]
    )
    result = npu("target", "diff", "tiny", name)
    assert result.code == 0
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "dram_bytes_per_cycle 4 8 2x bytes/cycle" in lines
    assert "dram_bandwidth 2 4 2x GB/s" in lines
    assert "wider" in lines
    assert any(line.startswith("peak_f32_tops 0.016 -") for line in lines)
    report = json.loads(npu("target", "diff", "tiny", name, "--json", "-").out)
    assert report["counts"]["different"] == len(report["differences"])
    changed = {entry["key"]: (entry["first"], entry["second"]) for entry in report["differences"]}
    assert changed["dram_bytes_per_cycle"] == (4, 8)
    assert report["hashes"][0] != report["hashes"][1]


def test_diff_of_a_missing_target(npu: Npu) -> None:
    npu("target", "diff", "tiny", "nope").assert_error(2, "E-TARGET")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("energy_mac_i8_pj: 0.3", "energy_mac_i8_pj: ''"), "invalid floating point number"),
        (("energy_mac_i8_pj: 0.3", "energy_mac_i8_pj:"), "t.yaml:"),
        (("array_rows", "array_rowz"), "missing required key 'array_rows'; line 5 sets 'array_rowz'"),
        (("area_source", "---\narea_source"), "missing required key 'area_source'"),
        (("clock_mhz: 500", "clock_mhz: 0"), "t.yaml:3: error: 'clock_mhz' is 0, but must be between 1 and 10000 MHz"),
    ],
)
def test_damaged_files_are_refused(npu: Npu, tmp_path: Path, change: tuple[str, str], message: str) -> None:
    write(read_target("tiny"), tmp_path / "t.yaml")
    text = (tmp_path / "t.yaml").read_text()
    assert change[0] in text
    (tmp_path / "t.yaml").write_text(text.replace(*change, 1))
    npu("target", "check", "t.yaml").assert_error(2, "E-TARGET", message)


def test_a_second_document_is_refused(npu: Npu, tmp_path: Path) -> None:
    write(read_target("tiny"), tmp_path / "t.yaml")
    for more in ("---\nname: other\n", "---\n"):
        text = (tmp_path / "t.yaml").read_text()
        (tmp_path / "two.yaml").write_text(text + more)
        npu("target", "check", "two.yaml").assert_error(2, "E-TARGET", "second document")
