# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions without a microprogram (dma, gather, scatter, sort, matrix) at odd values, against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from isa_description import description
from isa_device import NUMPY, Array, Device, Place
from test_isa_operations import floats, fma, integers

INDEX = {"i32": np.int32, "i64": np.int64}


def bits_of(dtype: str, shape: tuple[int, ...], seed: int) -> Array:
    """Random bits of a type; with few different values in the integers, so that there are equal ones."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(NUMPY[dtype])
    raw = generator.integers(0, 256, (*shape, kind.itemsize), np.uint8)
    if kind.kind in "iu":
        raw[...] = np.where(generator.random(raw.shape) < 0.7, generator.choice([0, 1, 127, 128, 255], raw.shape), raw)
    return raw.view(kind)[..., 0]


def place_of(device: Device, dtype: str, count: int) -> Place:
    """Room for results."""
    return device.room(count * np.dtype(NUMPY[dtype]).itemsize), count, dtype


# --- dma -------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_copies_and_fills(size: int, tmp_path: Path) -> None:
    """A transpose, a reversal, a broadcast, an empty copy and a strided fill."""
    device = Device()
    x = np.arange(60 * size, dtype=np.uint8).reshape(3, 4, 5, size)
    source = device.put(x)
    walks = [
        ((5, 3, 4), (size, 20 * size, 5 * size), 0, x.transpose(2, 0, 1, 3)),
        ((60,), (-size,), 59 * size, x.reshape(60, size)[::-1]),
        ((2, 4), (0, 5 * size), 7 * size, np.stack([x.reshape(60, size)[7::5][:4]] * 2)),
        ((), (), 3 * size, x.reshape(60, size)[3:4]),
    ]
    for shape, strides, first, expected in walks:
        dense = [int(np.prod(shape[d + 1 :])) * size for d in range(len(shape))]
        place = place_of(device, "u8", expected.size)
        device.step(
            f"npuisa.dma_cp on st dst = sram[{place[0]}] dst_strides = {dense} src = sram[{source + first}] "
            f"src_strides = {list(strides)} shape = {list(shape)} element_bytes = {size}"
        )
        device.expect(f"copy {shape}", place, expected.ravel())
    place = place_of(device, "u8", 12 * size)
    fill = "npuisa.dma_fill on ld dst = sram[{}] dst_strides = [{}, {}] shape = [{}, 3] element_bytes = {} value = {}"
    device.step(fill.format(place[0], size, 4 * size, 4, size, -2))
    device.step(fill.format(place[0], 8 * size, size, 1, size, 0x0123456789ABCDEF))
    device.step(fill.format(place[0], size, size, 0, size, 7))
    element = np.array([0x0123456789ABCDEF, -2 & ((1 << 64) - 1)], np.uint64).view(np.uint8).reshape(2, 8)[:, :size]
    device.expect("fill", place, element[[0] * 3 + [1] * 9].ravel())
    device.check(tmp_path)


@pytest.mark.parametrize("index", INDEX)
def test_rows_by_indices(index: str, tmp_path: Path) -> None:
    """dma_scatter writes the output's rows, dma_gather reads them back in another order; rows of 0 to 24 bytes."""
    device = Device()
    for row in (0, 1, 3, 24):
        rows = bits_of("u8", (7, 24), row)
        targets = np.array([4, 0, 4, 2, 8, 0, 4], INDEX[index])
        table = np.zeros((9, row), np.uint8)
        place = place_of(device, "u8", 9 * 24)
        region = place[0] - (4 << 20)
        # The table is in the output region; what is there in the end comes from SRAM, so it is gathered to SRAM.
        space = f"dst_strides = [1] shape = [{9 * 24}] element_bytes = 1"
        device.step(f"npuisa.dma_fill on st dst = dram 1[{region}] {space} value = 0")
        table_text = f"table = dram 1[{region}] table_rows = 9 table_stride = {row}"
        device.step(
            f"npuisa.dma_scatter {table_text} src = sram[{device.put(rows)}] src_stride = 24 row_bytes = {row} "
            f"indices = sram[{device.put(targets)}] index_dtype = {index} count = 7"
        )
        for source, target in enumerate(targets):
            table[target] = rows[source, :row]
        order = np.array([8, 4, 4, 0, 1], INDEX[index])
        gathered = place_of(device, "u8", 5 * row)
        device.step(
            f"npuisa.dma_gather dst = sram[{gathered[0]}] dst_stride = {row} {table_text} "
            f"row_bytes = {row} indices = sram[{device.put(order)}] index_dtype = {index} count = 5"
        )
        device.expect(f"rows of {row}", gathered, table[order].ravel())
    device.check(tmp_path)


