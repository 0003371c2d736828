# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many faults in compiled programs the checker finds: seeded mutations and their kill rate.

Each mutation changes one thing in the assembly of a compiled program: a wait or signal is lost or
moved, a buffer shrinks, two instructions change places, a stride or offset is off by one element.
The program that results is judged:

- "checker": `npu-run --check` refuses it;
- "values": it is proved to mean one thing in every order of execution, but another thing than the
  program it was made from, which no checker can know; comparing results tells;
- "run": it is proved, but its run ends with an error (an index out of range);
- "same": proved, and the results are those of the original in every run: nothing was broken;
- "survived": proved, but the results depend on the order of execution. This is a fault of the
  checker; there must be none.

Usage: python benchmarks/mutations.py [--count N] [--seeds N] [--model NAME]... [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "e2e"))

import models  # noqa: E402
import npu_mlir as npu  # noqa: E402
from npu_mlir.cli.tools import tool_path  # noqa: E402
from npu_mlir.mlir._mlir_libs import _npu  # noqa: E402

MODELS = (
    "matmul_bias_relu_over_tiny",
    "mlp_gemm",
    "torch_cnn",
    "residual_block",
    "transformer_encoder",
    "layer_norm",
    "quantized_conv",
    "conv_over_tiny",
)
TARGETS = ("tiny", "mobile")
DTYPES = {
    "f32": np.float32,
    "f16": np.float16,
    "i8": np.int8,
    "u8": np.uint8,
    "b8": np.uint8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
VERDICTS = ("checker", "values", "run", "same", "survived")
#: A program whose queues or loops a mutation broke may take long; its original takes far less.
MAX_INSTRUCTIONS = 5_000_000


# --------------------------------------------------------------------------------------------------
# Mutations
# --------------------------------------------------------------------------------------------------

Lines = list[str]


def _syncs(line: str, kind: str) -> list[str]:
    """The entries of `waits` or `signals` of an instruction, as "semaphore:count"."""
    found = re.search(rf" {kind}=\[([^\]]*)\]", line)
    return re.split(r",\s*", found.group(1)) if found else []


def _with_syncs(line: str, kind: str, entries: Sequence[str]) -> str:
    """The instruction with other entries of `waits` or `signals`."""
    line = re.sub(rf" {kind}=\[[^\]]*\]", "", line)
    if not entries:
        return line
    text = f" {kind}=[{', '.join(entries)}]"
    cut = line.find(" signals=") if kind == "waits" else -1
    if cut < 0:
        cut = line.find(" @") if " @" in line else len(line)
    return line[:cut] + text + line[cut:]


def _instructions(lines: Lines) -> list[int]:
    """Lines of instructions that run in a queue."""
    control = ("loop_begin", "loop_end", "fence", "mark", "halt")
    return [i for i, line in enumerate(lines) if line.strip() and not line.strip().startswith(control)]


def _queue(line: str) -> str:
    """The queue of an instruction."""
    name = line.split()[0]
    if "." in name:
        return name.split(".")[1]
    queues = {"dma_ld": "ld", "dma_gather": "ld", "dma_st": "st", "dma_scatter": "st", "drain": "dr"}
    return queues.get(name, "mm" if name.startswith("mm_") else "ve")


def _drop(kind: str) -> Callable[[Lines, random.Random], Lines | None]:
    def mutate(lines: Lines, rng: random.Random) -> Lines | None:
        places = [(i, k) for i in _instructions(lines) for k in range(len(_syncs(lines[i], kind)))]
        if not places:
            return None
        at, number = rng.choice(places)
        entries = _syncs(lines[at], kind)
        del entries[number]
        return [*lines[:at], _with_syncs(lines[at], kind, entries), *lines[at + 1 :]]

    return mutate


def drop_dependence(lines: Lines, rng: random.Random) -> Lines | None:
    """Take a semaphore away, with all its waits and signals: nothing is out of balance."""
    used = sorted({e.split(":")[0] for i in _instructions(lines) for e in _syncs(lines[i], "waits")})
    if not used:
        return None
    gone = rng.choice(used)
    result = list(lines)
    for i in _instructions(lines):
        for kind in ("waits", "signals"):
            kept = [e for e in _syncs(result[i], kind) if e.split(":")[0] != gone]
            result[i] = _with_syncs(result[i], kind, kept)
    return result


def _move(kind: str, step: int) -> Callable[[Lines, random.Random], Lines | None]:
    """Move a wait to the next instruction of its queue, or a signal to the one before."""

    def mutate(lines: Lines, rng: random.Random) -> Lines | None:
        places = []
        for i in _instructions(lines):
            entries = _syncs(lines[i], kind)
            j = i + step
            # To the neighbour in the same queue, not past the ends of loops.
            while 0 <= j < len(lines) and not re.match(r"\s*(loop_|fence|halt)", lines[j]):
                if _queue(lines[j]) == _queue(lines[i]):
                    if len(_syncs(lines[j], kind)) < 2:
                        places += [(i, j, e) for e in entries]
                    break
                j += step
        if not places:
            return None
        source, goal, entry = rng.choice(places)
        result = list(lines)
        left = _syncs(lines[source], kind)
        left.remove(entry)
        result[source] = _with_syncs(lines[source], kind, left)
        result[goal] = _with_syncs(lines[goal], kind, [*_syncs(lines[goal], kind), entry])
        return result

    return mutate


def add_credit(lines: Lines, rng: random.Random) -> Lines | None:
    """One credit more around a loop, both where it is given and where it is taken back."""
    given = [(i, e) for i in _instructions(lines) if "sync" in lines[i] for e in _syncs(lines[i], "signals")]
    taken = [(i, e) for i in _instructions(lines) if "sync" in lines[i] for e in _syncs(lines[i], "waits")]
    pairs = [(a, b) for a in given for b in taken if a[1] == b[1] and a[0] < b[0]]
    if not pairs:
        return None
    (first, entry), (last, _) = rng.choice(pairs)
    semaphore, count = entry.split(":")
    more = f"{semaphore}:{int(count) + 1}"
    result = list(lines)
    for at, kind in ((first, "signals"), (last, "waits")):
        entries = _syncs(result[at], kind)
        entries[entries.index(entry)] = more
        result[at] = _with_syncs(result[at], kind, entries)
    return result


def shrink_buffer(lines: Lines, rng: random.Random) -> Lines | None:
    """Move all on-chip storage behind a place down by 64 bytes, over the end of what lies before."""
    offsets = sorted({int(m) for line in lines for m in re.findall(r"\bsram\[(\d+)", line) if int(m) >= 64})
    if not offsets:
        return None
    start = rng.choice(offsets)

    def moved(match: re.Match[str]) -> str:
        offset = int(match.group(1))
        return f"sram[{offset - 64 if offset >= start else offset}"

    return [re.sub(r"sram\[(\d+)", moved, line) for line in lines]


def shrink_ring(lines: Lines, rng: random.Random) -> Lines | None:
    """One slot less in a ring: everything with the same stride and modulus."""
    terms = sorted({m for line in lines for m in re.findall(r"\d+\*i\d+%\d+", line)})
    if not terms:
        return None
    term = rng.choice(terms)
    base, modulus = term.split("%")
    smaller = f"{base}%{int(modulus) - 1}"
    return [re.sub(re.escape(term) + r"(?!\d)", smaller, line) for line in lines]


def swap(lines: Lines, rng: random.Random) -> Lines | None:
    """Exchange two neighbours."""
    known = set(_instructions(lines))
    places = [i for i in known if i + 1 in known and lines[i] != lines[i + 1]]
    if not places:
        return None
    at = rng.choice(sorted(places))
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def _number(pattern: str) -> Callable[[Lines, random.Random], Lines | None]:
    """Change a number by one element of 4 bytes, or by 1 if it is odd; up or down."""

    def mutate(lines: Lines, rng: random.Random) -> Lines | None:
        places = [(i, m.span(1)) for i in _instructions(lines) for m in re.finditer(pattern, lines[i])]
        if not places:
            return None
        at, (begin, end) = rng.choice(places)
        value = int(lines[at][begin:end])
        step = 4 if value % 4 == 0 else 1
        value = max(0, value + rng.choice((-step, step)))
        return [*lines[:at], lines[at][:begin] + str(value) + lines[at][end:], *lines[at + 1 :]]

    return mutate


MUTATIONS: dict[str, Callable[[Lines, random.Random], Lines | None]] = {
    "drop a wait": _drop("waits"),
    "drop a signal": _drop("signals"),
    "drop a dependence": drop_dependence,
    "wait one instruction later": _move("waits", 1),
    "signal one instruction earlier": _move("signals", -1),
    "one credit more": add_credit,
    "shrink a buffer": shrink_buffer,
    "one slot less in a ring": shrink_ring,
    "swap two instructions": swap,
    "stride off by one element": _number(r"(?:strides|k_stride|n_stride)=\[?(?:\d+, )*(\d+)"),
    "loop stride off by one element": _number(r"[ \[](\d+)\*i\d"),
    "offset off by one element": _number(r"(?:sram|acc|dram\d+)\[(\d+)"),
}


# --------------------------------------------------------------------------------------------------
# Judgement
# --------------------------------------------------------------------------------------------------


@dataclass
class Subject:
    """A compiled program.

    Attributes:
        name: model and target.
        head: the assembly up to the code.
        lines: the code, one instruction a line.
        inputs: files of the inputs, in order.
        outputs: results of the run without perturbation, as bytes.
    """

    name: str
    head: str
    lines: Lines
    inputs: list[Path]
    outputs: list[bytes] = field(default_factory=list)

    def program(self, lines: Lines) -> bytes | None:
        """The program file; None if it is no well-formed program."""
        try:
            return bytes(_npu.assemble(self.head + "\n".join(lines) + "\n}\n"))
        except _npu.NativeError:
            return None


@dataclass(frozen=True)
class Mutant:
    """A judged mutation: what it was, how it was found, and by which fault of the checker."""

    mutation: str
    verdict: str
    fault: str


def _tool() -> str:
    tool = tool_path("npu-run")
    if tool is None:
        raise SystemExit("npu-run is not built")
    return str(tool)


def _run(subject: Subject, path: Path, folder: Path, *options: str) -> list[bytes] | None:
    """Results of a run; None if it ends with an error."""
    out = folder / "out"
    command = [_tool(), str(path), "--quiet", "--output", str(out), *options]
    for file in subject.inputs:
        command += ["--input", str(file)]
    limit = ["--max-instructions", str(MAX_INSTRUCTIONS)]
    if subprocess.run([*command, *limit], capture_output=True, check=False).returncode != 0:
        return None
    results = [p.read_bytes() for p in sorted(out.iterdir())]
    for p in out.iterdir():
        p.unlink()
    return results


def judge(subject: Subject, mutation: str, lines: Lines, folder: Path, seeds: int) -> Mutant | None:
    """How a mutation is found. None if the assembly of it is refused, so that there is no mutant."""
    data = subject.program(lines)
    if data is None:
        return None
    path = folder / "mutant.npuprog"
    path.write_bytes(data)
    checked = subprocess.run([_tool(), str(path), "--check", "--json"], capture_output=True, text=True, check=False)
    if checked.returncode == 1:
        return Mutant(mutation, "checker", json.loads(checked.stdout)["programs"][0]["verdict"])
    if checked.returncode != 0:
        raise RuntimeError(f"npu-run --check: {checked.stderr}")
    plain = _run(subject, path, folder, "--poison")
    perturbed = [_run(subject, path, folder, "--perturb", str(seed)) for seed in range(1, seeds + 1)]
    if any(p != plain for p in perturbed):
        return Mutant(mutation, "survived", "")
    if plain is None:
        return Mutant(mutation, "run", "")
    return Mutant(mutation, "same" if plain == subject.outputs else "values", "")


def subjects(names: Sequence[str], targets: Sequence[str], folder: Path) -> Iterator[Subject]:
    """Compiles models; those of one device program are subjects."""
    for name in names:
        built = models.build(name)
        if built.kind == "torch":
            import torch

            imported = npu.load_model(built.model, inputs=tuple(torch.from_numpy(x) for x in built.inputs))
        else:
            imported = npu.load_model(built.model)
        for target in targets:
            text = npu.compile(imported, target=target).assembly()
            if text.count("\ncode {") != 1:
                continue
            head, code = text.split("\ncode {\n")
            lines = [line.split(" ; ")[0] for line in code.rstrip().removesuffix("}").rstrip().split("\n")]
            subject = Subject(f"{name} on {target}", head + "\ncode {\n", lines, [])
            rng = np.random.default_rng(1)
            for match in re.finditer(r'region \d+ input ".*?" bytes=\d+ dtype=(\w+) shape=\[([\d, ]*)\]', head):
                shape = [int(x) for x in match.group(2).split(", ") if x]
                dtype = DTYPES[match.group(1)]
                array = rng.normal(size=shape) if np.dtype(dtype).kind == "f" else rng.integers(0, 5, size=shape)
                file = folder / f"{name}.{target}.{len(subject.inputs)}.npy"
                np.save(file, np.asarray(array).astype(dtype))
                subject.inputs.append(file)
            data = subject.program(lines)
            assert data is not None
            path = folder / "original.npuprog"
            path.write_bytes(data)
            outputs = _run(subject, path, folder, "--poison")
            if outputs is None:
                raise RuntimeError(f"{subject.name} does not run")
            subject.outputs = outputs
            yield subject


def mutate(subject: Subject, count: int, seeds: int, folder: Path, seed: int = 1) -> list[Mutant]:
    """Up to ``count`` different mutants of each kind, judged with ``seeds`` perturbed runs."""
    judged: list[Mutant] = []
    for mutation, change in MUTATIONS.items():
        rng = random.Random(f"{subject.name} {mutation} {seed}")
        seen = {tuple(subject.lines)}
        for _ in range(4 * count):
            lines = change(subject.lines, rng)
            if lines is None or len(seen) > count:
                break
            if tuple(lines) in seen:
                continue
            seen.add(tuple(lines))
            mutant = judge(subject, mutation, lines, folder, seeds)
            if mutant is not None:
                judged.append(mutant)
            if mutant is not None and mutant.verdict == "survived":
                print(f"SURVIVED: {subject.name}: {mutation}")
                print("\n".join(f"- {a}\n+ {b}" for a, b in zip(subject.lines, lines, strict=True) if a != b))
    return judged


def table(mutants: Sequence[Mutant]) -> str:
    """A Markdown table: mutations by verdict, and the rate of those found among those that matter."""
    rows = ["| mutation | mutants | checker | values | run | same | survived | found by the checker |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    for name in [*MUTATIONS, "all"]:
        count = Counter(m.verdict for m in mutants if name in (m.mutation, "all"))
        total = sum(count.values())
        if total == 0:
            continue
        changed = total - count["same"]
        rate = f"{100 * count['checker'] / changed:.1f} %" if changed else "-"
        cells = " | ".join(str(count[v]) for v in VERDICTS)
        rows.append(f"| {name} | {total} | {cells} | {rate} |")
    return "\n".join(rows)


def main() -> int:
    """Run the benchmark; 1 if a mutant survived."""
    parser = argparse.ArgumentParser(description="kill rate of npuisa-check")
    parser.add_argument("--count", type=int, default=12, help="mutants of a kind for each program")
    parser.add_argument("--seeds", type=int, default=5, help="perturbed runs of a mutant that is proved")
    parser.add_argument("--model", action="append", help="an end-to-end model; default: a choice of them")
    parser.add_argument("--target", action="append", help="default: tiny and mobile")
    parser.add_argument("--json", help="write all verdicts to a file")
    options = parser.parse_args()
    judged: dict[str, list[Mutant]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for subject in subjects(options.model or MODELS, options.target or TARGETS, folder):
            judged[subject.name] = mutate(subject, options.count, options.seeds, folder)
            count = Counter(m.verdict for m in judged[subject.name])
            print(f"{subject.name}: {len(subject.lines)} instructions, {dict(count)}", flush=True)
    mutants = [m for group in judged.values() for m in group]
    print(table(mutants))
    faults = Counter(m.fault for m in mutants if m.verdict == "checker")
    print("faults:", ", ".join(f"{fault} {count}" for fault, count in faults.most_common()))
    if options.json:
        values = {name: [vars(m) for m in group] for name, group in judged.items()}
        Path(options.json).write_text(json.dumps(values, indent=1))
    return 1 if any(m.verdict == "survived" for m in mutants) else 0


if __name__ == "__main__":
    sys.exit(main())
