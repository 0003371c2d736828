# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""npu-mlir: a compiler and workbench for neural processing units.

>>> import npu_mlir as npu
>>> exe = npu.compile("digits.onnx", target="mobile")  # doctest: +SKIP
>>> logits = exe(image)  # doctest: +SKIP

Importing this package loads neither torch nor onnx nor the compiler itself; the names below are
resolved when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .compiler import CustomPass, RewritePass, compile, lower
    from .errors import (
        ImportFailure,
        InputError,
        InternalError,
        MissingExtraError,
        NPUError,
        NumericError,
        UnsupportedOpError,
    )
    from .executable import Executable, load
    from .frontends import ImportedModel, TensorSpec, load_model
    from .profile import Profile

__version__ = "0.1.0"

_HOMES = {
    "CustomPass": "compiler",
    "Executable": "executable",
    "ImportFailure": "errors",
    "ImportedModel": "frontends",
    "InputError": "errors",
    "InternalError": "errors",
    "MissingExtraError": "errors",
    "NPUError": "errors",
    "NumericError": "errors",
    "Profile": "profile",
    "RewritePass": "compiler",
    "TensorSpec": "frontends",
    "UnsupportedOpError": "errors",
    "compile": "compiler",
    "load": "executable",
    "load_model": "frontends",
    "lower": "compiler",
}

__all__ = [
    "CustomPass",
    "Executable",
    "ImportFailure",
    "ImportedModel",
    "InputError",
    "InternalError",
    "MissingExtraError",
    "NPUError",
    "NumericError",
    "Profile",
    "RewritePass",
    "TensorSpec",
    "UnsupportedOpError",
    "compile",
    "load",
    "load_model",
    "lower",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'npu_mlir' has no attribute '{name}'")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
