# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result of a command: what it prints is for people, this is for machines."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import NPUError

OK, BAD, INPUT, UNSUPPORTED, INTERNAL, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

_VERDICTS = {
    OK: "ok",
    BAD: "bad",
    INPUT: "input",
    UNSUPPORTED: "unsupported",
    INTERNAL: "internal",
    INCONCLUSIVE: "inconclusive",
    INTERRUPTED: "interrupted",
}


def file_sha256(path: Path) -> str:
    """Hash of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass
class Report:
    """What `--json` writes: two runs with the same inputs differ in `started` and `wall_s` only.

    Attributes:
        name: the command, for example "compile"; the schema is "npu.compile/1".
        argv: the arguments as given.
        target: name and, for a target file, its path and hash.
        seed: seed of random inputs, if there were any.
        body: fields of this command beside the common ones.
        next: commands that make sense to run next.
    """

    name: str
    argv: Sequence[str]
    target: dict[str, str] | None = None
    seed: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    warnings: list[dict[str, str]] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    artifacts: list[dict[str, str]] = field(default_factory=list)
    next: list[str] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)
    exit_code: int = OK
    _inputs: list[dict[str, Any]] = field(default_factory=list)
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))
    _clock: float = field(default_factory=time.monotonic)

    def add_input(self, path: str | Path) -> None:
        """Name a file that the result depends on; nothing happens if it is not a file."""
        file = Path(path)
        if file.is_file():
            entry = {"path": str(path), "sha256": file_sha256(file), "bytes": file.stat().st_size}
            self._inputs.append(entry)

    def add_artifact(self, role: str, path: str | Path) -> None:
        """Name a file or folder that the command wrote."""
        entry = {"role": role, "path": str(path)}
        if Path(path).is_file():
            entry["sha256"] = file_sha256(Path(path))
        self.artifacts.append(entry)

    def set_target(self, name: str) -> None:
        """Name the target: a preset, or a file."""
        self.target = {"name": name}
        if Path(name).is_file():
            self.target = {"name": Path(name).stem, "file": name, "sha256": file_sha256(Path(name))}

    def add_warning(self, text: str, *, where: str = "") -> None:
        """Add a warning; a text that starts with its code ("W-DYN: ...") is split."""
        code, separator, rest = text.partition(": ")
        if not (separator and code.startswith("W-")):
            code, rest = "W-GENERAL", text
        self.warnings.append({"code": code, "text": rest, "where": where})

    def add_error(self, error: NPUError) -> None:
        """Add an error and take its exit code."""
        entry = {"code": error.code, "text": error.what}
        for key in ("where", "why", "fix"):
            if value := getattr(error, key):
                entry[key] = value
        self.errors.append(entry)
        self.exit_code = error.exit_code

    def to_dict(self) -> dict[str, Any]:
        """All fields, in their documented order."""
        from .. import __version__

        common: Mapping[str, Any] = {
            "schema": f"npu.{self.name}/1",
            "tool": "npu",
            "version": __version__,
            "command": ["npu", *self.argv],
            "inputs": self._inputs,
            "target": self.target,
            "seed": self.seed,
            "started": self._started.isoformat(timespec="seconds"),
            "wall_s": round(time.monotonic() - self._clock, 3),
            "verdict": _VERDICTS.get(self.exit_code, "internal"),
            "exit_code": self.exit_code,
            "counts": self.counts,
            "warnings": self.warnings,
            "errors": self.errors,
            "artifacts": self.artifacts,
            "next": self.next,
        }
        return {**common, **self.body}

    def to_json(self) -> str:
        """The report as one JSON document; NaN and infinities as strings, which JSON lacks."""
        return json.dumps(_finite(self.to_dict()), indent=2, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """The value with floats that JSON cannot hold written as "nan", "inf" and "-inf"."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