# --- vector ----------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_elements_by_indices(size: int, tmp_path: Path) -> None:
    """GatherElements along each axis of a 3-d table."""
    device = Device()
    x = bits_of("u8", (4, 5, 6, size), size)
    table = device.put(x)
    strides = [30 * size, 6 * size, size]
    for axis, name in ((0, "i32"), (1, "i64"), (2, "i32")):
        shape = [3, 5, 2]
        indices = np.random.default_rng(axis).integers(0, x.shape[axis], shape).astype(INDEX[name])
        shape = [min(s, x.shape[d]) if d != axis else s for d, s in enumerate(shape)]
        width = indices.itemsize
        place = place_of(device, "u8", int(np.prod(shape)) * size)
        moving = [0 if d == axis else s for d, s in enumerate(strides)]
        device.step(
            f"npuisa.v_gather dst = sram[{place[0]}] dst_strides = {[10 * size, 2 * size, size]} table = sram[{table}] "
            f"table_strides = {moving} table_rows = {x.shape[axis]} table_stride = {strides[axis]} "
            f"indices = sram[{device.put(indices)}] index_strides = {[10 * width, 2 * width, width]} "
            f"index_dtype = {name} shape = {shape} element_bytes = {size}"
        )
        part = x[tuple(slice(None) if d == axis else slice(shape[d]) for d in range(3))]
        expected = np.take_along_axis(part, indices[..., None].astype(np.int64), axis)
        device.expect(f"axis {axis}", place, expected.ravel())
    device.check(tmp_path)


def sort_types() -> tuple[str, ...]:
    """The element types that v_sort takes."""
    inst = next(i for i in description().instructions if i.mnemonic == "v_sort")
    return next(f.types for f in inst.fields if f.name == "dtype")


def order_of(values: Array, descending: bool) -> Array:
    """Stable order with NaN as the largest value; of equal ones the first comes first in both directions."""
    keys = values.astype(np.float64)
    if not descending:
        return np.argsort(keys, axis=-1, kind="stable")
    flipped = np.argsort(keys[..., ::-1], axis=-1, kind="stable")
    return values.shape[-1] - 1 - flipped[..., ::-1]


def test_sort_of_every_type(tmp_path: Path) -> None:
    device = Device()
    for dtype in sort_types():
        size = np.dtype(NUMPY[dtype]).itemsize
        odd = floats(dtype) if NUMPY[dtype] not in INDEX.values() and "f" in dtype else integers(8 * size)
        rows, n = 3, 2 * odd.size + 5
        with np.errstate(all="ignore"):
            known = np.resize(np.random.default_rng(5).permutation(odd), (rows, n - 5)).astype(NUMPY[dtype])
        x = np.concatenate([known, bits_of(dtype, (rows, 5), 6)], axis=1)
        source = device.put(x)
        for descending in (0, 1):
            for k, results in ((n, 3), (4, 1), (1, 2), (0, 3)):
                values, positions = place_of(device, dtype, rows * k), place_of(device, "i32", rows * k)
                dst = (
                    f"sram[{values[0]}] dst_strides = {[k * size, size]}"
                    if results & 1
                    else "sram[0] dst_strides = [0, 0]"
                )
                idx = (
                    f"sram[{positions[0]}] index_strides = {[4 * k, 4]}"
                    if results & 2
                    else "sram[0] index_strides = [0, 0]"
                )
                device.step(
                    f"npuisa.v_sort dst = {dst} indices = {idx} src = sram[{source}] src_strides = {[n * size, size]} "
                    f"dtype = {dtype} shape = {[rows, n]} k = {k} descending = {descending} results = {results}"
                )
                order = order_of(x, bool(descending))[:, :k]
                name = f"{dtype} k {k} descending {descending}"
                if results & 1:
                    device.expect(name, values, np.take_along_axis(x, order, 1).ravel())
                if results & 2:
                    device.expect(f"{name} positions", positions, order.astype(np.int32).ravel())
    device.check(tmp_path)


# --- matrix ----------------------------------------------------------------


