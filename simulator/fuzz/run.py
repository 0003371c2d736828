# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fuzz the loader, the verifier and the assembler of program files with libFuzzer and sanitizers.

Needs clang with its runtime library (Debian: clang, libclang-rt-dev) and an installed npu_mlir, which makes the seeds.
Ends with exit code 0 if nothing was found; a finding is written to the working folder by libFuzzer.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "machine/CostModel.cpp",
    "machine/TargetDesc.cpp",
    "simulator/core/Verifier.cpp",
    "simulator/isa/Encoding.cpp",
    "simulator/isa/Micro.cpp",
    "simulator/program/AssemblyParser.cpp",
    "simulator/program/AssemblyPrinter.cpp",
    "simulator/program/Container.cpp",
    "simulator/program/Program.cpp",
)
HARNESSES = {"program": "FuzzProgram.cpp", "assembly": "FuzzAssembly.cpp"}
# The kind of a section that holds a program (docs/program-format.md).
PROGRAM_SECTION = 18
SEED = """
func.func @main(%x: tensor<20x24xf32>, %w: tensor<24x12xf32>) -> tensor<20x12xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<20x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<20x12xf32>) -> tensor<20x12xf32>
  %y = linalg.matmul ins(%x, %w : tensor<20x24xf32>, tensor<24x12xf32>)
      outs(%init : tensor<20x12xf32>) -> tensor<20x12xf32>
  %z = linalg.exp ins(%y : tensor<20x12xf32>) outs(%empty : tensor<20x12xf32>) -> tensor<20x12xf32>
  return %z : tensor<20x12xf32>
}
"""


def build(kind: str, folder: Path, generated: Path) -> Path:
    """Compile a harness; returns the program."""
    goal = folder / f"fuzz-{kind}"
    flags = ["-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
    flags.append("-fsanitize=fuzzer,address,undefined")
    sources = [str(ROOT / source) for source in (*SOURCES, f"simulator/fuzz/{HARNESSES[kind]}")]
    includes = ["-I", str(ROOT), "-I", str(generated)]
    subprocess.run(["clang++", *flags, *includes, *sources, "-o", str(goal)], check=True)
    return goal


def write_seeds(folder: Path) -> None:
    """Programs that the compiler makes, as files and as assembly."""
    import struct

    import npu_mlir as npu

    for kind in HARNESSES:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    (folder / "seed.mlir").write_text(SEED)
    for model in (folder / "seed.mlir", ROOT / "examples" / "digits" / "digits.onnx"):
        for target in ("tiny", "mobile"):
            executable = npu.compile(model, target=target)
            executable.save(folder / "seed.npux")
            data = (folder / "seed.npux").read_bytes()
            for i in range(struct.unpack_from("<I", data, 12)[0]):
                section, _, offset, size = struct.unpack_from("<IIQQ", data, 32 + 32 * i)
                if section == PROGRAM_SECTION:
                    name = f"{model.stem}-{target}-{i}"
                    (folder / "program" / name).write_bytes(data[offset : offset + size])
            (folder / "assembly" / f"{model.stem}-{target}").write_text(executable.assembly())


def main() -> int:
    """Build and fuzz."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=HARNESSES, help="what is read")
    parser.add_argument("--runs", type=int, default=1_000_000, help="executions (default: one million)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the fuzzer")
    parser.add_argument("--folder", type=Path, default=Path("fuzz"), help="where the corpus and findings go")
    parser.add_argument(
        "--generated",
        type=Path,
        required=True,
        help="folder of the generated headers: build/*/simulator/generated of make test, or build/simulator/generated",
    )
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    write_seeds(folder)
    harness = build(options.kind, folder, options.generated.resolve())
    flags = [f"-runs={options.runs}", f"-seed={options.seed}", "-max_len=20000", "-timeout=20", "-rss_limit_mb=4096"]
    return subprocess.run([str(harness), *flags, str(folder / options.kind)], cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
