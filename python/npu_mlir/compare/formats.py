# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Number formats: unit roundoff, spacing and range of every element type a tensor may have.

numpy knows float16, float32 and float64; bfloat16 and the 8-bit floats come from ``ml_dtypes`` and
are told by their name, so that this module never has to import it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format.

    Attributes:
        name: numpy's name of the dtype.
        precision: bits of the significand, the hidden one included.
        min_exponent: exponent of the smallest normal number (2**min_exponent).
    """

    name: str
    precision: int
    min_exponent: int

    @property
    def unit_roundoff(self) -> float:
        """Largest relative error of one rounding to nearest: 2**-precision."""
        return 2.0**-self.precision

    def spacing(self, values: npt.ArrayLike) -> FloatArray:
        """Distance between neighbouring numbers of this format at ``|values|`` (one ULP).

        Args:
            values: numbers of any shape. Below the normal range the spacing of the subnormals is
                given.

        Returns:
            Spacing, same shape. Infinite and NaN inputs give NaN.
        """
        magnitude = np.abs(np.asarray(values, dtype=np.float64))
        _, exponent = np.frexp(magnitude)
        # frexp says exponent 0 for zero; its neighbours are subnormal.
        exponent = np.where(
            magnitude > 0.0, np.maximum(exponent - 1, self.min_exponent), self.min_exponent
        )
        step = np.ldexp(1.0, exponent - (self.precision - 1))
        return np.where(np.isfinite(magnitude), step, np.nan)


_FORMATS = {
    f.name: f
    for f in (
        FloatFormat("float64", 53, -1022),
        FloatFormat("float32", 24, -126),
        FloatFormat("float16", 11, -14),
        FloatFormat("bfloat16", 8, -126),
        FloatFormat("float8_e4m3fn", 4, -6),
        FloatFormat("float8_e5m2", 3, -14),
    )
}


def float_format(dtype: npt.DTypeLike | str) -> FloatFormat:
    """The format of a floating-point dtype.

    Args:
        dtype: a dtype, or its name ("float32", "bfloat16").

    Raises:
        ValueError: the dtype is not a floating-point type known here.
    """
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    try:
        return _FORMATS[name]
    except KeyError:
        known = ", ".join(sorted(_FORMATS))
        raise ValueError(
            f"'{name}' is not a known floating-point type; known are {known}"
        ) from None


def is_float(dtype: npt.DTypeLike) -> bool:
    """Whether ``dtype`` is one of the floating-point types of `float_format`."""
    return np.dtype(dtype).name in _FORMATS


def is_integer(dtype: npt.DTypeLike) -> bool:
    """Whether ``dtype`` is a signed or unsigned integer (bool is not)."""
    return np.dtype(dtype).kind in "iu"
