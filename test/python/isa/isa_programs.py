# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that can be encoded: every field and type from the description, none by name.

The programs need not run: addresses, strides and numbers take any value that their field holds.
"""

from __future__ import annotations

import random
from typing import Any

LOW, HIGH = -(1 << 63), (1 << 63) - 1
LOOPS = 16  # the deepest nest that the encoding has
WORDS = ("i8", "i16", "i32")
FLOATS = ("f16", "bf16", "f32")
STORED = ("f8e4m3", "f8e5m2")
BITS = {"b8": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f8e4m3": 8, "f8e5m2": 8}
CMPF = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
CMPI = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
UNSIGNED = {"i8": "u8", "i16": "u16", "i32": "u32"}
REGIONS = (
    '<input, "x", 4096 bytes, f32, [32, 32]>',
    '<output, "y", 0 bytes, f8e4m3, [0]>',
    '<constant, "w", 16 bytes, f8e5m2, [16], dense<1.5> : tensor<16xf8E5M2>>',
    '<constant, "ids", 8 bytes, u32, [2], dense<[3, 1]> : tensor<2xi32>>',
    '<arena, "arena", 9223372036854775807 bytes, b8, []>',
    '<state, "cache", 18446744073709551615 bytes, i64, [1, 2, 3]>',
)


def casts(mnemonic: str) -> list[tuple[str, str]]:
    """The pairs (from, to) of types that a conversion takes."""
    integers = ("b8", *WORDS, "i64")
    floats = (*FLOATS, *STORED)
    pairs = {
        "extsi": [(a, b) for a in integers for b in WORDS if BITS[b] > BITS[a]],
        "trunci": [(a, b) for a in integers for b in ("b8", *WORDS) if BITS[b] < BITS[a]],
        "sitofp": [(a, b) for a in integers for b in FLOATS],
        "fptosi": [(a, b) for a in FLOATS for b in WORDS],
        "extf": [(a, b) for a in floats for b in floats if BITS[b] > BITS[a]],
        "truncf": [(a, b) for a in floats for b in floats if BITS[b] < BITS[a]],
        "bitcast": [(a, b) for a in (*WORDS, *floats) for b in (*WORDS, *floats) if BITS[a] == BITS[b]],
    }
    pairs |= {"extui": pairs["extsi"], "uitofp": pairs["sitofp"], "fptoui": pairs["fptosi"]}
    return pairs[mnemonic]


def signatures(op: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    """Result type, immediate and operand types of each way to use a micro operation."""
    logic = ("b8", *WORDS) if op.mnemonic in ("andi", "ori", "xori") else WORDS
    match op.form:
        case "leaf":
            types = {"iota": ("i32",), "current": ("b8", *WORDS, *FLOATS, *STORED)}.get(op.mnemonic, tuple(BITS))
            return [(t, "0", ()) for t in types]
        case "float_unary" | "float_binary" | "float_ternary":
            count = {"float_unary": 1, "float_binary": 2, "float_ternary": 3}[op.form]
            return [(t, "", (t,) * count) for t in FLOATS]
        case "int_unary" | "int_binary":
            return [(t, "", (t,) * (1 + (op.form == "int_binary"))) for t in logic]
        case "cmpf":
            return [("b8", p, (t, t)) for p in CMPF for t in FLOATS]
        case "cmpi":
            return [("b8", p, (t, t)) for p in CMPI for t in ("b8", *WORDS)]
        case "select":
            return [(t, "", ("b8", t, t)) for t in BITS if t != "i64"]
        case "cast":
            return [(to, "", (source,)) for source, to in casts(op.mnemonic)]
    raise AssertionError(f"form '{op.form}' of '{op.mnemonic}' is new: say here which types it takes")


class ProgramWriter:
    """Writes one npuisa.program with everything that the description has."""

    def __init__(self, description: Any, seed: int) -> None:
        self.description = description
        self.random = random.Random(seed)
        self.depth = 0
        self.micros: list[tuple[str, list[str]]] = []

    # --- fields -------------------------------------------------------------

    def integer(self, low: int, high: int) -> int:
        """A bound in one case of three."""
        return self.random.choice([low, high, *(self.random.randint(low, high) for _ in range(4))])

    def address(self) -> str:
        """Any space, any offset, terms of the loops around."""
        space = self.random.choice(["sram", "acc", f"dram {self.random.randrange(len(REGIONS))}"])
        parts = [str(self.integer(LOW, HIGH))]
        for _ in range(self.random.choice([0, 1, 2, 8]) if self.depth else 0):
            modulus = self.random.choice(["", "", f" mod {self.random.randint(1, 65535)}", " mod 65535"])
            parts.append(f"{self.integer(LOW, HIGH)} * l{self.random.randrange(self.depth)}{modulus}")
        return f"{space}[{', '.join(parts)}]"

    def numbers(self, kind: str, rank: int) -> str:
        """Extents are not negative, strides anything."""
        return str([self.integer(0 if kind == "extents" else LOW, HIGH) for _ in range(rank)])

    def field(self, f: Any, rank: int, variant: int) -> str:
        """The text of a field; variants 0 and 1 have all numbers at their lower and upper bounds."""
        if f.kind in ("u8", "u16", "u32", "u64", "i32", "i64"):
            low, high = (f.minimum, f.maximum) if f.minimum != f.maximum else (LOW, HIGH)
            if f.name == "element_bytes":
                return str(self.random.choice([1, 2, 4, 8]) if variant > 1 else (low, high)[variant])
            return str((low, high)[variant] if variant < 2 else self.integer(low, high))
        if f.kind == "address":
            return self.address()
        if f.kind == "dtype":
            return str(f.types[variant % len(f.types)])
        if f.kind in ("extents", "strides"):
            return self.numbers(f.kind, rank)
        raise AssertionError(f"field kind '{f.kind}' is new: say here how to make one")

    def syncs(self) -> str:
        """Up to two waits and signals."""
        out = ""
        for keyword in ("waits", "signals"):
            pairs = [f"{self.integer(0, 255)}:{self.integer(1, 255)}" for _ in range(self.random.randrange(3))]
            out += f" {keyword} [{', '.join(pairs)}]" if pairs else ""
        return out

    # --- lines --------------------------------------------------------------

    def micro(self, op: Any, signature: tuple[str, str, tuple[str, ...]]) -> list[str]:
        """A microprogram that uses the operation in one way; its operands' types are noted."""
        result, immediate, operands = signature
        name = f"m{len(self.micros)}"
        types = [self.random.choice([t, UNSIGNED.get(t, t)]) for t in operands]
        leaves = [f"r{i} = input {t} {i}" for i, t in enumerate(operands)]
        if op.mnemonic == "input":
            types = [result]
        elif op.mnemonic == "const":
            immediate = f"0x{self.random.getrandbits(BITS[result] if result != 'b8' else 8):X}"
        registers = ", ".join(f"r{i}" for i in range(len(operands)))
        parts = [f"r{len(operands)} =", op.mnemonic, result, immediate, registers]
        body = [*leaves, " ".join(p for p in parts if p)]
        outputs = "" if result == "i64" else f"r{len(operands)}"
        self.micros.append((name, [*types, *([result] if outputs else [])]))
        return [f"npuisa.micro @{name} inputs {len(types)} {{", *body, f"}} outputs [{outputs}]"]

    def instruction(self, inst: Any, variant: int) -> str:
        """One instruction on one of its queues."""
        lists = [f for f in inst.fields if f.kind in ("extents", "strides")]
        most = min((f.maximum for f in lists), default=6)
        rank = (0, most)[variant] if variant < 2 else self.random.randint(0, most)
        queue = f" on {self.random.choice(inst.queues)}" if len(inst.queues) > 1 else ""
        wanted = [f.types[variant % len(f.types)] for f in inst.fields if f.kind == "operands"]
        name, operands = self.random.choice([m for m in self.micros if set(wanted) <= set(m[1])])
        if any(f.name == "reduction_mask" for f in inst.fields) or inst.mnemonic == "drain":
            rank = max(rank, 1)  # an iota needs its dimension
        parts = []
        for f in inst.fields:
            if f.kind == "micro":
                text = f"@{name}"
            elif f.kind == "operands":
                strides = [self.numbers("strides", rank) for _ in operands]
                text = f"({', '.join(f'{self.address()} {t} {s}' for t, s in zip(operands, strides, strict=True))})"
            else:
                text = self.field(f, rank, variant)
            parts.append(f"{f.name} = {text}")
        syncs = "" if inst.queues == ("ctl",) else self.syncs()
        return f"npuisa.{inst.mnemonic}{queue} {' '.join(parts)}{syncs}".rstrip()

    def write(self, variants: int) -> str:
        """The program: every way to use every micro operation, `variants` of every instruction, a full loop nest."""
        lines = [f"npuisa.program @p regions [{', '.join(REGIONS)}] {{"]
        for op in self.description.micro_ops:
            for signature in signatures(op):
                lines += self.micro(op, signature)
        structure = ("halt", "loop_begin", "loop_end")
        todo = [i for i in self.description.instructions if i.mnemonic not in structure]
        for variant in range(variants):
            lines += [self.instruction(inst, variant) for inst in todo]
            if variant < LOOPS:
                lines.append(f"npuisa.loop count({(1, 2147483647, 3)[variant % 3]}) {{")
                self.depth += 1
        return "\n".join([*lines, *["}"] * self.depth, "npuisa.halt", "}", ""])
