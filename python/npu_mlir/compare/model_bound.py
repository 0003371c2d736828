# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Error bounds of a whole ONNX model, propagated from operator to operator in a float64 run.

The bound is a worst case: it holds for any kernel that satisfies the gates of single operators, in
any order of summation, and all errors are taken to add up. It is tight for a few layers (a small
CNN, an MLP) and grows too wide to mean anything for deep ones; `compare_outputs` then decides by
the float64 run alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from .evaluate import NodeRunner
from .formats import FloatArray, float_format, is_float
from .metrics import AnyArray, root_mean_square
from .rules import RULES, Call, Tracked, unknown
from .rules.structure import MOVES

if TYPE_CHECKING:
    import onnx

    ModelSource = onnx.ModelProto | str | PathLike[str] | bytes

# Operators that integers with an error may meet without losing the bound.
_TAKES_INEXACT_INTEGERS: Final = MOVES | {"DequantizeLinear", "Cast"}

# Operators of which the result depends on shapes only, so that errors of operands do not matter.
_SHAPE_ONLY: Final = frozenset({"Shape", "Size", "ConstantOfShape", "Range"})

# Operators that round nothing: they do not count for the depth of a model.
_FREE: Final = (
    MOVES
    | _SHAPE_ONLY
    | {"Constant", "Dropout", "Relu", "Max", "Min", "ReduceMax", "ReduceMin", "Neg", "Abs"}
)


@dataclass(frozen=True)
class TensorBound:
    """One tensor of the float64 run with its error bound.

    Attributes:
        name: name of the tensor in the model.
        value: float64 value, or the native type of a tensor that is not floating-point.
        bound: elementwise bound of the absolute error of any correct kernel, float64; None if it is
            not known.
        dtype: element type in the model, numpy's name.
        reason: why there is no bound.
    """

    name: str
    value: AnyArray
    bound: FloatArray | None
    dtype: str
    reason: str = ""

    def is_useful(self, limit: float) -> bool:
        """Whether the bound is narrow: its RMS is at most ``limit`` times that of the value.

        The mean, not the widest, so that few ill-conditioned elements (a row of zero variance, a
        value next to a rounding tie) do not make the rest of the bound worthless.
        """
        if self.bound is None:
            return False
        finite = np.isfinite(self.value)
        return root_mean_square(self.bound) <= limit * root_mean_square(
            np.where(finite, self.value, 0.0)
        )


