# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the torch-mlir worker and turns whatever happens to it into a result or an error."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ImportFailure, NPUError, UnsupportedNode, UnsupportedOpError
from .termination import cleaned_up
from .worker_progress import read_progress

DEFAULT_TIMEOUT_S = 600.0
# Isolated ops are small; one that takes longer than this hangs.
_PROBE_TIMEOUT_S = 60.0
# Each crash while probing costs one more process.
_MAX_PROBE_RUNS = 8


@dataclass(frozen=True)
class Lowered:
    """What the worker made.

    Attributes:
        text: Linalg text with locations.
        arguments: `shape` and `element` of each argument of `@main`.
        results: The same of each result.
    """

    text: str
    arguments: list[dict[str, Any]]
    results: list[dict[str, Any]]


@dataclass(frozen=True)
class WorkerFailure:
    """Why the worker made nothing.

    Attributes:
        stage: Step it failed in: `import`, `to-torch-backend`, `to-linalg`, `contract`.
        message: Its explanation; for a dead process, how it died.
        problems: Ops at fault as the worker saw them: `op`, `names`, `files`, `reason`.
        died: True if the process crashed or was stopped for taking too long.
    """

    stage: str
    message: str
    problems: list[dict[str, Any]] = field(default_factory=list)
    died: bool = False


@dataclass(frozen=True)
class WorkerJob:
    """One model to be lowered.

    Attributes:
        kind: `onnx` or `torch`.
        write_model: Writes the model to the path it is given.
        where: What the model is called in messages.
        timeout_s: Seconds after which the worker is stopped.
        origins: Location names made up by the preparation, to source node names.
        op_types: Source node name to (operator, domain), for messages.
    """

    kind: str
    write_model: Callable[[Path], None]
    where: str
    timeout_s: float = DEFAULT_TIMEOUT_S
    origins: Mapping[str, str] = field(default_factory=dict)
    op_types: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def _environment() -> dict[str, str]:
    """The user's environment, with the folder of this package first on the module path."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def _describe_exit(code: int) -> str:
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        return f"the importer process crashed with {name}"
    return f"the importer process ended with exit code {code}"


def _last_words(stderr: str, code: int) -> str:
    """The one line of a dead process's output that says most."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for line in lines:
        if "LLVM ERROR" in line or "Assertion" in line:
            return line
    # After a signal the last line is whatever was printed long before.
    return lines[-1] if lines and code >= 0 else ""


def _run_once(folder: Path, timeout_s: float) -> dict[str, Any] | WorkerFailure:
    """One process on the request in `folder`. It is gone when this returns or raises."""
    errors = folder / "stderr.txt"
    (folder / "result.json").unlink(missing_ok=True)
    # -P: the current folder must not shadow the modules that the worker needs.
    command = [sys.executable, "-P", "-m", f"{__package__}.worker", str(folder)]
    with errors.open("wb") as stream:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # Nothing is sent: it closes when this process ends.
            stdout=stream,
            stderr=stream,
            env=_environment(),
        )
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            # Also on Ctrl-C: never leave the child behind.
            if process.poll() is None:
                process.kill()
                process.wait()
            assert process.stdin is not None
            process.stdin.close()
    result = folder / "result.json"
    if code == 0 and result.exists():
        answer = json.loads(result.read_text(encoding="utf-8"))
        assert isinstance(answer, dict)
        return answer
    note = read_progress(folder / "progress.json")
    stderr = errors.read_text(encoding="utf-8", errors="replace")
    if code is None:
        message = f"the importer was stopped after {timeout_s:g} s"
    else:
        words = _last_words(stderr, code)
        message = _describe_exit(code) + (f": {words}" if words else "")
    problems = [note] if note.get("node") or note.get("names") else []
    for problem in problems:
        problem.setdefault("names", [problem.get("node", "")])
        problem.setdefault("reason", message)
    return WorkerFailure(str(note.get("stage", "start")), message, problems, died=True)


def _request(folder: Path, job: WorkerJob, mode: str, skip: int = 0) -> None:
    model = "model.onnx" if job.kind == "onnx" else "model.mlir"
    request = {"kind": job.kind, "model": model, "mode": mode, "skip": skip}
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")


