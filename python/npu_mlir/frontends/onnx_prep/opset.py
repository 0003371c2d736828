# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raise old operator sets: the importer knows the forms of opset 17 and later best."""

from __future__ import annotations

import onnx
import onnx.version_converter

from . import names
from .work import Work

MIN_OPSET = 17
# Converters of single operators have gaps; an earlier target may avoid one.
_TARGETS = (21, 20, 19, 18, 17)


def raise_opset(work: Work) -> None:
    """Convert a model below opset 17; warn and leave it if no conversion exists."""
    version = work.opset()
    work.model.ir_version = max(work.model.ir_version, 8)
    if version >= MIN_OPSET:
        return
    first_error = ""
    for target in _TARGETS:
        try:
            converted = onnx.version_converter.convert_version(work.model, target)
        except (RuntimeError, ValueError) as error:
            first_error = first_error or str(error).splitlines()[-1].strip()
            continue
        converted.ir_version = max(converted.ir_version, 8)
        work.model = converted
        names.unique_names(work, new_origin=None)
        return
    work.warnings.append(
        f"W-OPSET: opset {version} could not be raised to {MIN_OPSET}: {first_error}"
    )
