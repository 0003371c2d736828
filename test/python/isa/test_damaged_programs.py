# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that a translation refuses, because the other form has no way to say them."""

from __future__ import annotations

import subprocess

import pytest
from npu_mlir.cli.tools import tool_path

PROGRAM = """
npuisa.program @first regions [] {
  npuisa.micro @one inputs 1 {
    r0 = input f32 0
  } outputs [r0]
  npuisa.micro @two inputs 1 {
    r0 = input f32 0
  } outputs [r0]
  npuisa.halt
}
"""
ELIDED = """
npuisa.program @p regions [<constant, "w", 16 bytes, f32, [4], dense_resource<w> : tensor<4xf32>>] {
  npuisa.halt
}
"""


def translate(flag: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run npu-translate on a text."""
    command = [str(tool_path("npu-translate")), flag]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, errors="replace", timeout=120, check=False
    )


@pytest.fixture(scope="module")
def assembly() -> str:
    """The assembly of a program with two microprograms."""
    result = translate("--npuisa-to-asm", PROGRAM)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_assembly_as_it_is(assembly: str) -> None:
    result = translate("--asm-to-npuisa", assembly)
    assert result.returncode == 0, result.stderr
    assert "npuisa.micro @two" in result.stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"first"', '""', "expected the program to have a name, but it is empty"),
        ('"two"', '"one"', "expected the microprograms to have different names, but found 'one' twice"),
        ('"two"', '""', "expected the microprograms to have different names, but found '' "),
    ],
)
def test_names_that_are_no_symbols(assembly: str, old: str, new: str, message: str) -> None:
    assert assembly.count(old) == 1
    result = translate("--asm-to-npuisa", assembly.replace(old, new))
    assert result.returncode != 0
    assert message in result.stderr


def test_elided_constant() -> None:
    result = translate("--npuisa-to-binary", ELIDED)
    assert result.returncode != 0
    assert "expected the data of constant region 'w' in resource 'w', but found no data" in result.stderr
    assert "; was the module printed with elided resources?" in result.stderr


@pytest.mark.parametrize(("count", "fits"), [(65535, True), (65536, False)])
def test_number_of_microprograms(count: int, fits: bool) -> None:
    micros = "".join(f"npuisa.micro @m{i} inputs 1 {{ r0 = input f32 0 }} outputs [r0]\n" for i in range(count))
    result = translate("--npuisa-to-binary", f"npuisa.program @many regions [] {{\n{micros}npuisa.halt\n}}")
    assert (result.returncode == 0) is fits, result.stderr[-2000:]
    if not fits:
        assert "expected at most 65535 microprograms, but found 65536" in result.stderr
