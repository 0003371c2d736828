# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A host part without machine code is found when the model is compiled, or else is never a failed run."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import npu_mlir as npu
import numpy as np
import pytest
from npu_mlir.errors import InputError, InternalError, UnsupportedOpError

# An op that no conversion of the host takes, and the device does not either.
NO_HOST_FORM = """
func.func @main(%x: tensor<8x8xf64>) -> tensor<2x2x4x4xf64> {
  %e = tensor.empty() : tensor<2x2x4x4xf64>
  %0 = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<8x8xf64> -> tensor<2x2x4x4xf64>
  return %0 : tensor<2x2x4x4xf64>
}
"""
SMALL_FLOAT = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.truncf %x : tensor<4xf32> to tensor<4xf8E4M3FN>
  %1 = arith.extf %0 : tensor<4xf8E4M3FN> to tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
COPY = """
func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = arith.addf %x, %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}
"""


def compiled(folder: Path, text: str) -> npu.Executable:
    file = folder / "model.mlir"
    file.write_text(text, encoding="utf-8")
    return npu.compile(file, target="tiny")


def test_no_machine_code_is_a_fault_of_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InternalError, match="npu-lower-host") as caught:
        compiled(tmp_path, NO_HOST_FORM)
    assert caught.value.exit_code == 4
    (folder,) = tmp_path.glob("npu-reproducer-*")
    assert "builtin.module(npu-lower-host)" in (folder / "command.txt").read_text()
    assert "linalg.pack" in (folder / "module.mlir").read_text()


def test_element_type_of_neither_side_is_unsupported(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedOpError, match="f8E4M3FN runs neither on the device nor on the host") as caught:
        compiled(tmp_path, SMALL_FLOAT)
    assert caught.value.exit_code == 3


def with_sums(data: bytes) -> bytes:
    """The container with the checksums of what it holds; see docs/program-format.md."""
    result = bytearray(data)
    (count,) = struct.unpack_from("<I", result, 12)
    sections = [struct.unpack_from("<QQ", result, 40 + 32 * i) for i in range(count)]
    for i, (offset, size) in enumerate(sections):
        struct.pack_into("<I", result, 36 + 32 * i, zlib.crc32(result[offset : offset + size]))
    struct.pack_into("<I", result, 28, 0)
    struct.pack_into("<I", result, 28, zlib.crc32(result[: min(offset for offset, _ in sections)]))
    return bytes(result)


def test_damaged_host_part_is_a_fault_of_the_package(tmp_path: Path) -> None:
    file = tmp_path / "model.npux"
    executable = compiled(tmp_path, COPY)
    x = np.arange(4, dtype=np.float64)
    np.testing.assert_array_equal(executable(x), 2 * x)
    executable.save(file)
    data = file.read_bytes()
    damaged = data.replace(b"arith.addf", b"arith.addx")
    assert damaged != data
    file.write_bytes(with_sums(damaged))
    with pytest.raises(InputError) as caught:
        npu.load(file)(x)
    assert caught.value.exit_code == 2
