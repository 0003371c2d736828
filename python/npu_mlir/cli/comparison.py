# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu run --compare-with`: the framework's results, and the verdict on ours."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, MissingExtraError, NPUError

if TYPE_CHECKING:
    import numpy as np

    from ..compare import OutputsComparison


class OracleFailure(NPUError):
    """There are results, but nothing that says how far they may be apart."""

    exit_code = 5
    default_code = "E-ORACLE"


def reference_model(reference: str, model: str) -> Path:
    """The .onnx file to compare with.

    Args:
        reference: the value of --compare-with: "onnxruntime", or an .onnx file.
        model: the model argument of the command.

    Raises:
        InputError: no ONNX file is named, or it is missing.
        MissingExtraError: onnx or onnxruntime is not installed.
    """
    path = Path(model if reference == "onnxruntime" else reference)
    if path.suffix.lower() != ".onnx":
        raise InputError(
            "there is no ONNX model to compare with",
            code="E-COMPARE",
            where=f"--compare-with {reference}",
            why=f"'{path}' is not an .onnx file",
            fix="--compare-with model.onnx",
        )
    if not path.is_file():
        from ..frontends.files import missing_file

        raise missing_file(path)
    for package, extra in (("onnx", "onnx"), ("onnxruntime", "test")):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, extra=extra, purpose="to compare with onnxruntime")
    return path


def compare_with_onnxruntime(
    path: Path, inputs: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]
) -> OutputsComparison:
    """Run an ONNX model with onnxruntime and decide whether `outputs` are its results.

    Raises:
        InputError: onnxruntime refuses the model or the inputs.
        OracleFailure: the float64 run that gives the error bounds is not possible.
    """
    import onnxruntime as ort

    from ..compare import ErrorModel, compare_outputs

    settings = ort.SessionOptions()
    settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 3
    try:
        session = ort.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
        names = [output.name for output in session.get_outputs()]
        values = session.run(names, dict(inputs))
    except Exception as error:  # onnxruntime's errors share no base class beside Exception
        raise InputError(
            "onnxruntime cannot run the model",
            code="E-COMPARE",
            where=str(path),
            why=str(error).splitlines()[0],
            fix="compare with the .onnx file that the package was compiled from",
        ) from error
    references = dict(zip(names, values, strict=True))
    try:
        error_model = ErrorModel(path)
        bounds = error_model.bounds(dict(inputs))
    except Exception as error:  # the reference evaluator of onnx lacks operators and attributes, in many ways
        raise OracleFailure(
            "the results cannot be judged",
            where=str(path),
            why=f"the float64 run that gives the error bounds failed: {type(error).__name__}: {error}\n"
            + _differences(references, outputs),
            fix="judge these differences yourself, or compare a model without the operator at fault",
        ) from error
    return compare_outputs(references, outputs, bounds=bounds, depth=error_model.depth)


def _differences(references: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray]) -> str:
    """How far the results are from those of onnxruntime, a line each."""
    from ..compare import compare_tensors

    lines = []
    for name, reference in references.items():
        if name in outputs:
            measured = compare_tensors(reference, outputs[name])
            lines.append(f"output '{name}' against onnxruntime: " + "; ".join(measured.explain().splitlines()))
        else:
            lines.append(f"output '{name}' is missing")
    return "\n".join(lines)