def _probe(folder: Path, job: WorkerJob) -> list[dict[str, Any]]:
    """All ops that fail alone, crashing ones included."""
    problems: list[dict[str, Any]] = []
    skip = 0
    for _ in range(_MAX_PROBE_RUNS):
        _request(folder, job, "probe", skip)
        answer = _run_once(folder, _PROBE_TIMEOUT_S)
        if isinstance(answer, dict):
            return problems + list(answer.get("problems", []))
        note = read_progress(folder / "progress.json")
        if note.get("stage") != "probe":
            return problems
        problems += note.get("problems", [])
        problems.append(
            {
                "op": note["op"],
                "names": note["names"],
                "files": note["files"],
                "reason": answer.message,
            }
        )
        skip = int(note["index"]) + 1
    return problems


def lower_in_worker(job: WorkerJob) -> Lowered | WorkerFailure:
    """Lower a model to linalg in a child process.

    Returns:
        The text, or why there is none. After a failure every op was tried alone, and
        `problems` lists those that fail so; without any it lists what the worker named.
    """
    with cleaned_up(), tempfile.TemporaryDirectory(prefix="npu-import-") as name:
        folder = Path(name)
        job.write_model(folder / ("model.onnx" if job.kind == "onnx" else "model.mlir"))
        _request(folder, job, "import")
        answer = _run_once(folder, job.timeout_s)
        if isinstance(answer, dict) and answer["status"] == "ok":
            text = (folder / "out.mlir").read_text(encoding="utf-8")
            return Lowered(text, answer["arguments"], answer["results"])
        if isinstance(answer, dict):
            failure = WorkerFailure(answer["stage"], answer["message"], answer["problems"])
        else:
            failure = answer
        if failure.stage in ("import", "start"):
            return failure
        alone = _probe(folder, job)
        return WorkerFailure(
            failure.stage, failure.message, alone or failure.problems, failure.died
        )


def failed_names(failure: WorkerFailure) -> list[str]:
    """Location names of the ops at fault, each once, in model order."""
    names = [p["names"][0] for p in failure.problems if p.get("names")]
    return list(dict.fromkeys(names))


def _plain_reason(message: str) -> str:
    """A message of the importer in words that mean something without its sources."""
    match = re.match(r"failed to legalize (?:unresolved )?operation '([^']+)'", message)
    if match is None:
        return message
    op = match.group(1)
    if op == "torch.operator" or op.startswith("torch.constant"):
        return "no lowering for this operator with these attributes and types"
    return f"no lowering for '{op.removeprefix('torch.')}' with these operands"


def _node(problem: Mapping[str, Any], job: WorkerJob) -> UnsupportedNode:
    names = list(problem.get("names") or [""])
    name = job.origins.get(names[0], names[0])
    op = str(problem.get("op", ""))
    op_type, domain = job.op_types.get(name, ("", ""))
    if not op_type:
        op_type = op.removeprefix("onnx.") or "unknown operator"
        domain = "torch" if job.kind == "torch" else "ai.onnx"
    files = problem.get("files") or []
    return UnsupportedNode(
        name=name,
        op_type=op_type,
        domain=domain or "ai.onnx",
        reason=_plain_reason(str(problem.get("reason", ""))),
        source=files[0] if files else None,
    )


def _nodes(failure: WorkerFailure, job: WorkerJob) -> list[UnsupportedNode]:
    """One entry for each source node: of the parts that it was taken into, the first reason."""
    found: dict[str, UnsupportedNode] = {}
    for problem in failure.problems:
        if problem.get("names"):
            node = _node(problem, job)
            found.setdefault(node.name, node)
    return list(found.values())


def failure_to_error(failure: WorkerFailure, job: WorkerJob) -> NPUError:
    """The error to raise for a failed worker: unsupported nodes if any are known."""
    nodes = _nodes(failure, job)
    if nodes and not failure.died:
        return UnsupportedOpError(nodes, where=job.where)
    what = "the importer crashed on this model" if failure.died else "the importer failed"
    if nodes:
        culprit = "\n".join(str(node) for node in nodes)
        return ImportFailure(
            what,
            node=nodes[0].name,
            where=f"{job.where}, node '{nodes[0].name}'",
            why=f"{failure.message}\n{culprit}",
            fix="replace this operator in the model, or compute it outside of it",
        )
    return ImportFailure(
        what,
        where=job.where,
        why=f"{_plain_reason(failure.message)} (step: {failure.stage})",
        fix="reduce the model to the part that fails and report it",
    )
