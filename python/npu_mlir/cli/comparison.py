# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu run --compare-with`: the framework's results, and the verdict on ours."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import numpy as np

    from ..compare import OutputsComparison


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
    error_model = ErrorModel(path)
    return compare_outputs(
        dict(zip(names, values, strict=True)),
        outputs,
        bounds=error_model.bounds(dict(inputs)),
        depth=error_model.depth,
    )