def multiply(device: Device, a: Array, weights: str, k: int, n: int, dtype: str, zero: int, sums: str) -> Place:
    """Clear, load (the fields of `weights`), multiply the rows of `a`, and drain; returns the place of the sums."""
    rows = a.shape[0]
    place = place_of(device, sums, rows * n)
    micro = device.micro(1, [f"r0 = input {sums} 0"], "r0")
    device.step(f"npuisa.mm_clear acc = acc[0] shape = [{rows * n}] strides = [4]")
    device.step(f"npuisa.mm_load_w {weights}")
    device.step(
        f"npuisa.mm_exec src = sram[{device.put(a)}] dtype = {dtype} rows = [{rows}] row_strides = [{k * a.itemsize}] "
        f"k = {k} k_stride = {a.itemsize} zero_point = {zero} acc = acc[0] acc_strides = [{4 * n}] n = {n}"
    )
    device.step(
        f"npuisa.drain micro = {micro} shape = [{rows * n}] operands = (acc[0] {sums} [4], sram[{place[0]}] {sums} [4])"
    )
    return place


@pytest.mark.parametrize("dtype", ["i8", "u8", "i4", "u4"])
def test_integer_products(dtype: str, tmp_path: Path) -> None:
    """All pairs of signedness, zero points, and for packed weights both directions of packing, with odd extents."""
    device = Device()
    packed = dtype in ("i4", "u4")
    low, high = {"i8": (-128, 127), "u8": (0, 255), "i4": (-8, 7), "u4": (0, 15)}[dtype]
    for k, n in ((1, 1), (5, 7), (31, 32), (32, 31), (17, 2)):
        w = np.random.default_rng(k).integers(low, high + 1, (k, n))
        w[0, 0], w[-1, -1] = low, high
        for along_n in (True, False):
            lines = w if along_n else w.T
            pitch = (lines.shape[1] + 1) // 2 if packed else lines.shape[1]
            memory = lines.astype(np.uint8)
            if packed:
                memory = np.pad(memory & 15, ((0, 0), (0, 2 * pitch - lines.shape[1])))
                memory = memory[:, 0::2] | memory[:, 1::2] << 4
            line = pitch * (2 if packed else 1)
            k_stride, n_stride = (line, 1) if along_n else (1, line)
            if k_stride == n_stride:
                k_stride = 2
            for activation, za, zw in (("i8", -128, high), ("u8", 255, low), ("i8", 0, 0), ("u8", 65535, -32768)):
                a = np.random.default_rng(n).integers(*{"i8": (-128, 128), "u8": (0, 256)}[activation], (4, k))
                fields = f"src = sram[{device.put(memory)}] dtype = {dtype} k = {k} n = {n} "
                fields += f"k_stride = {k_stride} n_stride = {n_stride} zero_point = {zw}"
                place = multiply(device, a.astype(NUMPY[activation]), fields, k, n, activation, za, "i32")
                exact = ((a - za) @ (w - zw)) & 0xFFFFFFFF
                device.expect(f"{activation} {k}x{n} {along_n}", place, exact.astype(np.uint32).view(np.int32).ravel())
    device.check(tmp_path)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
def test_float_products(dtype: str, tmp_path: Path) -> None:
    """k ascending, one rounding a step, also through infinities, NaN, subnormal numbers and cancellation."""
    device = Device()
    generator = np.random.default_rng(7)
    odd = floats(dtype)
    for k in (1, 3, 16):
        a = generator.choice(odd, (40, k)) if k < 16 else generator.normal(size=(40, k)).astype(np.float32)
        w = generator.choice(odd, (k, 32)) if k < 16 else generator.normal(size=(k, 32)).astype(np.float32)
        a, w = (v.astype(NUMPY[dtype]) for v in (a, w))
        fields = f"src = sram[{device.put(w)}] dtype = {dtype} k = {k} n = 32 k_stride = {32 * w.itemsize} "
        fields += f"n_stride = {w.itemsize} zero_point = 0"
        place = multiply(device, a, fields, k, 32, dtype, 0, "f32")
        sums = np.zeros((40, 32), np.float32)
        with np.errstate(all="ignore"):
            for i in range(k):
                column, row = a[:, i : i + 1].astype(np.float32), w[i : i + 1].astype(np.float32)
                sums = fma(np.broadcast_to(column, sums.shape), np.broadcast_to(row, sums.shape), sums)
        device.expect(f"k {k}", place, sums.ravel())
    device.check(tmp_path)
