# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values on the command line: shapes, tensors, places of passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..frontends.files import missing_file

if TYPE_CHECKING:
    import numpy as np

    from ..compiler import CustomPass
    from ..frontends import TensorSpec


def parse_shapes(texts: Sequence[str]) -> dict[str, int | tuple[int, ...]]:
    """`x=1x3x224x224` to a shape, `N=4` to a size.

    A name with one number is a size: it binds a dimension of that name, or an input of rank 1.

    Raises:
        InputError: not of that form, or one name twice.
    """
    shapes: dict[str, int | tuple[int, ...]] = {}
    for text in texts:
        name, separator, value = text.rpartition("=")
        sizes = value.replace(",", "x").lower().split("x")
        if not separator or not name or not all(size.strip().isdecimal() for size in sizes):
            raise InputError(
                "--shape does not have the right form",
                code="E-SHAPE",
                where=f"--shape {text}",
                why="it is neither INPUT=SIZExSIZE... nor DIMENSION=SIZE with sizes of at least 1",
                fix="--shape x=1x3x224x224 or --shape N=4",
            )
        if name in shapes:
            raise InputError(
                f"--shape names '{name}' twice",
                code="E-SHAPE",
                why=f"{shapes[name]} and {value}",
                fix="give it once",
            )
        numbers = tuple(int(size) for size in sizes)
        shapes[name] = numbers if len(numbers) > 1 else numbers[0]
    return shapes


def parse_inserts(texts: Sequence[str]) -> list[CustomPass]:
    """`canonicalize@after:npu-tile` to a custom pass.

    Raises:
        InputError: not of that form.
    """
    from ..compiler import CustomPass

    passes = []
    for text in texts:
        pipeline, _, place = text.rpartition("@")
        side, _, anchor = place.partition(":")
        if not pipeline or side not in ("after", "before") or not anchor:
            raise InputError(
                "--insert does not have the right form",
                code="E-PASS",
                where=f"--insert {text}",
                why="it is neither PASS@after:NAME nor PASS@before:NAME",
                fix="--insert canonicalize@after:npu-fuse-epilogue",
            )
        if side == "after":
            passes.append(CustomPass(pipeline, after=anchor))
        else:
            passes.append(CustomPass(pipeline, before=anchor))
    return passes


def read_inputs(texts: Sequence[str], specs: Sequence[TensorSpec]) -> dict[str, np.ndarray]:
    """Read `x.npy`, `name=x.npy` and `file.npz` into input name to array, checked.

    Args:
        texts: the values of --input, in order; files without a name fill the inputs in order.
        specs: the inputs of the model.

    Raises:
        InputError: a file that cannot be read, a name that the model lacks, a missing input, a
            wrong shape or element type. All problems of shape and type are listed at once.
    """
    names = [spec.name for spec in specs]
    listed = describe(specs)
    arrays: dict[str, np.ndarray] = {}
    for text in texts:
        name, separator, file = text.partition("=")
        if not separator or Path(text).exists():
            name, file = "", text
        loaded = _read_file(Path(file))
        if isinstance(loaded, Mapping):
            if name:
                raise InputError(
                    "a .npz file holds its own names",
                    where=f"--input {text}",
                    fix=f"--input {file}",
                )
            found = loaded
        else:
            free = [n for n in names if n not in arrays]
            if not name and not free:
                raise InputError(
                    "there are more inputs than the model has",
                    where=f"--input {text}",
                    why=f"the model takes {listed}",
                )
            found = {name or free[0]: loaded}
        for key, array in found.items():
            if key not in names:
                raise _unknown_input(key, text, array, specs)
            if key in arrays:
                raise InputError(f"input '{key}' is given twice", where=f"--input {text}")
            arrays[key] = array
    _check(arrays, specs)
    return {spec.name: _native(arrays[spec.name], spec) for spec in specs}


