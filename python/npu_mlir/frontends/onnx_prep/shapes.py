# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bind the dynamic dimensions of the inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx

from ...errors import InputError
from .work import Work

Shapes = Mapping[str, int | Sequence[int]]


def _dims(value: onnx.ValueInfoProto) -> list[int | str | None]:
    """Extent, parameter name, or None for each dimension."""
    dims: list[int | str | None] = []
    for dim in value.type.tensor_type.shape.dim:
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            dims.append(dim.dim_value)
        else:
            dims.append(dim.dim_param or None)
    return dims


def describe_dims(dims: Sequence[int | str | None]) -> str:
    """`[N, 3, ?, 8]`."""
    return "[" + ", ".join("?" if d is None else str(d) for d in dims) + "]"


def _real_inputs(work: Work) -> list[onnx.ValueInfoProto]:
    return [value for value in work.graph.input if value.name not in work.weights]


def _bind(parameters: dict[str, int], name: str, size: int, where: str) -> None:
    if parameters.setdefault(name, size) != size:
        raise InputError(
            f"dimension '{name}' is given two sizes",
            code="E-SHAPE",
            where=where,
            why=f"{parameters[name]} and {size}",
            fix=f"give one: --shape {name}={size}",
        )


def _check_size(size: object, key: str, work: Work) -> int:
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        raise InputError(
            f"size of '{key}' is not an integer",
            code="E-SHAPE",
            where=work.where,
            why=f"it is {size!r}",
        )
    value = int(size.__index__())
    if value < 1:
        raise InputError(
            f"size of '{key}' is less than 1",
            code="E-SHAPE",
            where=work.where,
            why=f"it is {value}",
            fix="tensors of zero size are not supported; give a size of at least 1",
        )
    return value


def _input_parameters(
    work: Work,
    value: onnx.ValueInfoProto,
    given: Sequence[int],
    parameters: dict[str, int],
    fixed: dict[tuple[str, int], int],
) -> None:
    """Match the shape given for one input with its declaration."""
    name, has_shape = value.name, value.type.tensor_type.HasField("shape")
    dims = _dims(value) if has_shape else [None] * len(given)
    where = f"{work.where}, input '{name}'"
    sizes = [_check_size(size, name, work) for size in given]
    if len(sizes) != len(dims):
        raise InputError(
            "the given shape has the wrong rank",
            code="E-SHAPE",
            where=where,
            why=f"{list(sizes)} has {len(sizes)} dimensions, the model says {describe_dims(dims)}",
        )
    for axis, (size, dim) in enumerate(zip(sizes, dims, strict=True)):
        if isinstance(dim, int) and dim != size:
            raise InputError(
                "the given shape contradicts the model",
                code="E-SHAPE",
                where=where,
                why=f"dimension {axis} is {dim} in the model {describe_dims(dims)}, "
                f"but {size} was given",
                fix=f"give {dim} for it",
            )
        if isinstance(dim, str):
            _bind(parameters, dim, size, where)
        fixed[name, axis] = size
    if not has_shape:
        value.type.tensor_type.shape.CopyFrom(onnx.TensorShapeProto())
        for _ in sizes:
            value.type.tensor_type.shape.dim.add()


def bind_shapes(work: Work, shapes: Shapes | None) -> None:
    """Make the shapes of all inputs static.

    Args:
        work: The model.
        shapes: Input name to its whole shape, or name of a dimension parameter to its size.

    Raises:
        InputError: A key that the model does not have, a contradiction, a dimension left unbound.
    """
    inputs = {value.name: value for value in _real_inputs(work)}
    known_parameters = sorted(
        {d for value in inputs.values() for d in _dims(value) if isinstance(d, str)}
    )
    parameters: dict[str, int] = {}
    fixed: dict[tuple[str, int], int] = {}
    for key, given in (shapes or {}).items():
        if isinstance(given, Sequence) and not isinstance(given, str) and key in inputs:
            _input_parameters(work, inputs[key], given, parameters, fixed)
        elif not isinstance(given, Sequence) and key in known_parameters:
            _bind(parameters, key, _check_size(given, key, work), work.where)
        elif not isinstance(given, Sequence) and key in inputs and len(_dims(inputs[key])) == 1:
            _input_parameters(work, inputs[key], [given], parameters, fixed)
        else:
            raise _unknown_key(work, key, given, inputs, known_parameters)
    missing: list[str] = []
    for name, value in inputs.items():
        missing += _apply(name, value, parameters, fixed)
    if missing:
        raise _unbound(work, list(inputs.values()), missing, known_parameters)


def _apply(
    name: str,
    value: onnx.ValueInfoProto,
    parameters: Mapping[str, int],
    fixed: Mapping[tuple[str, int], int],
) -> list[str]:
    """Write the sizes into one input; returns a text for each dimension without one."""
    if not value.type.tensor_type.HasField("shape"):
        return [f"input '{name}': its rank is not known"]
    missing = []
    dims = _dims(value)
    for axis, dim in enumerate(dims):
        size = fixed.get((name, axis))
        if size is None and isinstance(dim, str):
            size = parameters.get(dim)
        if size is not None:
            value.type.tensor_type.shape.dim[axis].dim_value = size
        elif not isinstance(dim, int):
            label = f"'{dim}'" if dim else "without a name"
            missing.append(f"input '{name}' {describe_dims(dims)}: dimension {axis} {label}")
    return missing


def _unknown_key(
    work: Work,
    key: str,
    given: object,
    inputs: Mapping[str, onnx.ValueInfoProto],
    parameters: Sequence[str],
) -> InputError:
    listed = ", ".join(f"{name} {describe_dims(_dims(v))}" for name, v in inputs.items())
    dims = ", ".join(parameters) or "none"
    form = "a size" if not isinstance(given, Sequence) else "a shape"
    return InputError(
        f"'{key}' was given {form}, but the model has no such "
        + ("dimension name" if not isinstance(given, Sequence) else "input"),
        code="E-SHAPE",
        where=work.where,
        why=f"inputs: {listed or 'none'}; dimension names: {dims}",
        fix="use one of these names",
    )


def _unbound(
    work: Work,
    inputs: Sequence[onnx.ValueInfoProto],
    missing: Sequence[str],
    parameters: Sequence[str],
) -> InputError:
    flags = []
    for value in inputs:
        dims = _dims(value)
        if value.type.tensor_type.HasField("shape") and any(not isinstance(d, int) for d in dims):
            sizes = "x".join(str(d) if isinstance(d, int) else "1" for d in dims)
            flags.append(f"--shape {value.name}={sizes}")
    fix = " ".join(flags) or "give the whole shape of each input, for example --shape x=1x3x224x224"
    if parameters:
        fix += "\nor by name: " + " ".join(f"--shape {name}=1" for name in parameters)
    return InputError(
        "the model has dynamic dimensions without a size",
        code="E-DYNAMIC",
        where=work.where,
        why="\n".join(missing),
        fix=fix,
    )
