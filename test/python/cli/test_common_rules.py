# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules common to all commands: exit codes, JSON, streams, start-up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import npu_mlir
import pytest
from cli_support import Npu, files_in
from npu_mlir.cli import doctor_command, target_command
from npu_mlir.cli.doctor_command import in_range
from npu_mlir.cli.report import Report

FIELDS = [
    "schema", "tool", "version", "command", "inputs", "target", "seed", "started", "wall_s",
    "verdict", "exit_code", "counts", "warnings", "errors", "artifacts", "next",
]  # fmt: skip


def test_help_is_instant_because_it_loads_nothing() -> None:
    code = (
        "import sys\n"
        "from npu_mlir.cli.main import main\n"
        "code = main(['compile', '--help'])\n"
        "heavy = {'numpy', 'torch', 'onnx', 'npu_mlir.mlir'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy or code else 0)\n"
    )
    root = Path(npu_mlir.__path__[0]).parent
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "exit codes: 0 good" in result.stdout


def test_version(npu: Npu) -> None:
    assert npu("--version").out == f"npu {npu_mlir.__version__}\n"


def test_the_json_of_a_failure_has_every_field(npu: Npu, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(b"")
    result = npu("compile", "m.onnx", "--target", "tiny", "--json", "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    assert list(report)[: len(FIELDS)] == FIELDS
    assert result.code == report["exit_code"] == 2
    assert report["schema"] == "npu.compile/1"
    assert report["verdict"] == "input"
    assert report["target"] == {"name": "tiny"}
    assert report["inputs"][0]["bytes"] == 0
    assert report["errors"] == [
        {"code": "E-INPUT", "text": "the file is empty", "where": "m.onnx", "why": "it has 0 bytes"}
    ]
    assert files_in(tmp_path) == ["m.onnx", "r.json"]


def test_json_on_standard_output_stands_alone(npu: Npu) -> None:
    result = npu("compile", "no.onnx", "--json", "-")
    assert json.loads(result.out)["errors"][0]["text"] == "file not found"
    result.assert_error(2)


def test_reports_of_two_runs_differ_in_time_only(npu: Npu) -> None:
    first, second = (json.loads(npu("compile", "no.onnx", "--json", "-").out) for _ in range(2))
    for report in (first, second):
        del report["started"], report["wall_s"]
    assert first == second


def test_json_holds_no_bare_nan() -> None:
    report = Report("run", [])
    report.body["values"] = [float("nan"), float("inf"), {"x": -float("inf")}, 1.5]
    assert json.loads(report.to_json())["values"] == ["nan", "inf", {"x": "-inf"}, 1.5]


def test_an_interrupt_ends_with_130(npu: Npu, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor_command, "run", interrupt)
    result = npu("doctor", "--json", "-")
    assert result.code == json.loads(result.out)["exit_code"] == 130
    assert "Traceback" not in result.err


def test_a_fault_of_the_tool_leaves_a_folder_to_reproduce_it(
    npu: Npu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the moon is full")

    monkeypatch.setattr(target_command, "run", fail)
    npu("target", "list").assert_error(4, "E-INTERNAL", "RuntimeError: the moon is full", "report")
    (folder,) = tmp_path.glob("npu-reproducer-*")
    assert files_in(folder) == ["command.txt", "traceback.txt", "versions.txt"]
    assert (folder / "command.txt").read_text() == "npu target list\n"
    assert "the moon is full" in (folder / "traceback.txt").read_text()
    assert "numpy" in (folder / "versions.txt").read_text()


def test_the_model_goes_into_the_folder_as_well(
    npu: Npu, tmp_path: Path, digits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("npu_mlir.compiler.compile", fail)
    npu("compile", digits).assert_error(4)
    (folder,) = tmp_path.glob("npu-reproducer-*")
    assert "digits.onnx" in files_in(folder)


def test_quiet_shows_errors_only(npu: Npu) -> None:
    result = npu("target", "list", "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
    npu("compile", "no.onnx", "--quiet").assert_error(2, "file not found")


def test_targets_are_listed_shown_and_checked(npu: Npu, tmp_path: Path) -> None:
    listed = npu("target", "list")
    assert [line.split()[0] for line in listed.out.splitlines()] == [
        "target", "tiny", "edge", "mobile", "server",
    ]  # fmt: skip
    shown = npu("target", "show", "tiny", "--json", "t.json")
    values = json.loads((tmp_path / "t.json").read_text())["values"]
    assert values["name"] == "tiny"
    assert f"sram_bytes  {values['sram_bytes']}" in " ".join(shown.out.split()).replace("sram_bytes ", "sram_bytes  ")
    assert npu("target", "check", "tiny").code == 0


def test_doctor_says_what_is_there(npu: Npu, tmp_path: Path) -> None:
    assert npu("doctor", "--json", "d.json").code == 0
    checks = {c["name"]: c for c in json.loads((tmp_path / "d.json").read_text())["checks"]}
    assert checks["numpy"]["status"] in ("ok", "untested")
    assert checks["compiler"]["status"] == "ok"


def test_doctor_names_the_command_for_a_missing_package(npu: Npu, monkeypatch: pytest.MonkeyPatch) -> None:
    version = doctor_command._version
    monkeypatch.setattr(doctor_command, "_version", lambda name: None if name == "torch" else version(name))
    assert "fix: pip install 'npu-mlir[torch]'" in npu("doctor").out


@pytest.mark.parametrize(
    ("version", "wanted", "holds"),
    [
        ("2.4.6", ">=2.0,<3", True),
        ("3.0", ">=2.0,<3", False),
        ("1.9", ">=2.0,<3", False),
        ("20261001", "==20261001", True),
        ("2.13.0+cpu", ">=2.13,<2.14", True),
        ("2.14.0", ">=2.13,<2.14", False),
    ],
)
def test_ranges(version: str, wanted: str, holds: bool) -> None:
    assert in_range(version, wanted) is holds
