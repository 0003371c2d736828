# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Import into the torch dialect and lowering to linalg on tensors; runs in the worker only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.passmanager import PassManager

from .worker_progress import Progress

_LINALG_PIPELINE = "torch-backend-to-linalg-on-tensors-backend-pipeline{allow-non-finites=true}"
PIPELINES = {
    "onnx": (
        "builtin.module(torch-onnx-to-torch-backend-pipeline)",
        f"builtin.module({_LINALG_PIPELINE})",
    ),
    "torch": (
        "builtin.module(func.func(torch-match-quantized-custom-ops),"
        "torchdynamo-export-to-torch-backend-pipeline{extra-library=})",
        f"builtin.module({_LINALG_PIPELINE})",
    ),
}
STAGES = ("to-torch-backend", "to-linalg")

# What the passes behind the front end read; everything else is an op that was not lowered.
LEGAL_DIALECTS = frozenset(
    {"builtin", "func", "linalg", "tensor", "arith", "math", "scf", "cf", "affine"}
)


def locate(loc: ir.Location) -> dict[str, list[str]]:
    """Names and file positions inside a location, outermost first."""
    names: list[str] = []
    files: list[str] = []

    def visit(part: ir.Location) -> None:
        if isinstance(part, ir.NameLoc):
            names.append(part.name_str)
            visit(part.child_loc)
        elif isinstance(part, ir.FusedLoc):
            for inner in part.locations:
                visit(inner)
        elif isinstance(part, ir.CallSiteLoc):
            visit(part.callee)
            visit(part.caller)
        elif isinstance(part, ir.FileLineColLoc):
            files.append(f"{part.filename}:{part.start_line}")

    visit(loc)
    return {"names": list(dict.fromkeys(names)), "files": list(dict.fromkeys(files))}


class StageError(Exception):
    """A step failed with an explanation.

    Args:
        stage: Which step.
        message: The explanation.
        problems: One entry for each op at fault: `op`, `names`, `files`, `reason`.
    """

    def __init__(self, stage: str, message: str, problems: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.stage = stage
        self.message = message
        self.problems = problems

    def as_json(self) -> dict[str, Any]:
        """The answer of the worker for this failure."""
        return {
            "status": "error",
            "stage": self.stage,
            "message": self.message,
            "problems": self.problems,
        }


def new_context() -> ir.Context:
    """A context with the torch dialects."""
    context = ir.Context()
    torch_dialect.register_dialect(context)
    return context


def op_label(op: ir.Operation) -> str:
    """Name of an op as its framework spells it: `onnx.Conv`, `aten.relu`, `tm_tensor.sort`."""
    if op.name == "torch.operator":
        return str(ir.StringAttr(op.attributes["name"]).value)
    return str(op.name).removeprefix("torch.")


def import_onnx(path: Path, progress: Progress) -> ir.Operation:
    """Read the ONNX file and build the torch dialect from it.

    Raises:
        StageError: A node that the importer does not take; the node is named.
    """
    import onnx
    from torch_mlir.extras import onnx_importer

    class Tracing(onnx_importer.NodeImporter):  # type: ignore[misc]
        """Says which node is being imported, before it is."""

        __slots__ = ()

        def import_node(self, node: onnx.NodeProto) -> None:
            progress.note("import", node=node.name, op=node.op_type)
            current["node"] = node
            super().import_node(node)

    current: dict[str, onnx.NodeProto] = {}
    progress.note("import")
    model = onnx.load(path)
    config = onnx_importer.Config(function_expansion_allowlists_by_domain={})
    info = onnx_importer.ModelInfo(model, config=config)
    module = info.create_module(context=new_context()).operation
    try:
        importer = onnx_importer.NodeImporter.define_function(info.main_graph, module)
        # define_function builds the base class by name; the subclass adds no state.
        importer.__class__ = Tracing
        importer.import_all()
    except Exception as error:
        # torch-mlir lets errors of many kinds through here (its own, KeyError, TypeError ...).
        message = f"{type(error).__name__}: {error}".splitlines()[0]
        node = current.get("node")
        problems = []
        if node is not None:
            problems.append(
                {"op": f"onnx.{node.op_type}", "names": [node.name], "files": [], "reason": message}
            )
        raise StageError("import", message, problems) from error
    return module


def parse_torch(path: Path, progress: Progress) -> ir.Operation:
    """Parse text of the torch dialect."""
    progress.note("import")
    return ir.Module.parse(path.read_text(encoding="utf-8"), context=new_context()).operation


def _problem(diagnostic: Any) -> dict[str, Any]:
    return {"op": "", **locate(diagnostic.location), "reason": diagnostic.message}


def run_pipeline(module: ir.Operation, pipeline: str, stage: str) -> None:
    """Run one pipeline in place.

    Raises:
        StageError: With all diagnostics; their locations name the ops.
    """
    try:
        with module.context:
            PassManager.parse(pipeline).run(module)
    except ir.MLIRError as error:
        problems = [_problem(diagnostic) for diagnostic in error.error_diagnostics]
        message = problems[0]["reason"] if problems else str(error).splitlines()[0]
        raise StageError(stage, message, problems) from error


def lower(module: ir.Operation, kind: str, progress: Progress | None) -> None:
    """Take the torch dialect to linalg on tensors, in place.

    Args:
        module: Module op.
        kind: `onnx` or `torch`.
        progress: Gets a note before each step, if given.

    Raises:
        StageError: An op that has no lowering, or another failure.
    """
    for stage, pipeline in zip(STAGES, PIPELINES[kind], strict=True):
        if progress is not None:
            progress.note(stage)
        run_pipeline(module, pipeline, stage)


def _contract_problem(op: ir.Operation) -> str | None:
    dialect = op.name.split(".")[0]
    if dialect not in LEGAL_DIALECTS:
        return f"'{op_label(op)}' has no form on linalg level"
    for value in op.results:
        if isinstance(value.type, ir.ShapedType) and not value.type.has_static_shape:
            return f"its result {value.type} has a shape that depends on data"
    return None


def _types(values: Any) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    for type_ in values:
        if not isinstance(type_, ir.RankedTensorType):
            result.append({"shape": None, "element": str(type_)})
            continue
        shape = [None if type_.is_dynamic_dim(i) else type_.shape[i] for i in range(type_.rank)]
        result.append({"shape": shape, "element": str(type_.element_type)})
    return result


def check_contract(module: ir.Operation) -> dict[str, Any]:
    """See that only the promised dialects and static shapes are left, and describe `@main`.

    Raises:
        StageError: Lists every op that breaks the promise.
    """
    problems: list[dict[str, Any]] = []
    functions: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.func":
            functions.append(op)
        reason = _contract_problem(op)
        if reason is not None:
            problems.append({"op": op_label(op), **locate(op.location), "reason": reason})
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    if problems:
        raise StageError("contract", problems[0]["reason"], problems)
    main = next(op for op in functions if ir.StringAttr(op.attributes["sym_name"]).value == "main")
    signature = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    return {
        "status": "ok",
        "arguments": _types(signature.inputs),
        "results": _types(signature.results),
    }
