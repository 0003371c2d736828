# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compile` and `load` give: a model that runs on the simulated NPU."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError, InternalError, NPUError
from .frontends.model import TensorSpec
from .profile import Fallback, Profile, node_costs

if TYPE_CHECKING:
    from .frontends import ImportedModel
    from .mlir import ir

LEVELS = ("linalg", "npu", "buffers", "npuisa")


class Executable:
    """A compiled model.

    Call it with the inputs in order: it returns the output, or a tuple of outputs if there are
    several. `run` takes and gives lists and can execute any level; `profile` also measures.

    Attributes:
        inputs: name, shape and dtype of each input.
        outputs: name, shape and dtype of each output.
        warnings: what the user should know about the import.
    """

    def __init__(
        self,
        package: Any,
        *,
        inputs: Sequence[TensorSpec],
        outputs: Sequence[TensorSpec],
        warnings: Sequence[str] = (),
        levels: Mapping[str, ir.Module] | None = None,
    ) -> None:
        self._package = package
        self._levels = dict(levels or {})
        self._jitted: dict[str, Any] = {}
        self.manifest: dict[str, Any] = json.loads(package.manifest)
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.warnings = tuple(warnings)

    def __repr__(self) -> str:
        def text(specs: Sequence[TensorSpec]) -> str:
            return ", ".join(f"{s.name}: {s.dtype}{list(s.shape)}" for s in specs)

        return f"<Executable for {self.target}: ({text(self.inputs)}) -> ({text(self.outputs)})>"

    @classmethod
    def from_module(cls, module: ir.Module, *, imported: ImportedModel, levels: Mapping[str, ir.Module]) -> Executable:
        """Package a module whose programs are instructions.

        Args:
            module: the module after the isa phase.
            imported: what it was imported from: names and types of inputs and outputs.
            levels: level to the module as it was there.

        Raises:
            InternalError: the host part or a program cannot be packaged.
        """
        from .mlir._mlir_libs import _npu

        extra = {
            "input_names": [spec.name for spec in imported.inputs],
            "output_names": [spec.name for spec in imported.outputs],
            "input_dtypes": [spec.dtype for spec in imported.inputs],
            "output_dtypes": [spec.dtype for spec in imported.outputs],
            "warnings": list(imported.warnings),
            "source": imported.source,
        }
        try:
            package = _npu.build_package(module, entry="main", extra=json.dumps(extra))
        except _npu.NativeError as error:
            raise InternalError(
                "the compiled model cannot be packaged", where=imported.source, why=str(error)
            ) from error
        return cls(
            package,
            inputs=imported.inputs,
            outputs=imported.outputs,
            warnings=imported.warnings,
            levels={**levels, "npuisa": module},
        )

    @property
    def target(self) -> str:
        """Name of the target that it was compiled for."""
        return str(self.manifest["target"]["name"])

    @property
    def target_hash(self) -> str:
        """Hash of the target description that it was compiled for."""
        return str(self.manifest["target"]["hash"])

    @property
    def fallbacks(self) -> tuple[Fallback, ...]:
        """Work that runs on the host, with the reason and the price."""
        return tuple(Fallback(entry["name"], entry["reason"], entry["cycles"]) for entry in self.manifest["fallbacks"])

    def __call__(self, *inputs: Any) -> np.ndarray | tuple[np.ndarray, ...]:
        """Run on the simulated NPU.

        Args:
            inputs: arrays (or tensors) of the shapes and dtypes of `self.inputs`.

        Returns:
            The output array, or a tuple if there are several.

        Raises:
            InputError: wrong number, shape or dtype of inputs.
            NPUError: the run failed, for example by an index out of range.
        """
        outputs = self.run(inputs)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def run(self, inputs: Sequence[Any] | Mapping[str, Any], *, level: str = "npuisa") -> list[np.ndarray]:
        """Run one level of the compilation.

        Args:
            inputs: arrays in order, or by name.
            level: "npuisa" is the simulator; "linalg", "npu" and "buffers" run the IR of that level
                on this machine through its reference meaning (not available after `load`).

        Raises:
            InputError: wrong inputs, or a level that is not there.
            NPUError: the run failed.
        """
        arrays = self._checked(inputs)
        if level == "npuisa":
            return self._simulate(arrays)[0]
        from .mlir._mlir_libs import _npu

        if level not in self._jitted:
            try:
                # Optimising a large module takes minutes, running it once takes moments.
                self._jitted[level] = _npu.jit_module(self.ir(level), entry="main", opt_level=0)
            except _npu.NativeError as error:
                raise InternalError(f"the level '{level}' cannot be compiled", why=str(error)) from error
        try:
            return self._typed(self._jitted[level].run(arrays))
        except _npu.NativeError as error:
            raise RunError("the run failed", where=f"level {level}", why=str(error)) from error

    def profile(
        self,
        *inputs: Any,
        trace: str | os.PathLike[str] | None = None,
        perturb_seed: int = 0,
        poison: bool = False,
    ) -> Profile:
        """Run on the simulated NPU and measure.

        Args:
            inputs: as for a call.
            trace: file for a Perfetto/Chrome trace, one track per queue.
            perturb_seed: not 0: delay every engine at random; results must not change.
            poison: make a read of memory that was never written an error.

        Returns:
            Outputs and figures.

        Raises:
            InputError: wrong inputs, a loaded package that cannot run, or the trace file cannot be written.
            NPUError: the run failed.
        """
        outputs, text, trace_text = self._simulate(
            self._checked(inputs), perturb=perturb_seed, poison=poison, trace=trace is not None, profile=True
        )
        if trace is not None:
            try:
                Path(trace).write_text(trace_text, encoding="utf-8")
            except OSError as error:
                raise InputError("the trace cannot be written", where=os.fspath(trace), why=str(error)) from error
        values = json.loads(text)
        return Profile(
            outputs=tuple(outputs),
            cycles=int(values["cycles"]),
            time_us=float(values["microseconds"]),
            utilization=float(values["utilization"]),
            fallbacks=self.fallbacks,
            nodes=node_costs(values),
            values=values,
        )

    def _simulate(self, arrays: Sequence[np.ndarray], **options: Any) -> tuple[list[np.ndarray], str, str]:
        """Outputs, the profile and the trace as JSON ("" if none was asked for)."""
        from .mlir._mlir_libs import _npu

        try:
            outputs, profile, trace = self._package.run(arrays, **options)
        except _npu.PackageError as error:
            raise self._unusable(error) from error
        except _npu.NativeError as error:
            raise RunError("the run failed", where=self.target, why=str(error)) from error
        return self._typed(outputs), profile, trace or ""

    def _unusable(self, error: Exception) -> NPUError:
        """The error for a package that no input can run: its compiler's fault, or the file's."""
        if self._levels:
            return InternalError("the compiled model cannot run", where=self.target, why=str(error))
        return InputError(
            "the package cannot run",
            code="E-PACKAGE",
            where=self.target,
            why=str(error),
            fix="compile the model again with this version",
        )

    def ir(self, level: str) -> ir.Module:
        """The module of a level: "linalg", "npu", "buffers" or "npuisa".

        Raises:
            InputError: no such level, or the executable was loaded from a package.
        """
        if level not in LEVELS:
            raise InputError(f"'{level}' is not a level", code="E-LEVEL", fix="use " + ", ".join(LEVELS))
        if level not in self._levels:
            raise InputError(
                f"the level '{level}' is not in a package",
                code="E-LEVEL",
                why="a package holds the host module and the device programs only",
                fix="compile the model to look at its levels",
            )
        return self._levels[level]

    def assembly(self) -> str:
        """The assembly text of the device programs."""
        return str(self._package.assembly())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the package (.npux), whole or not at all: an older file stays as it is if that fails.

        Raises:
            InputError: the file cannot be written.
        """
        goal = Path(path)
        # A device or a pipe is written in place.
        in_place = goal.exists() and not goal.is_file()
        temporary = goal if in_place else goal.with_name(f".{goal.name[:40]}.{os.getpid()}")
        try:
            temporary.write_bytes(self._package.write())
            if not in_place:
                os.replace(temporary, goal)
        except OSError as error:
            if not in_place:
                temporary.unlink(missing_ok=True)
            raise InputError("the package cannot be written", where=os.fspath(path), why=str(error)) from error

    def _checked(self, inputs: Sequence[Any] | Mapping[str, Any]) -> list[np.ndarray]:
        names = [spec.name for spec in self.inputs]
        wanted = ", ".join(f"{s.name} {list(s.shape)} {s.dtype}" for s in self.inputs) or "none"
        if isinstance(inputs, Mapping):
            if set(inputs) != set(names):
                raise InputError(
                    "the inputs are not those of the model",
                    why=f"given: {', '.join(map(str, inputs))}; the model takes: {wanted}",
                    fix="give every input once, by its name",
                )
            inputs = [inputs[name] for name in names]
        if len(inputs) != len(names):
            raise InputError(
                f"{len(inputs)} inputs were given, but the model takes {len(names)}", why=f"it takes: {wanted}"
            )
        return [_array(value, spec) for value, spec in zip(inputs, self.inputs, strict=True)]

    def _typed(self, outputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Outputs with the sign of the source's type: MLIR integers have none."""
        return [
            out.view(spec.dtype) if spec.dtype.startswith("uint") else out
            for out, spec in zip(outputs, self.outputs, strict=True)
        ]


