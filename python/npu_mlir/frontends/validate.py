# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that hold for imported models of every kind."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING

from ..errors import InputError
from .model import ImportedModel

if TYPE_CHECKING:
    import numpy as np


# The index space of an instruction ends here, and a tensor of single bytes would take 8 GiB.
MAX_ELEMENTS = 1 << 33


def validate(model: ImportedModel) -> ImportedModel:
    """Refuse what would only fail, or give nonsense, much later.

    Raises:
        InputError: A tensor of zero or of excessive size in the signature, or a weight with NaN.
    """
    _refuse_huge(model)
    _refuse_zero_size(model)
    refuse_nan(model.weights, model.source)
    return model


def _refuse_zero_size(model: ImportedModel) -> None:
    found = [
        f"{word} '{spec.name}' has the shape {list(spec.shape)}"
        for word, specs in (("input", model.inputs), ("output", model.outputs))
        for spec in specs
        if 0 in spec.shape
    ]
    if found:
        raise InputError(
            "the model has tensors of zero size",
            code="E-ZEROSIZE",
            where=model.source,
            why="\n".join(found),
            fix="give every dimension a size of at least 1",
        )


def _refuse_huge(model: ImportedModel) -> None:
    found = [
        f"{word} '{spec.name}' has the shape {list(spec.shape)}, {prod(spec.shape):,} elements"
        for word, specs in (("input", model.inputs), ("output", model.outputs))
        for spec in specs
        if prod(spec.shape) > MAX_ELEMENTS
    ]
    if found:
        raise InputError(
            "the model has tensors that are too large",
            code="E-TOOLARGE",
            where=model.source,
            why="\n".join(found) + f"\nat most {MAX_ELEMENTS:,} elements are possible",
        )


def refuse_nan(weights: Mapping[str, np.ndarray], where: str) -> None:
    """Refuse weights with NaN; `where` names the model in the message.

    Raises:
        InputError: Lists each such weight with the number of its NaN.
    """
    import numpy as np

    found = []
    for name, value in weights.items():
        # Custom float types (bfloat16 ...) have kind V; isnan is defined for all of them.
        if value.dtype.kind not in "fcV":
            continue
        count = int(np.count_nonzero(np.isnan(value)))
        if count:
            found.append(f"weight '{name}': {count} of {value.size} elements are NaN")
    if found:
        raise InputError(
            "the model has weights that are not numbers",
            code="E-NANWEIGHT",
            where=where,
            why="\n".join(found),
            fix="train or export the model again; every result would be NaN",
        )
