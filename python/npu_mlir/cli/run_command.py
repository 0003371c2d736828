# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu run`: a package or a model on the simulated NPU."""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..frontends.termination import cleaned_up
from .arguments import describe, random_inputs, read_inputs
from .clashes import check_late_outputs
from .comparison import compare_with_onnxruntime, reference_model
from .compilation import compile_model
from .console import Console, Progress
from .files import check_output_file, check_output_folder, replacing, write_text
from .report import BAD, Report

if TYPE_CHECKING:
    import numpy as np

    from ..executable import Executable
    from ..profile import Profile

# Of longer outputs the first elements are shown.
SHOWN_ELEMENTS = 8
# File systems take 255; what is added to it must fit as well.
LONGEST_STEM_BYTES = 200


def run(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Run `npu run`."""
    reference = None
    if options.compare_with:
        reference = reference_model(options.compare_with, options.model)
        report.add_input(reference)
    if options.output:
        check_output_folder(Path(options.output))
    check_files(options)
    executable = open_model(options, console, report)
    files = _output_files(Path(options.output), executable) if options.output else []
    check_late_outputs(options, files)
    inputs = choose_inputs(options, executable, console, report)
    profile = measure(executable, inputs, options, report)
    outputs = dict(zip((s.name for s in executable.outputs), profile.outputs, strict=True))
    _show_outputs(outputs, console, report)
    if options.output:
        _write_outputs(files, outputs, report)
    show_profile(profile, console, report)
    if options.profile:
        show_nodes(profile, console)
    if reference is not None:
        with Progress(quiet=options.quiet) as progress:
            progress("compare")
            comparison = compare_with_onnxruntime(reference, inputs, outputs)
        console.line(comparison.explain())
        report.body["comparison"] = comparison.to_dict()
        report.exit_code = 0 if comparison.ok else BAD
        console.line(f"VERDICT {'ok' if comparison.ok else 'bad'}")


def check_files(options: argparse.Namespace) -> None:
    """Raise InputError before any work if the trace or the table cannot be written."""
    for file in (options.trace, options.csv):
        if file:
            check_output_file(Path(file))


def open_model(options: argparse.Namespace, console: Console, report: Report) -> Executable:
    """The package, or the compiled model."""
    if not options.model.endswith(".npux"):
        executable = compile_model(options, console, report)
        for text in executable.warnings:
            report.add_warning(text)
            console.warning(text)
        return executable
    ignored = [
        flag
        for flag, value in (
            ("--target", options.target),
            ("--shape", options.shape),
            ("--entry", options.entry),
            ("--no-host", options.no_host),
            ("--insert", options.insert),
        )
        if value
    ]
    if ignored:
        raise InputError(
            f"{', '.join(ignored)} given for a package",
            code="E-USAGE",
            where=options.model,
            why="a package is compiled already, for one target and one set of shapes",
            fix="leave these flags out, or name the model instead of the package",
        )
    from ..executable import load
    from ..frontends.files import missing_file

    if not Path(options.model).exists():
        raise missing_file(Path(options.model))
    report.add_input(options.model)
    executable = load(options.model)
    report.target = {"name": executable.target, "hash": executable.target_hash}
    return executable


def choose_inputs(
    options: argparse.Namespace, executable: Executable, console: Console, report: Report
) -> dict[str, np.ndarray]:
    """The arrays of --input, or random ones; said which."""
    if options.input:
        for text in options.input:
            report.add_input(text if Path(text).is_file() else text.partition("=")[2])
        return read_inputs(options.input, executable.inputs)
    report.seed = options.seed
    if executable.inputs:
        console.note(f"random inputs, seed {options.seed}: {describe(executable.inputs)}")
    return random_inputs(executable.inputs, options.seed)


def measure(
    executable: Executable, inputs: Mapping[str, np.ndarray], options: argparse.Namespace, report: Report
) -> Profile:
    """Run once; writes the trace and the table of nodes if they are asked for."""
    with Progress(quiet=options.quiet) as progress:
        progress("simulate")
        if options.trace is None:
            profile = executable.profile(*inputs.values())
        else:
            with replacing(Path(options.trace)) as temporary:
                profile = executable.profile(*inputs.values(), trace=temporary)
            report.add_artifact("trace", options.trace)
            report.next.append(f"open {options.trace} in https://ui.perfetto.dev")
    if options.csv:
        write_text(Path(options.csv), profile.to_csv())
        report.add_artifact("csv", options.csv)
    return profile


def _show_outputs(outputs: Mapping[str, np.ndarray], console: Console, report: Report) -> None:
    report.body["outputs"] = [summary(name, array) for name, array in outputs.items()]
    rows = []
    for entry, array in zip(report.body["outputs"], outputs.values(), strict=True):
        shape = "[" + ",".join(map(str, entry["shape"])) + "]"
        text = f"{shape} {entry['dtype']}"
        shown = array.reshape(-1)[:SHOWN_ELEMENTS].tolist()
        if shown:
            more = " ..." if array.size > SHOWN_ELEMENTS else ""
            text += "  " + " ".join(_number(value) for value in shown) + more
        if entry["nan"]:
            text += f"  ({entry['nan']} NaN)"
        rows.append((entry["name"], text))
    console.rows(rows)


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def summary(name: str, array: np.ndarray) -> dict[str, Any]:
    """Shape, type, hash and statistics of an array, as plain values."""
    import numpy as np

    wide = array.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    return {
        "name": name,
        "shape": list(array.shape),
        "dtype": array.dtype.name,
        "sha256": hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest(),
        "min": float(finite.min()) if finite.size else None,
        "max": float(finite.max()) if finite.size else None,
        "mean": float(finite.mean()) if finite.size else None,
        "nan": int(np.isnan(wide).sum()),
        "inf": int(np.isinf(wide).sum()),
    }


def _output_files(folder: Path, executable: Executable) -> list[Path]:
    """A file for each output: no separators in its name, no two alike, no longer than file systems take."""
    used: set[str] = set()
    files = []
    for spec in executable.outputs:
        stem = re.sub(r"[^\w.-]+", "_", spec.name).strip("_.")
        stem = stem.encode()[:LONGEST_STEM_BYTES].decode(errors="ignore") or "output"
        while stem.casefold() in used:  # Some file systems take A and a for one name.
            stem += "_"
        used.add(stem.casefold())
        files.append(folder / f"{stem}.npy")
    return files


def _write_outputs(files: Sequence[Path], outputs: Mapping[str, np.ndarray], report: Report) -> None:
    import numpy as np

    for path, array in zip(files, outputs.values(), strict=True):
        with cleaned_up(), replacing(path) as temporary, temporary.open("wb") as file:
            np.save(file, array)
        report.add_artifact("output", path)


def show_nodes(profile: Profile, console: Console) -> None:
    """What each source node cost."""
    console.line()
    for line in profile.table().splitlines():
        console.line(line)


def show_profile(profile: Profile, console: Console, report: Report) -> None:
    """Cycles, work on the host, and what the queues did."""
    values = profile.to_dict()
    report.body["profile"] = values
    report.counts["cycles"] = int(profile.cycles)
    console.rows(
        [
            ("cycles", f"{profile.cycles:,} = {profile.time_us:,.2f} us at the target's clock"),
            ("utilisation", f"{profile.utilization:.1%} of the matrix array's peak"),
        ]
    )
    cycles = values["cycles"] if isinstance(values.get("cycles"), dict) else values
    host = [str(fallback) for fallback in profile.fallbacks]
    console.rows(
        [
            ("on the host", "\n".join(host) or "none"),
            ("launches", f"{cycles.get('sync_cycles', 0):,} cycles of synchronisation"),
        ]
    )
    rows: list[tuple[str, ...]] = [("queue", "busy", "stall", "busy %")]
    for queue, numbers in values.get("queues", {}).items():
        share = numbers["busy"] / profile.cycles if profile.cycles else 0.0
        rows.append((queue, f"{numbers['busy']:,}", f"{numbers['stall']:,}", f"{share:.1%}"))
    if len(rows) > 1:
        console.table(rows)
