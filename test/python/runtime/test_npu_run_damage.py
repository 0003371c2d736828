# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""npu-run reports damaged packages and wrong inputs; no signal ends it, and a good run gives valid JSON."""

from __future__ import annotations

import json
import random
import resource
import struct
import subprocess
import zlib
from pathlib import Path

import npu_mlir as npu
import numpy as np
import pytest
from npu_mlir.cli.tools import tool_path

DENSE = """
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %empty = tensor.empty() : tensor<4x8xf32>
  %y = linalg.add ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package p.npux and its input x.npy."""
    path = tmp_path_factory.mktemp("damage")
    (path / "m.mlir").write_text(DENSE)
    npu.compile(path / "m.mlir", target="tiny").save(path / "p.npux")
    np.save(path / "x.npy", np.ones((4, 8), np.float32))
    return path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run npu-run in a folder; a hang of more than a minute fails the test."""
    tool = tool_path("npu-run")
    assert tool is not None
    return subprocess.run(
        [str(tool), *arguments], cwd=folder, capture_output=True, text=True, errors="replace", timeout=60, check=False
    )


PROGRAM_SECTION = 18  # docs/program-format.md


def sections(data: bytes) -> list[tuple[int, int, int]]:
    """Kind, first byte and size of each section of a container."""
    count = struct.unpack_from("<I", data, 12)[0]
    entries = [struct.unpack_from("<IIQQII", data, 32 + 32 * i) for i in range(count)]
    return [(kind, offset, size) for kind, _, offset, size, _, _ in entries]


def with_right_checksums(data: bytes) -> bytes:
    """The container with every checksum as its contents ask for."""
    fixed = bytearray(data)
    found = sections(data)
    for i, (_, offset, size) in enumerate(found):
        struct.pack_into("<I", fixed, 32 + 32 * i + 4, zlib.crc32(fixed[offset : offset + size]))
    struct.pack_into("<I", fixed, 28, 0)
    struct.pack_into("<I", fixed, 28, zlib.crc32(fixed[: found[0][1]]))
    return bytes(fixed)


def program_of(package: bytes) -> bytes:
    """The first device program of a package."""
    return next(package[offset : offset + size] for kind, offset, size in sections(package) if kind == PROGRAM_SECTION)


def test_result_and_trace_are_json(folder: Path) -> None:
    result = run(folder, "p.npux", "--input", "x.npy", "--json", "r.json", "--trace", "t.json")
    assert result.returncode == 0, result.stderr
    assert json.loads((folder / "r.json").read_text())
    events = json.loads((folder / "t.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert spans
    assert all(span["dur"] >= 0 and span["ts"] >= 0 and span["name"] for span in spans)


def test_truncated_packages_are_refused(folder: Path) -> None:
    data = (folder / "p.npux").read_bytes()
    for size in sorted({0, 1, 2, 4, 8, 16, len(data) - 1, *range(32, len(data), max(1, len(data) // 24))}):
        (folder / "cut.npux").write_bytes(data[:size])
        result = run(folder, "cut.npux", "--input", "x.npy")
        assert result.returncode == 2, f"first {size} of {len(data)} bytes: {result.returncode} {result.stderr}"
        assert "error:" in result.stderr


def test_a_flipped_bit_never_ends_in_a_signal(folder: Path) -> None:
    data = (folder / "p.npux").read_bytes()
    rng = random.Random(0)
    for _ in range(40):
        bit = rng.randrange(8 * len(data))
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        (folder / "flip.npux").write_bytes(broken)
        result = run(folder, "flip.npux", "--input", "x.npy")
        assert result.returncode >= 0, f"bit {bit}: signal {-result.returncode}"
        assert result.returncode == 0 or "error:" in result.stderr, f"bit {bit}: no message"


def test_damage_with_right_checksums_never_ends_in_a_signal(folder: Path) -> None:
    """Nothing but the meaning of the bytes is wrong, and nothing may ask for more memory than there is."""
    data = program_of((folder / "p.npux").read_bytes())
    assert with_right_checksums(data) == data
    (folder / "whole.npuprog").write_bytes(data)
    assert run(folder, "whole.npuprog", "--input", "x.npy").returncode == 0
    places = [byte for _, offset, size in sections(data) for byte in range(offset, offset + size)]
    rng = random.Random(1)
    tool = tool_path("npu-run")
    codes = set()
    for _ in range(150):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            place = rng.choice(places)
            broken[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, broken[place] ^ 1 << rng.randrange(8)])
        (folder / "damaged.npuprog").write_bytes(with_right_checksums(broken))
        result = subprocess.run(
            [str(tool), "damaged.npuprog", "--input", "x.npy", "--max-instructions", "1000", "--poison"],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
        )
        assert result.returncode in (0, 2), (result.returncode, result.stderr)
        assert result.returncode == 0 or result.stderr.startswith("npu-run: error:"), result.stderr
        codes.add(result.returncode)
    assert codes == {0, 2}


def test_a_size_that_the_machine_does_not_have(folder: Path) -> None:
    data = program_of((folder / "p.npux").read_bytes())
    wanted = struct.pack("<Q", 4 * 8 * 4)
    at = [i for _, offset, size in sections(data) for i in range(offset, offset + size) if data[i : i + 8] == wanted]
    assert at  # at least the sizes of the input and the output
    for place in at:
        for huge in (1 << 33, 1 << 45, 1 << 63):
            broken = data[:place] + struct.pack("<Q", huge) + data[place + 8 :]
            (folder / "huge.npuprog").write_bytes(with_right_checksums(broken))
            result = run(folder, "huge.npuprog", "--input", "x.npy")
            assert result.returncode in (0, 2), result.stderr
            assert result.returncode == 0 or "error:" in result.stderr


@pytest.mark.parametrize("flags", [["--json"], ["--json", "--poison"], ["--json", "-"], ["--json=-"]])
def test_json_without_a_file_goes_to_standard_output(folder: Path, flags: list[str]) -> None:
    result = run(folder, "p.npux", "--input", "x.npy", *flags)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["verdict"] == "ok"
    assert "cycles" in result.stderr


@pytest.mark.parametrize(
    "array",
    [np.ones((4, 7), np.float32), np.ones((4, 8), np.int32), np.ones(32, np.float32)],
    ids=["shape", "type", "rank"],
)
def test_wrong_arrays_are_refused(folder: Path, array: np.ndarray) -> None:
    np.save(folder / "wrong.npy", array)
    result = run(folder, "p.npux", "--input", "wrong.npy")
    assert result.returncode == 2
    assert "error:" in result.stderr


def test_broken_arrays_and_lost_outputs_are_errors(folder: Path) -> None:
    (folder / "broken.npy").write_bytes((folder / "x.npy").read_bytes()[:100])
    for arguments in (
        ("p.npux", "--input", "broken.npy"),
        ("p.npux", "--input", "gone.npy"),
        ("gone.npux",),
        ("p.npux", "--input", "x.npy", "--input", "x.npy"),
        ("p.npux", "--input", "x.npy", "--json", "gone/r.json"),
    ):
        result = run(folder, *arguments)
        assert result.returncode == 2, (arguments, result.stderr)
        assert "error:" in result.stderr
    assert not (folder / "gone").exists()
