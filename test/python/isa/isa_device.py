# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Little device programs around single instructions, run by npu-run; element types as numpy has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from isa_description import run_tool

Array = np.ndarray[Any, Any]
Place = tuple[int, int, str]  # byte offset, number of elements, element type

NUMPY: dict[str, Any] = {
    "b8": np.uint8, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
    "i64": np.int64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32,
    "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip
FLOATS = ("f16", "bf16", "f32")
STORED = ("f8e4m3", "f8e5m2")
RESULTS = 4 << 20  # where results begin in SRAM: the default target has 8 MiB


def equal(a: Array, b: Array) -> bool:
    """Same bits, but one NaN is as good as another."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    same = a.view(f"u{a.dtype.itemsize}") == b.view(f"u{b.dtype.itemsize}")
    if a.dtype.kind in "fV":
        same = same | (np.isnan(a.astype(np.float32)) & np.isnan(b.astype(np.float32)))
    return bool(same.all())


class Device:
    """Collects arrays and instructions; everything runs one after the other."""

    def __init__(self) -> None:
        self._input = bytearray()
        self._output = 0
        self._micros: list[str] = []
        self._lines: list[str] = []
        self._memory = b""
        self._expected: list[tuple[str, Place, Array]] = []

    def put(self, array: Array) -> int:
        """Place an array in SRAM and return its byte offset."""
        self._input += bytes(-len(self._input) % 64)
        offset = len(self._input)
        self._input += array.tobytes()
        assert len(self._input) <= RESULTS
        return offset

    def room(self, size: int) -> int:
        """The byte offset in SRAM of `size` bytes of results."""
        self._output += -self._output % 64
        offset = RESULTS + self._output
        self._output += size
        return offset

    def micro(self, inputs: int, body: list[str], output: str) -> str:
        """Add a microprogram and return its symbol."""
        name = f"@m{len(self._micros)}"
        self._micros.append("\n".join([f"npuisa.micro {name} inputs {inputs} {{", *body, f"}} outputs [{output}]"]))
        return name

    def step(self, line: str) -> None:
        """Add an instruction."""
        self._lines += [line, "npuisa.fence"]

    def apply(self, operation: str, result: str, types: list[str], arrays: list[Array], immediate: str = "") -> Place:
        """One micro operation on whole arrays of memory types `types`; the place of the results, for `get`."""
        registers = [{"u8": "i8", "u16": "i16", "u32": "i32"}.get(t, t) for t in types]
        body = [f"r{i} = input {t} {i}" for i, t in enumerate(registers)]
        operands = ", ".join(f"r{i}" for i in range(len(types)))
        body.append(f"r{len(types)} = {operation} {result} {immediate} {operands}")
        micro = self.micro(len(types), body, f"r{len(types)}")
        count = arrays[0].size
        size = np.dtype(NUMPY[result]).itemsize
        out = self.room(count * size)
        places = [f"sram[{self.put(a)}] {t} [{a.itemsize}]" for a, t in zip(arrays, types, strict=True)]
        places.append(f"sram[{out}] {result} [{size}]")
        space = f"shape = [{count}] reduction_mask = 0"
        self.step(f"npuisa.v_exec micro = {micro} {space} operands = ({', '.join(places)})")
        return out, count, result

    def text(self) -> str:
        """The npuisa.program."""
        copy = "dst_strides = [1] src = {} src_strides = [1] shape = [{}] element_bytes = 1"
        regions = f'<input, "x", {len(self._input)} bytes, i8, [{len(self._input)}]>, '
        regions += f'<output, "y", {self._output} bytes, i8, [{self._output}]>'
        begin = f"npuisa.dma_ld dst = sram[0] {copy.format('dram 0[0]', len(self._input))}"
        end = f"npuisa.dma_st dst = dram 1[0] {copy.format(f'sram[{RESULTS}]', self._output)}"
        body = [*self._micros, begin, "npuisa.fence", *self._lines, end, "npuisa.halt"]
        return "\n".join([f"npuisa.program @p regions [{regions}] {{", *body, "}", ""])

    def run(self, folder: Path) -> None:
        """Translate, load and run the program in a folder."""
        (folder / "p.mlir").write_text(self.text())
        np.save(folder / "x.npy", np.frombuffer(bytes(self._input), np.int8))
        run_tool("npu-translate", folder / "p.mlir", "--npuisa-to-binary", "-o", folder / "p.npuprog")
        run_tool("npu-run", folder / "p.npuprog", "--input", folder / "x.npy", "--output", folder, "--quiet")
        self._memory = np.load(folder / "y.npy").tobytes()

    def get(self, place: Place) -> Array:
        """The results at a place (offset, number of elements, element type) after the run."""
        offset, count, dtype = place
        return np.frombuffer(self._memory, NUMPY[dtype], count, offset - RESULTS)

    def expect(self, name: str, place: Place, values: Array) -> None:
        """What `check` compares with the results at a place."""
        self._expected.append((name, place, values))

    def check(self, folder: Path) -> None:
        """Run and name every expectation that does not hold, to the bit."""
        self.run(folder)
        assert self._expected
        assert [name for name, place, values in self._expected if not equal(self.get(place), values)] == []