class RunError(NPUError):
    """A run ended early, for a reason that lies in the model and its inputs."""

    exit_code = 2
    default_code = "E-RUN"


def _array(value: Any, spec: TensorSpec) -> np.ndarray:
    """One input as a contiguous array of exactly the shape and type of `spec`."""
    if hasattr(value, "detach"):  # a torch tensor; numpy() of one that needs grad is refused
        value = value.detach().cpu().numpy()
    array = np.ascontiguousarray(value)
    if np.ndim(value) == 0:
        array = array.reshape(())
    if array.dtype.name != spec.dtype:
        raise InputError(
            f"input '{spec.name}' has the wrong element type",
            code="E-INPUT",
            why=f"it is {array.dtype.name}, the model takes {spec.dtype}",
            fix=f"convert it: x.astype('{spec.dtype}')",
        )
    if array.shape != spec.shape:
        raise InputError(
            f"input '{spec.name}' has the wrong shape",
            code="E-SHAPE",
            why=f"it is {list(array.shape)}, the model was compiled for {list(spec.shape)}",
            fix="give that shape, or compile again with other shapes",
        )
    return array


def load(path: str | os.PathLike[str], *, target_hash: str = "") -> Executable:
    """Read a package (.npux) that `Executable.save` wrote.

    The host part of a package is code that this process compiles and runs: load only packages
    whose origin you trust.

    Args:
        path: the file.
        target_hash: refuse a package for another target than the one with this hash.

    Raises:
        InputError: the file is missing, not a package, corrupt or for another target (exit code 2).
    """
    from .mlir._mlir_libs import _npu

    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError("the package cannot be read", where=os.fspath(path), why=str(error)) from error
    try:
        package = _npu.read_package(data, target_hash=target_hash)
    except _npu.NativeError as error:
        raise InputError("the file is not a usable package", where=os.fspath(path), why=str(error)) from error
    try:
        extra = json.loads(package.manifest)["extra"]
        return Executable(
            package,
            inputs=_specs(package.inputs, extra["input_dtypes"]),
            outputs=_specs(package.outputs, extra["output_dtypes"]),
            warnings=[str(text) for text in extra["warnings"]],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "the file is not a usable package",
            where=os.fspath(path),
            why=f"its list of inputs and outputs is damaged: {type(error).__name__} {error}",
        ) from error


# Element types that are one word of their own size to numpy and to the program.
_SIGNS = {f"int{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)}


def _specs(tensors: Sequence[Any], dtypes: Sequence[str]) -> list[TensorSpec]:
    """Specs of a package's tensors; the recorded dtype brings the sign.

    Raises:
        ValueError: a recorded dtype is not that of the tensor, or its unsigned kind; or there are too many or too few.
    """
    for tensor, dtype in zip(tensors, dtypes, strict=True):
        if dtype not in (tensor.numpy_dtype, _SIGNS.get(tensor.numpy_dtype)):
            raise ValueError(f"'{tensor.name}' is {tensor.numpy_dtype}, not {dtype!r}")
    return [TensorSpec(t.name, tuple(t.shape), d) for t, d in zip(tensors, dtypes, strict=True)]