class ErrorModel:
    """A model prepared for many float64 runs with error bounds.

    Args:
        model: an ONNX model, its serialized bytes, or the path of an ``.onnx`` file.
        accumulate: type in which kernels accumulate sums ("float32", "float16", "bfloat16").

    Attributes:
        inputs: names of the inputs that a run must be given.
        outputs: names of the outputs.
        depth: number of rounding operators on the longest path from an input to an output, at least
            1.

    Raises:
        OSError: the file cannot be read.
        ValueError: ``accumulate`` is not a known type.
    """

    def __init__(self, model: ModelSource, *, accumulate: str = "float32") -> None:
        import onnx
        import onnx.inliner
        from onnx import numpy_helper

        if isinstance(model, bytes):
            proto = onnx.load_from_string(model)
        elif isinstance(model, onnx.ModelProto):
            proto = model
        else:
            proto = onnx.load(model)
        if proto.functions:
            proto = onnx.inliner.inline_local_functions(proto)
        float_format(accumulate)  # An unknown type is an error now, not in the first run.
        opsets = {o.domain: o.version for o in proto.opset_import}
        self._accumulate = accumulate
        self._nodes = [NodeRunner(n, opsets) for n in proto.graph.node]
        self._constants = {
            t.name: _exact(numpy_helper.to_array(t)) for t in proto.graph.initializer
        }
        self.inputs = tuple(i.name for i in proto.graph.input if i.name not in self._constants)
        self.outputs = tuple(o.name for o in proto.graph.output)
        self.depth = self._longest_path()

    def _longest_path(self) -> int:
        depth: dict[str, int] = {}
        for runner in self._nodes:
            before = max(
                (depth.get(n, 0) for n in [*runner.node.input, *runner.captured]), default=0
            )
            own = 0 if runner.node.op_type in _FREE else 1
            depth.update((name, before + own) for name in runner.node.output)
        return max(1, *(depth.get(name, 0) for name in self.outputs)) if self.outputs else 1

    def bounds(
        self,
        inputs: Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike],
        tensors: Sequence[str] | None = None,
    ) -> dict[str, TensorBound]:
        """Run the model in float64 and bound the error of its results.

        Args:
            inputs: values by name, or in the order of `inputs`; taken as exact.
            tensors: names of the tensors to return; the outputs by default. Any tensor of the main
                graph may be named.

        Returns:
            Value and bound by tensor name.

        Raises:
            ValueError: an input is missing or unknown, or ``tensors`` names a tensor that does not
                exist.
        """
        known = dict(self._constants)
        known.update(
            (name, _exact(np.asarray(value))) for name, value in self._bind(inputs).items()
        )
        for runner in self._nodes:
            results = self._run_node(runner, known)
            known.update((n, r) for n, r in zip(runner.node.output, results, strict=False) if n)
        wanted = self.outputs if tensors is None else tuple(tensors)
        missing = [name for name in wanted if name not in known]
        if missing:
            raise ValueError(f"the model has no tensor {', '.join(repr(m) for m in missing)}")
        return {
            n: TensorBound(n, known[n].value, known[n].error, known[n].dtype, known[n].reason)
            for n in wanted
        }

    def _bind(
        self, inputs: Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike]
    ) -> dict[str, npt.ArrayLike]:
        if not isinstance(inputs, Mapping):
            if len(inputs) != len(self.inputs):
                raise ValueError(
                    f"expected {len(self.inputs)} inputs ({', '.join(self.inputs)}), "
                    f"but found {len(inputs)}"
                )
            return dict(zip(self.inputs, inputs, strict=True))
        missing = [n for n in self.inputs if n not in inputs]
        extra = [n for n in inputs if n not in self.inputs]
        if missing or extra:
            raise ValueError(f"expected inputs {list(self.inputs)}, but found {list(inputs)}")
        return dict(inputs)

    def _run_node(self, runner: NodeRunner, known: dict[str, Tracked]) -> Sequence[Tracked]:
        node = runner.node
        if node.op_type == "Constant" and node.domain in ("", "ai.onnx"):
            return [_exact(np.asarray(next(iter(runner.attributes.values()))))]
        operands = [known[n] if n else None for n in node.input]
        while operands and operands[-1] is None:
            operands.pop()
        call = Call(runner, operands, self._accumulate)
        rule = RULES.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        reason = _reason_without_bound(node.op_type, rule is not None, operands)
        if rule is not None and not reason:
            return rule(call)
        captured = {name: known[name].value for name in runner.captured}
        values = self._values_only(call, rule is not None, captured)
        exact = all(o is None or o.is_exact for o in operands) and all(
            known[n].is_exact for n in captured
        )
        integers = all(np.asarray(v).dtype.kind in "biu" for v in values)
        if node.op_type in _SHAPE_ONLY or (exact and integers):
            return [_exact(np.asarray(v)) for v in values]
        return [
            unknown(v, call.dtype if np.asarray(v).dtype.kind == "f" else v.dtype.name, reason)
            for v in values
        ]

    def _values_only(
        self, call: Call, has_rule: bool, captured: dict[str, AnyArray]
    ) -> list[AnyArray]:
        """Float64 values where errors are unknown.

        A rule is asked with zero errors, as it knows what the reference lacks.
        """
        if not has_rule:
            return call.runner.run(
                [None if o is None else o.value for o in call.operands], captured
            )
        exact = [
            None if o is None else Tracked(o.value, np.zeros(np.shape(o.value)), o.dtype)
            for o in call.operands
        ]
        return [
            r.value
            for r in RULES[call.runner.node.op_type](Call(call.runner, exact, call.accumulate))
        ]


def _reason_without_bound(op_type: str, has_rule: bool, operands: Sequence[Tracked | None]) -> str:
    if not has_rule:
        return f"{op_type} has no error rule"
    for operand in operands:
        if operand is not None and operand.error is None:
            return operand.reason
    inexact_integer = any(o is not None and not o.is_float and not o.is_exact for o in operands)
    if inexact_integer and op_type not in _TAKES_INEXACT_INTEGERS:
        return f"{op_type} of integers that a rounding may have moved has no error rule"
    return ""


def _exact(value: AnyArray) -> Tracked:
    dtype = value.dtype.name
    if is_float(value.dtype):
        value = value.astype(np.float64)
    return Tracked(value, np.zeros(value.shape), dtype)


def model_bound(
    model: ModelSource,
    inputs: Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike],
    *,
    tensors: Sequence[str] | None = None,
    accumulate: str = "float32",
) -> dict[str, TensorBound]:
    """Float64 values of a model's tensors and bounds of the error that any correct kernel may have.

    Args:
        model: an ONNX model, its serialized bytes, or the path of an ``.onnx`` file.
        inputs: values by name, or in order of the model's inputs.
        tensors: names of the tensors to return; the outputs by default.
        accumulate: type in which kernels accumulate sums.

    Returns:
        Value and bound by tensor name. A tensor downstream of an operator without error rule has
        bound None and the reason.

    Raises:
        OSError: the file cannot be read.
        ValueError: inputs or tensors do not fit the model.

    Example:
        >>> bounds = model_bound("digits.onnx", {"image": image})
        >>> compare_tensors(reference, executed, bound=bounds["logits"].bound).ok
    """
    return ErrorModel(model, accumulate=accumulate).bounds(inputs, tensors)


def run_float64(
    model: ModelSource, inputs: Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike]
) -> dict[str, np.ndarray[Any, Any]]:
    """Outputs of an ONNX model computed in float64, by name.

    Weights and inputs are the model's own values, taken as exact; attributes too.

    Args:
        model: an ONNX model, its serialized bytes, or the path of an ``.onnx`` file.
        inputs: values by name, or in order of the model's inputs.

    Raises:
        OSError: the file cannot be read.
        ValueError: inputs do not fit the model.
    """
    return {name: bound.value for name, bound in ErrorModel(model).bounds(inputs).items()}
