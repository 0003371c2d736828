# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hyperbolic functions and their inverses, over all magnitudes that f32 has."""

from __future__ import annotations

from collections.abc import Callable

import npu_mlir as npu
import numpy as np
import onnx
import pytest

# Largest error found, in units of the last place of the exact result, rounded up; docs/numerics.md.
ULP = {"Acosh": 1.4, "Asinh": 1.4, "Atanh": 1.5, "Cosh": 2.7, "Sinh": 3.4}


def magnitudes() -> np.ndarray:
    """Positive numbers of all binades, dense between 2^-12 and 2^8, and the edges."""
    rng = np.random.default_rng(0)
    wide = np.exp2(rng.uniform(-126, 127.99, 4000))
    dense = np.exp2(rng.uniform(-12, 8, 12000))
    edges = [0, 1, np.nextafter(1, 2), np.nextafter(1, 0), 4095.9998, 4096, 88.7, 89.4, 89.5, np.inf, np.nan]
    return np.concatenate([wide, dense, edges]).astype(np.float32)


@pytest.mark.parametrize("function", [np.arccosh, np.arcsinh, np.arctanh, np.cosh, np.sinh])
def test_error_over_all_magnitudes(function: Callable[[np.ndarray], np.ndarray]) -> None:
    op = function.__name__.replace("arc", "a").capitalize()
    x = np.concatenate([magnitudes(), -magnitudes()])
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 18]> g (float[{x.size}] x) => (float[{x.size}] y) {{ y = {op}(x) }}'
    )
    executable = npu.compile(model, target="tiny")
    assert not executable.fallbacks
    got = executable(x)
    assert np.array_equal(executable.run([x], level="npu")[0], got, equal_nan=True)
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64))
        expected = exact.astype(np.float32)
        finite = np.isfinite(expected) & (np.abs(expected) >= np.finfo(np.float32).tiny)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
        np.testing.assert_array_equal(got[np.isinf(expected)], expected[np.isinf(expected)])
        error = np.abs(got[finite] - exact[finite]) / np.spacing(np.abs(expected[finite]))
    assert error.max() <= ULP[op], f"{op} of {x[finite][error.argmax()]!r} is {error.max():.2f} ULP off"
