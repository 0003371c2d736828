# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import re
import sys
from dataclasses import asdict, dataclass

from ..errors import InternalError, NPUError
from .console import Console
from .report import Report
from .tools import TOOLS, tool_path

DISTRIBUTION = "npu-mlir"

# Package, the extra that brings it ("" for what is always needed), and what it is for.
_PACKAGES = (
    ("numpy", "", "all"),
    ("ml_dtypes", "", "bfloat16"),
    ("onnx", "onnx", "ONNX models"),
    ("torch-mlir", "onnx", "ONNX and PyTorch models"),
    ("torch", "torch", "PyTorch models"),
    ("onnxruntime", "test", "npu run --compare-with onnxruntime"),
)


@dataclass(frozen=True)
class Check:
    """One line of the result.

    Attributes:
        name: what was looked at.
        status: "ok", "missing" (an optional part), "untested" (a version outside of the tested
            range) or "broken" (npu-mlir does not work without it).
        found: version or state.
        wanted: tested range, or what it is for.
        fix: command to run, if there is something to do.
    """

    name: str
    status: str
    found: str
    wanted: str = ""
    fix: str = ""


def package_versions() -> dict[str, str | None]:
    """Installed version of each package that npu-mlir uses, None if it is missing."""
    names = (DISTRIBUTION, *(name for name, _, _ in _PACKAGES))
    return {name: _version(name) for name in names}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def tested_ranges() -> dict[str, str]:
    """Package to its tested range, from the metadata of npu-mlir; empty if that is missing."""
    try:
        requirements = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    ranges: dict[str, str] = {}
    for text in requirements:
        match = re.match(r"([A-Za-z0-9_.-]+)\s*([<>=!~][^;]*)", text)
        if match:
            ranges.setdefault(match[1].replace("-", "_").lower(), match[2].strip(" ()"))
    return ranges


def in_range(version: str, wanted: str) -> bool:
    """Whether a version of numbers lies in a range such as ">=2.0,<3" or "==20261001"."""

    def key(text: str) -> tuple[int, ...]:
        parts = [int(part) for part in re.findall(r"\d+", text.split("+")[0])][:4]
        return tuple(parts + [0] * (4 - len(parts)))

    for clause in wanted.split(","):
        match = re.match(r"\s*(>=|<=|==|<|>)\s*(\S+)", clause)
        if match is None:
            continue
        have, limit = key(version), key(match[2])
        holds = {
            ">=": have >= limit,
            "<=": have <= limit,
            "==": have == limit,
            "<": have < limit,
            ">": have > limit,
        }
        if not holds[match[1]]:
            return False
    return True


def _packages() -> list[Check]:
    ranges, checks = tested_ranges(), []
    for name, extra, purpose in _PACKAGES:
        version = _version(name)
        wanted = ranges.get(name.replace("-", "_").lower(), "")
        install = f"pip install '{DISTRIBUTION}[{extra}]'" if extra else f"pip install {name}"
        if version is None:
            status = "missing" if extra else "broken"
            checks.append(Check(name, status, "not installed", f"for {purpose}", install))
        elif wanted and not in_range(version, wanted):
            fix = f"pip install '{name}{wanted}'"
            checks.append(Check(name, "untested", version, f"tested with {wanted}", fix))
        else:
            checks.append(Check(name, "ok", version, f"for {purpose}"))
    return checks


def _bindings() -> list[Check]:
    """The compiler library: it loads, knows its passes, and reads the built-in targets."""
    reinstall = f"pip install --force-reinstall {DISTRIBUTION}"
    try:
        from ..mlir._mlir_libs import _site_initialize_0
        from .target_command import presets, read_target

        steps = len(_site_initialize_0.pipeline_steps())
        targets = [read_target(preset) for preset in presets()]
    except (ImportError, NPUError) as error:
        return [Check("compiler", "broken", str(error).splitlines()[0], "the compiler", reinstall)]
    return [Check("compiler", "ok", f"{steps} passes, {len(targets)} targets")]


def _tools() -> list[Check]:
    missing = [tool for tool in TOOLS if tool_path(tool) is None]
    if missing:
        text = f"without {', '.join(missing)}"
        fix = f"pip install --force-reinstall {DISTRIBUTION}"
        return [Check("tools", "broken", text, "the command-line tools", fix)]
    return [Check("tools", "ok", ", ".join(TOOLS))]


def run(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Run `npu doctor`.

    Raises:
        InternalError: a part that everything needs is broken.
    """
    from .. import __version__

    here = f"{platform.python_implementation()} {platform.python_version()}"
    new_enough = "ok" if sys.version_info >= (3, 11) else "broken"
    checks = [
        Check("npu-mlir", "ok", __version__),
        Check("python", new_enough, f"{here} on {platform.machine()}", "3.11 or newer"),
        *_packages(),
        *_bindings(),
        *_tools(),
    ]
    for check in checks:
        line = f"{check.status:<9} {check.name:<12} {check.found}"
        console.line(line if check.status == "ok" else f"{line} ({check.wanted})")
        if check.fix:
            console.line(f"{'':<23}fix: {check.fix}")
            report.next.append(check.fix)
        if check.status in ("missing", "untested"):
            report.add_warning(f"W-{check.status.upper()}: {check.name}: {check.found}")
        report.counts[check.status] = report.counts.get(check.status, 0) + 1
    report.body["checks"] = [asdict(check) for check in checks]
    broken = [check for check in checks if check.status == "broken"]
    if broken:
        raise InternalError(
            "the installation does not work",
            code="E-INSTALL",
            why="\n".join(f"{check.name}: {check.found}" for check in broken),
            fix=broken[0].fix or None,
        )
    console.line("npu-mlir works" + ("" if not report.warnings else ", with optional parts missing"))
