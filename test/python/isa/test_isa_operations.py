# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every micro operation on every type at odd values, against numpy: the definitions of docs/numerics.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from isa_description import description
from isa_device import FLOATS, NUMPY, STORED, Array, Device
from isa_programs import BITS, CMPF, CMPI, UNSIGNED, WORDS, casts

# Their bits are in docs/numerics.md, their errors are tested by the unit tests of the simulator.
FUNCTIONS = {"rsqrt", "exp", "exp2", "expm1", "log", "log1p", "tanh", "erf", "sin", "cos", "pow"}


def integers(bits: int) -> Array:
    """Odd values of a width, as int64."""
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    odd = [0, 1, -1, 2, -2, 3, 7, -7, 8, 15, 16, 31, 32, 100, -100, low, low + 1, high, high - 1, low // 2, high // 3]
    return np.array([v for v in odd if low <= v <= high], np.int64)


def floats(dtype: str) -> Array:
    """Odd values of a type, as f32."""
    odd = [
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754942e-38,
        6e-8, 1e-8, 1.0000001, 0.99999994, 65504, 65520, 448, 464, 465, 480, 57344, 61440, 3.4028235e38, -3.4028235e38,
        2.0**31, 2.0**32, -(2.0**31), 2.0**16, 255.5, 127.9, -128.5, 32767.5, 0.49999997, 8388609.0, 1 / 3,
        2.0**-9, 2.0**-17,
    ]  # fmt: skip
    bits = np.random.default_rng(1).integers(0, 1 << 32, 20, np.uint32)
    values = np.concatenate([np.array(odd, np.float32), bits.view(np.float32)])
    with np.errstate(all="ignore"):
        return values.astype(NUMPY[dtype]).astype(np.float32)


def pairs(values: Array) -> tuple[Array, Array]:
    """All pairs of two values."""
    a, b = np.meshgrid(values, values, indexing="ij")
    return a.ravel(), b.ravel()


def integer_result(operation: str, bits: int, a: int, b: int) -> int:
    """The definition on numbers; the caller keeps the low bits."""
    mask = (1 << bits) - 1
    ua, ub = a & mask, b & mask
    quotient = 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    results: dict[str, Callable[[], int]] = {
        "addi": lambda: a + b, "subi": lambda: a - b, "muli": lambda: a * b,
        "divsi": lambda: -1 if b == 0 else quotient, "remsi": lambda: a if b == 0 else a - quotient * b,
        "divui": lambda: -1 if b == 0 else ua // ub, "remui": lambda: a if b == 0 else ua % ub,
        "maxsi": lambda: max(a, b), "minsi": lambda: min(a, b),
        "maxui": lambda: max(ua, ub), "minui": lambda: min(ua, ub),
        "andi": lambda: a & b, "ori": lambda: a | b, "xori": lambda: a ^ b,
        "shli": lambda: 0 if ub >= bits else a << ub, "shrui": lambda: 0 if ub >= bits else ua >> ub,
        "shrsi": lambda: a >> min(ub, bits - 1), "absi": lambda: abs(a),
    }  # fmt: skip
    return results[operation]()


def fma(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of f32 with one rounding: rounding the binary64 sum to odd makes a second rounding harmless."""
    product = a.astype(np.float64) * b.astype(np.float64)
    other = c.astype(np.float64)
    total = product + other
    part = total - product
    error = (product - (total - part)) + (other - part)
    even = (total.view(np.int64) & 1) == 0
    inexact = np.isfinite(total) & np.isfinite(error) & (error != 0)
    odd = np.nextafter(total, np.where(error > 0, np.inf, -np.inf))
    return np.where(inexact & even, odd, total).astype(np.float32)


def extreme(a: Array, b: Array, larger: bool) -> Array:
    """maximumf and minimumf: NaN wins, and +0 is greater than -0."""
    first = np.where(a == b, np.signbit(a) != larger, (a > b) == larger)
    return np.where(np.isnan(a) | np.isnan(b), np.float32(np.nan), np.where(first, a, b))


def away(a: Array) -> Array:
    """Nearest integer, ties away from zero."""
    return np.copysign(np.floor(np.abs(a.astype(np.float64)) + 0.5), a).astype(np.float32)


FLOAT_RESULTS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "addf": lambda a, b, c: a + b, "subf": lambda a, b, c: a - b, "mulf": lambda a, b, c: a * b,
    "divf": lambda a, b, c: a / b, "remf": lambda a, b, c: np.fmod(a, b), "fma": fma,
    "maximumf": lambda a, b, c: extreme(a, b, True), "minimumf": lambda a, b, c: extreme(a, b, False),
    "maxnumf": lambda a, b, c: np.where(np.isnan(a), b, np.where(np.isnan(b), a, extreme(a, b, True))),
    "minnumf": lambda a, b, c: np.where(np.isnan(a), b, np.where(np.isnan(b), a, extreme(a, b, False))),
    "copysign": lambda a, b, c: np.copysign(a, b), "negf": lambda a, b, c: -a, "absf": lambda a, b, c: np.abs(a),
    "sqrt": lambda a, b, c: np.sqrt(a), "floor": lambda a, b, c: np.floor(a), "ceil": lambda a, b, c: np.ceil(a),
    "roundeven": lambda a, b, c: np.rint(a), "round": lambda a, b, c: away(a), "trunc": lambda a, b, c: np.trunc(a),
}  # fmt: skip


def test_every_operation_is_compared() -> None:
    known = {*FLOAT_RESULTS, *FUNCTIONS}
    for op in description().micro_ops:
        if op.form.startswith("float"):
            assert op.mnemonic in known, f"say here what '{op.mnemonic}' computes"
        elif op.form.startswith("int"):
            integer_result(op.mnemonic, 8, 1, 1)


def test_integer_operations(tmp_path: Path) -> None:
    device = Device()
    for op in description().micro_ops:
        if not op.form.startswith("int"):
            continue
        for dtype in WORDS:
            a, b = pairs(integers(BITS[dtype]))
            mask = (1 << BITS[dtype]) - 1
            numbers = zip(a.tolist(), b.tolist(), strict=True)
            exact = [integer_result(op.mnemonic, BITS[dtype], x, y) & mask for x, y in numbers]
            result = np.array(exact, NUMPY[UNSIGNED[dtype]]).view(NUMPY[dtype])
            # Signed or unsigned elements are the same bits.
            for memory in (dtype, UNSIGNED[dtype]):
                arrays = [v.astype(NUMPY[dtype]) for v in ((a, b) if op.form == "int_binary" else (a,))]
                place = device.apply(op.mnemonic, dtype, [memory] * len(arrays), arrays)
                device.expect(f"{op.mnemonic} {memory}", place, result)
    for name in ("andi", "ori", "xori"):
        a, b = pairs(np.array([0, 1, 2, 255], np.uint8))
        exact_b8 = [integer_result(name, 1, int(x != 0), int(y != 0)) for x, y in zip(a, b, strict=True)]
        device.expect(f"{name} b8", device.apply(name, "b8", ["b8", "b8"], [a, b]), np.array(exact_b8, np.uint8))
    device.check(tmp_path)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_operations(dtype: str, tmp_path: Path) -> None:
    device = Device()
    values = floats(dtype)
    a, b = pairs(values)
    c = np.random.default_rng(2).permutation(np.resize(values, a.size))
    forms = {op.mnemonic: op.form for op in description().micro_ops}
    for name, reference in FLOAT_RESULTS.items():
        operands = [a, b, c][: {"float_unary": 1, "float_binary": 2, "float_ternary": 3}[forms[name]]]
        place = device.apply(name, dtype, [dtype] * len(operands), [v.astype(NUMPY[dtype]) for v in operands])
        with np.errstate(all="ignore"):
            device.expect(name, place, reference(a, b, c).astype(np.float32).astype(NUMPY[dtype]))
    device.check(tmp_path)


def test_comparisons(tmp_path: Path) -> None:
    device = Device()
    for dtype in FLOATS:
        a, b = pairs(floats(dtype))
        unordered = np.isnan(a) | np.isnan(b)
        constant = {"false": unordered & False, "ord": ~unordered, "uno": unordered, "true": unordered | True}
        ordered = {"eq": a == b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b, "ne": a != b}
        for predicate in CMPF:
            if predicate in constant:
                result = constant[predicate]
            elif predicate[0] == "o":
                result = ordered[predicate[1:]] & ~unordered
            else:
                result = ordered[predicate[1:]] | unordered
            place = device.apply("cmpf", "b8", [dtype] * 2, [v.astype(NUMPY[dtype]) for v in (a, b)], predicate)
            device.expect(f"{predicate} {dtype}", place, result.astype(np.uint8))
    for dtype in ("b8", *WORDS):
        bits = BITS[dtype]
        a, b = pairs(integers(bits) if bits > 1 else np.array([0, 1]))
        # A truth value is one bit, so that true is -1 when it is signed.
        sa, sb = (a, b) if bits > 1 else (-a, -b)
        ua, ub = (v & ((1 << bits) - 1) for v in (a, b))
        for predicate in CMPI:
            x, y = (ua, ub) if predicate[0] == "u" else (sa, sb)
            truth = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[predicate[-2:]]
            place = device.apply("cmpi", "b8", [dtype] * 2, [v.astype(NUMPY[dtype]) for v in (a, b)], predicate)
            device.expect(f"{predicate} {dtype}", place, truth.astype(np.uint8))
    condition = np.array([0, 1, 2, 255, 0, 1], np.uint8)
    for dtype in BITS:
        if dtype != "i64":
            size = np.dtype(NUMPY[dtype]).itemsize
            raw = np.random.default_rng(3).integers(0, 2 if dtype == "b8" else 120, (2, 6 * size), np.uint8)
            x, y = (v.view(NUMPY[dtype]) for v in raw)
            place = device.apply("select", dtype, ["b8", dtype, dtype], [condition, x, y])
            device.expect(f"select {dtype}", place, np.where(condition, x, y))
    device.check(tmp_path)


def cast_result(operation: str, source: str, to: str, values: Array) -> Array:
    """The definition of a conversion. `values` is int64 or f32; the result has the memory type."""
    bits = BITS[source]
    match operation:
        case "extsi" | "trunci":
            signed = -values if source == "b8" else values
            return (values & 1).astype(np.uint8) if to == "b8" else signed.astype(NUMPY[to])
        case "extui":
            return (values & ((1 << bits) - 1)).astype(NUMPY[to])
        case "sitofp" | "uitofp":
            numbers: Any = -values if source == "b8" and operation == "sitofp" else values
            if operation == "uitofp":
                numbers = values.view(np.uint64) if bits == 64 else values & ((1 << bits) - 1)
            return numbers.astype(np.float32).astype(NUMPY[to])
        case "fptosi" | "fptoui":
            width = BITS[to]
            low = -(1 << (width - 1)) if operation == "fptosi" else 0
            finite = np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=1e300, neginf=-1e300)
            exact = np.clip(np.trunc(finite), low, low + (1 << width) - 1)
            return (exact.astype(np.int64) & ((1 << width) - 1)).astype(NUMPY[UNSIGNED[to]]).view(NUMPY[to])
        case "extf" | "truncf":
            return values.astype(NUMPY[source]).astype(np.float32).astype(NUMPY[to])
    raise AssertionError(f"say here what '{operation}' computes")


def test_conversions(tmp_path: Path) -> None:
    device = Device()
    for op in description().micro_ops:
        if op.form != "cast" or op.mnemonic == "bitcast":
            continue
        for source, to in casts(op.mnemonic):
            is_float = source in (*FLOATS, *STORED)
            values = floats(source) if is_float else integers(BITS[source]) if source != "b8" else np.array([0, 1])
            place = device.apply(op.mnemonic, to, [source], [values.astype(NUMPY[source])])
            with np.errstate(all="ignore"):
                device.expect(f"{op.mnemonic} {source} {to}", place, cast_result(op.mnemonic, source, to, values))
    for source, to in casts("bitcast"):
        raw = np.arange(0x3001, 0x3001 + 64, dtype=np.uint16).view(np.uint8).view(NUMPY[source])
        device.expect(f"bitcast {source} {to}", device.apply("bitcast", to, [source], [raw]), raw.view(NUMPY[to]))
    device.check(tmp_path)


def test_all_eight_bit_floats(tmp_path: Path) -> None:
    """All codes on load; on store all halves, all bfloats, and ties with their neighbours."""
    device = Device()
    wide = {
        "f16": np.arange(1 << 16, dtype=np.uint16).view(np.float16),
        "bf16": np.arange(1 << 16, dtype=np.uint16).view(NUMPY["bf16"]),
    }
    for small in STORED:
        codes = np.arange(256, dtype=np.uint8).view(NUMPY[small])
        numbers = codes.astype(np.float32)
        numbers = np.unique(np.abs(numbers[np.isfinite(numbers)]))
        edges = [464, 480, 61440, 65536, 2.0**-10, 2.0**-17]
        ties = np.concatenate([numbers, (numbers[1:] + numbers[:-1]) / 2, edges]).astype(np.float32)
        around = np.concatenate([ties, np.nextafter(ties, np.float32(np.inf)), np.nextafter(ties, np.float32(-np.inf))])
        random = np.random.default_rng(4).integers(0, 1 << 32, 50000, np.uint32).view(np.float32)
        wide["f32"] = np.concatenate([around, -around, random, wide["f16"].astype(np.float32)])
        for large, values in wide.items():
            place = device.apply("extf", large, [small], [codes])
            device.expect(f"{small} to {large}", place, codes.astype(np.float32).astype(NUMPY[large]))
            with np.errstate(all="ignore"):
                narrowed = values.astype(np.float32).astype(NUMPY[small])
            device.expect(f"{large} to {small}", device.apply("truncf", small, [large], [values]), narrowed)
    device.check(tmp_path)