def _native(array: np.ndarray, spec: TensorSpec) -> np.ndarray:
    """The array in the byte order of this machine."""
    if array.dtype.kind == "V":
        # numpy.save keeps bfloat16 as two raw bytes an element; _check saw that the bytes fit.
        return array.view(numpy_dtype(spec.dtype))
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def describe(specs: Sequence[TensorSpec]) -> str:
    """`x [1,3,8,8] float32, n [] int64`."""
    return ", ".join(f"{s.name} {_shape(s.shape)} {s.dtype}" for s in specs) or "no inputs"


def _shape(shape: Sequence[int]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


def _read_file(path: Path) -> np.ndarray | dict[str, np.ndarray]:
    import numpy as np

    if not path.exists():
        raise missing_file(path)
    if path.is_dir():
        raise InputError("the input is a folder", where=str(path), fix="name a .npy or .npz file")
    try:
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                if rest := len(file.read()):
                    raise ValueError(f"{rest} bytes follow behind the array")
                return loaded
            members = {name: loaded[name] for name in loaded.files}
            for name, member in members.items():
                if not isinstance(member, np.ndarray):
                    raise ValueError(f"its member '{name}' is not an array")
            return members
    except Exception as error:
        # numpy reads the header as Python text: a broken one makes errors of many kinds.
        why = str(error) or type(error).__name__
        if "allow_pickle" in why:
            why = "it is neither a .npy nor a .npz file of plain numbers"
        raise InputError(
            "the input file cannot be read",
            where=str(path),
            why=why,
            fix="write it with numpy.save or numpy.savez",
        ) from error


def _unknown_input(key: str, text: str, array: np.ndarray, specs: Sequence[TensorSpec]) -> InputError:
    import difflib

    close = difflib.get_close_matches(key.lower(), [s.name.lower() for s in specs], n=1)
    fits = [s.name for s in specs if s.name.lower() in close or s.shape == array.shape]
    return InputError(
        f"the model has no input '{key}'",
        code="E-NPZ",
        where=f"--input {text}",
        why=f"the model takes {describe(specs)}; '{key}' is {_shape(array.shape)} {array.dtype}",
        fix=f"did you mean '{fits[0]}'?" if fits else "use one of these names",
    )


def _check(arrays: Mapping[str, np.ndarray], specs: Sequence[TensorSpec]) -> None:
    problems = []
    for spec in specs:
        array = arrays.get(spec.name)
        if array is None:
            problems.append(f"'{spec.name}' {_shape(spec.shape)} {spec.dtype} is not given")
        elif array.shape != spec.shape:
            problems.append(f"'{spec.name}' is {_shape(array.shape)}, the model takes {_shape(spec.shape)}")
        elif not _same_dtype(array, spec.dtype):
            problems.append(f"'{spec.name}' is {array.dtype}, the model takes {spec.dtype}")
    if problems:
        raise InputError(
            "the inputs do not fit the model",
            code="E-SHAPE",
            where="--input",
            why="\n".join(problems),
            fix="give arrays of these shapes and types; nothing is broadcast or converted",
        )


def _same_dtype(array: np.ndarray, dtype: str) -> bool:
    if array.dtype.name == dtype:
        return True
    return dtype == "bfloat16" and array.dtype.kind == "V" and array.dtype.itemsize == 2


def random_inputs(specs: Sequence[TensorSpec], seed: int) -> dict[str, np.ndarray]:
    """Random arrays for a model: the same for the same seed.

    Floating-point elements are standard normal; 8-bit integers take their whole range, wider ones
    0 to 9 (they are often indices); booleans are fair.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    arrays = {}
    for spec in specs:
        dtype = numpy_dtype(spec.dtype)
        if dtype == np.bool_:
            arrays[spec.name] = generator.integers(0, 2, spec.shape).astype(dtype)
        elif dtype.kind in "iu":
            info = np.iinfo(dtype)
            low, high = (info.min, info.max) if dtype.itemsize == 1 else (0, 9)
            values = generator.integers(low, high, spec.shape, endpoint=True)
            arrays[spec.name] = np.asarray(values).astype(dtype)
        else:
            arrays[spec.name] = np.asarray(generator.standard_normal(spec.shape)).astype(dtype)
    return arrays


def numpy_dtype(name: str) -> Any:
    """The numpy dtype of an element type's name, bfloat16 included."""
    import numpy as np

    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)
