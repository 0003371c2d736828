# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text, program file, disassembly and text again are the same to the letter, for programs that use everything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isa_description import ROOT, description, run_tool
from isa_programs import ProgramWriter

VARIANTS = 18  # two at the bounds, and enough for a full loop nest


def program_text(module: bytes) -> str:
    """The npuisa.program of a module, without the target and the indentation of what is around it."""
    text = module.decode()
    lines = text[text.index("npuisa.program") :].splitlines()
    return "\n".join(line.strip() for line in lines).rstrip("}\n ")


@pytest.mark.parametrize("seed", range(4))
def test_text_file_and_disassembly_agree(seed: int, tmp_path: Path) -> None:
    source = tmp_path / "p.mlir"
    source.write_text(ProgramWriter(description(), seed).write(VARIANTS))

    def translate(name: str, direction: str, result: str) -> Path:
        run_tool("npu-translate", tmp_path / name, direction, "-o", tmp_path / result)
        return tmp_path / result

    binary = translate("p.mlir", "--npuisa-to-binary", "a.npuprog").read_bytes()
    decoded = translate("a.npuprog", "--binary-to-npuisa", "a.mlir").read_bytes()
    assert program_text(decoded) == program_text(run_tool("npu-opt", source))
    assert translate("a.mlir", "--npuisa-to-binary", "b.npuprog").read_bytes() == binary
    assembly = translate("a.mlir", "--npuisa-to-asm", "a.s").read_bytes()
    assert translate("p.mlir", "--npuisa-to-asm", "b.s").read_bytes() == assembly
    assert translate("a.s", "--asm-to-npuisa", "c.mlir").read_bytes() == decoded
    assert translate("c.mlir", "--npuisa-to-binary", "c.npuprog").read_bytes() == binary
    generic = run_tool("npu-opt", source, "--mlir-print-op-generic")
    (tmp_path / "g.mlir").write_bytes(generic)
    assert translate("g.mlir", "--npuisa-to-binary", "g.npuprog").read_bytes() == binary


def test_programs_cover_the_instruction_set(tmp_path: Path) -> None:
    """What is in no random program would be a gap in the test above."""
    isa = description()
    source = tmp_path / "p.mlir"
    source.write_text(ProgramWriter(isa, 0).write(VARIANTS))
    assembly = run_tool("npu-translate", source, "--npuisa-to-asm").decode()
    used = {line.split()[0].split(".")[0] for line in assembly.splitlines() if line.split()}
    missing = sorted({i.mnemonic for i in isa.instructions} - used)
    assert not missing, f"instructions in no program: {missing}"
    operations = {m[1] for m in re.finditer(r"%\d+ = (\w+) ", assembly)}
    assert operations == {m.mnemonic for m in isa.micro_ops}
    queues = {(i.mnemonic, q) for i in isa.instructions if len(i.queues) > 1 for q in i.queues}
    assert queues <= {tuple(m[1].split(".")) for m in re.finditer(r"^\s*(\w+\.\w+) ", assembly, re.MULTILINE)}
    for inst in isa.instructions:
        mine = [line for line in assembly.splitlines() if re.match(rf"\s*{inst.mnemonic}\b", line)]
        for f in inst.fields:
            values = {m[1] for line in mine for m in re.finditer(rf"\b{f.name}=(\S+)", line)}
            if f.kind == "dtype":
                assert values == set(f.types), f"{inst.mnemonic}.{f.name}"
            elif f.kind == "operands":
                types = {m[1] for line in mine for m in re.finditer(r"\]:(\w+):", line)}
                assert types == set(f.types), f"{inst.mnemonic}.{f.name}"
            elif f.kind[0] in "ui" and f.minimum != f.maximum:
                assert {str(f.minimum), str(f.maximum)} <= values, f"{inst.mnemonic}.{f.name}: {sorted(values)}"


def test_every_instruction_says_what_it_does() -> None:
    for inst in description().instructions:
        assert inst.summary and inst.semantics.endswith(".") and inst.cost, inst.mnemonic
        for f in inst.fields:
            assert f.doc, f"{inst.mnemonic}.{f.name}"
        invalid = (ROOT / "test" / "dialects" / "NPUISA" / "ops.mlir").read_text()
        if inst.mnemonic not in ("loop_begin", "loop_end"):
            assert f"npuisa.{inst.mnemonic}" in invalid, f"test/dialects/NPUISA/ops.mlir lacks '{inst.mnemonic}'"
