# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole-model verdicts: results of a compiled model against those of its framework."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .formats import float_format, is_float
from .gates import TensorComparison, compare_tensors
from .hints import hint_for
from .metrics import AnyArray, as_float64, root_mean_square
from .model_bound import TensorBound

#: Candidate may be this many times further from the float64 result than the framework is.
FP64_RATIO_LIMIT: Final = 4.0
#: Largest error per square root of depth, in root mean squares of the reference.
RMS_REL_PER_SQRT_DEPTH: Final = 1e-5
#: A propagated bound wider than this part of the result's root mean square says nothing: the
# float64 gate decides.
USEFUL_BOUND: Final = 1e-3

Tensors = Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike]


@dataclass(frozen=True)
class OutputComparison:
    """Verdict on one output of a model.

    Attributes:
        name: name of the output.
        ok: the verdict.
        gate: "exact", "bound" or "fp64".
        reason: why, in one sentence.
        tensor: all measures of candidate against reference.
        err_over_bound: largest ratio of |candidate - float64 value| to the bound; None for other
            gates than "bound".
        reference_over_bound: the same of the reference. Above 1 the reference is the less accurate
            of the two.
        ratio: RMSE of the candidate over RMSE of the reference, both against float64; None without
            float64 run.
        rms_rel_limit: the limit on ``tensor.rms_rel`` of the gate "fp64"; None for other gates.
    """

    name: str
    ok: bool
    gate: str
    reason: str
    tensor: TensorComparison
    err_over_bound: float | None = None
    reference_over_bound: float | None = None
    ratio: float | None = None
    rms_rel_limit: float | None = None

    def __bool__(self) -> bool:
        return self.ok

    def explain(self) -> str:
        """The verdict for a person, with the measures of the tensor below."""
        lines = [f"output '{self.name}' {'ok' if self.ok else 'BAD'} ({self.gate}): {self.reason}"]
        lines += [f"  {line.strip()}" for line in self.tensor.explain().splitlines()[1:]]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain Python values for JSON."""
        return {
            "name": self.name,
            "ok": self.ok,
            "gate": self.gate,
            "reason": self.reason,
            "err_over_bound": self.err_over_bound,
            "reference_over_bound": self.reference_over_bound,
            "ratio": self.ratio,
            "rms_rel_limit": self.rms_rel_limit,
            "tensor": self.tensor.to_dict(),
        }


@dataclass(frozen=True)
class OutputsComparison:
    """Verdicts on all outputs of a model.

    Attributes:
        outputs: one verdict per output present on both sides.
        only_ref: outputs that the candidate lacks.
        only_got: outputs that the reference lacks.
    """

    outputs: tuple[OutputComparison, ...]
    only_ref: tuple[str, ...] = ()
    only_got: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every output is there and every verdict is good."""
        return not self.only_ref and not self.only_got and all(o.ok for o in self.outputs)

    def __bool__(self) -> bool:
        return self.ok

    def explain(self) -> str:
        """The verdicts for a person, one paragraph per output."""
        lines = [o.explain() for o in self.outputs]
        lines += [f"output '{name}' is missing from the candidate" for name in self.only_ref]
        lines += [f"output '{name}' is not an output of the reference" for name in self.only_got]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain Python values for JSON."""
        return {
            "ok": self.ok,
            "outputs": [o.to_dict() for o in self.outputs],
            "only_ref": list(self.only_ref),
            "only_got": list(self.only_got),
        }


def fp64_ratio(
    ref: npt.ArrayLike, got: npt.ArrayLike, ref64: npt.ArrayLike, *, depth: int = 1
) -> float:
    """How much further the candidate is from the truth than the reference is.

    RMSE(got, ref64) / RMSE(ref, ref64). With few elements the reference may be nearly exact by
    chance, which would make any candidate look bad. So its error counts as at least what ``depth``
    independent roundings leave: half a unit roundoff times sqrt(depth), relative to the result.

    Args:
        ref: result of the framework in its own precision.
        got: result of the candidate, same shape.
        ref64: result of the same model in float64, same shape.
        depth: number of rounding operators on the longest path.

    Returns:
        The ratio; 0.0 if the candidate is exact.

    Raises:
        ValueError: the shapes differ.
    """
    r, g, exact = np.asarray(ref), as_float64(got), as_float64(ref64)
    if not r.shape == g.shape == exact.shape:
        raise ValueError(
            f"expected equal shapes, but found {list(r.shape)}, {list(g.shape)} "
            f"and {list(exact.shape)}"
        )
    finite = np.isfinite(exact)
    truth = np.where(finite, exact, 0.0)
    error = root_mean_square(np.where(finite, g, 0.0) - truth)
    unit = float_format(r.dtype).unit_roundoff if is_float(r.dtype) else 0.0
    floor = 0.5 * unit * math.sqrt(max(depth, 1)) * root_mean_square(truth)
    reference_error = max(root_mean_square(np.where(finite, as_float64(r), 0.0) - truth), floor)
    if error == 0.0:
        return 0.0
    return error / reference_error if reference_error > 0.0 else float("inf")


def compare_outputs(
    refs: Tensors,
    gots: Tensors,
    ref64: Tensors | None = None,
    depth: int | None = None,
    *,
    bounds: Mapping[str, TensorBound] | Sequence[TensorBound] | None = None,
) -> OutputsComparison:
    """Decide whether a model's results are the same as those of its framework.

    Structure (shape, dtype, NaN, infinities) must equal the framework's. Integer and boolean
    outputs must be bit-equal. A floating-point output is decided by its propagated bound if there
    is one and it is narrow enough to mean something (`USEFUL_BOUND`): the candidate must be within
    the bound of the float64 value, so that an inaccurate framework is no fault of the candidate.
    Else two conditions decide together: `fp64_ratio` at most 4, and ``rms_rel`` (against the
    framework) at most ``1e-5 * sqrt(depth)``.

    Args:
        refs: results of the framework, by name or in order.
        gots: results of the candidate, by name or in order (the same form as ``refs``).
        ref64: results of the model in float64, same form; `run_float64` makes them.
        depth: number of arithmetic operators on the longest path; `ErrorModel.depth` knows it.
        bounds: propagated bounds by output, from `model_bound`; their values serve as ``ref64``
            too.

    Returns:
        The verdicts.

    Raises:
        ValueError: the forms differ, or neither bound nor ``ref64`` with ``depth`` is there for a
            float output.

    Example:
        >>> bounds = model_bound(model, inputs)
        >>> result = compare_outputs(reference, executed, bounds=bounds,
        depth=ErrorModel(model).depth)
        >>> assert result, result.explain()
    """
    named_refs, named_gots = _by_name(refs), _by_name(gots)
    named_64 = (
        {name: as_float64(value) for name, value in _by_name(ref64).items()}
        if ref64 is not None
        else {}
    )
    named_bounds: dict[str, TensorBound] = {}
    if bounds is not None:
        named_bounds = (
            dict(bounds)
            if isinstance(bounds, Mapping)
            else {f"output{i}": b for i, b in enumerate(bounds)}
        )
    results = []
    for name, ref in named_refs.items():
        if name in named_gots:
            limit = named_bounds.get(name)
            exact = named_64.get(name, None if limit is None else limit.value)
            results.append(_compare_output(name, ref, named_gots[name], limit, exact, depth))
    return OutputsComparison(
        outputs=tuple(results),
        only_ref=tuple(n for n in named_refs if n not in named_gots),
        only_got=tuple(n for n in named_gots if n not in named_refs),
    )


def _by_name(tensors: Tensors) -> dict[str, AnyArray]:
    if isinstance(tensors, Mapping):
        return {name: np.asarray(value) for name, value in tensors.items()}
    return {f"output{i}": np.asarray(value) for i, value in enumerate(tensors)}


def _compare_output(
    name: str,
    ref: AnyArray,
    got: AnyArray,
    limit: TensorBound | None,
    exact: AnyArray | None,
    depth: int | None,
) -> OutputComparison:
    bound = None if limit is None else limit.bound
    if not is_float(ref.dtype) and (bound is None or not bound.any()):
        tensor = compare_tensors(ref, got, name=name)
        return OutputComparison(name, tensor.ok, "exact", tensor.reason, tensor)
    # An infinite bound decides nothing but structure, NaN and infinities.
    tensor = compare_tensors(ref, got, bound=np.inf, name=name)
    by_bound = (
        limit is not None
        and bound is not None
        and (limit.is_useful(USEFUL_BOUND) or not is_float(ref.dtype))
    )
    if not tensor.ok:
        return OutputComparison(name, False, "bound" if by_bound else "fp64", tensor.reason, tensor)
    if by_bound:
        assert limit is not None
        return _by_bound(name, ref, got, limit, tensor)
    if exact is None or depth is None:
        raise ValueError(
            f"output '{name}' has no useful bound; pass 'ref64' and 'depth' for the float64 gate"
        )
    rms_limit = RMS_REL_PER_SQRT_DEPTH * math.sqrt(max(depth, 1))
    ratio, rms_rel = fp64_ratio(ref, got, exact, depth=depth), tensor.rms_rel or 0.0
    ok = ratio <= FP64_RATIO_LIMIT and rms_rel <= rms_limit
    reason = (
        f"error {ratio:.3g} times the framework's own (limit {FP64_RATIO_LIMIT:g}), "
        f"largest {rms_rel:.3g} rms (limit {rms_limit:.3g})"
    )
    return OutputComparison(name, ok, "fp64", reason, tensor, ratio=ratio, rms_rel_limit=rms_limit)


def _by_bound(
    name: str, ref: AnyArray, got: AnyArray, limit: TensorBound, tensor: TensorComparison
) -> OutputComparison:
    assert limit.bound is not None
    truth = as_float64(limit.value)
    judged = compare_tensors(truth, as_float64(got), bound=limit.bound, name=name)
    reference = compare_tensors(truth, as_float64(ref), bound=limit.bound).err_over_bound
    # The pattern of the mistake is clearer against the framework, which has the same rounding
    # scale.
    hint = "" if judged.ok else hint_for(ref, got)
    shown = replace(
        tensor, ok=judged.ok, reason=judged.reason, err_over_bound=judged.err_over_bound, hint=hint
    )
    ratio = fp64_ratio(ref, got, truth) if is_float(ref.dtype) else None
    reason = (
        f"{judged.reason} (framework {reference:.3g})" if reference is not None else judged.reason
    )
    return OutputComparison(
        name, judged.ok, "bound", reason, shown, judged.err_over_bound, reference, ratio
    )
