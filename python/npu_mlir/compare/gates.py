# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verdict on one tensor: structure first, then the gate of the kind of operator."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .formats import FloatArray, float_format, is_float, is_integer
from .hints import hint_for
from .metrics import (
    AnyArray,
    LsbStatistics,
    as_float64,
    cosine,
    lsb_statistics,
    root_mean_square,
    same_bits,
    sqnr_db,
    top_k_agreement,
    ulp_distance,
)

#: Largest difference in ULP by kind of operator.
ULP_LIMITS: Final[dict[str, float]] = {"elementwise": 1.0, "transcendental": 4.0}

#: What may be asked of `compare_tensors`.
KINDS: Final[tuple[str, ...]] = ("exact", "bounded", *ULP_LIMITS, "quantized")

#: Gate of an integer tensor whose rounding the hardware does not declare.
LSB_MAX: Final = 1
LSB_DIFFERING_MAX: Final = 0.01
LSB_MEAN_SIGNED_MAX: Final = 0.02


@dataclass(frozen=True)
class TensorComparison:
    """Result of `compare_tensors`. Measures that make no sense for the tensors are None.

    Attributes:
        name: name of the tensor, may be empty.
        ok: the verdict.
        kind: the gate that was applied, one of `KINDS`.
        reason: why the verdict is what it is, in one sentence.
        shape_ref, shape_got, dtype_ref, dtype_got: structure of both sides.
        nan_ref, nan_got: number of NaN on each side.
        inf_mismatch: elements that are infinite (or of another sign of infinity) on one side only.
        max_abs: largest absolute difference of finite elements.
        max_rel: largest relative difference, for reports only.
        rms_rel: max_abs / root mean square of the reference.
        max_ulp: largest difference in units in the last place of the reference.
        err_over_bound: largest ratio of difference to bound.
        sqnr_db: signal to noise ratio in dB.
        cosine: cosine similarity, for reports only.
        mean_signed: mean of candidate - reference.
        lsb: statistics of an integer tensor.
        top1_agree: fraction of rows with the same largest element.
        worst_index: index of the element that decides.
        worst_ref, worst_got: the two values there.
        hint: what kind of mistake the difference looks like, may be empty.
    """

    name: str
    ok: bool
    kind: str
    reason: str
    shape_ref: tuple[int, ...]
    shape_got: tuple[int, ...]
    dtype_ref: str
    dtype_got: str
    nan_ref: int = 0
    nan_got: int = 0
    inf_mismatch: int = 0
    max_abs: float | None = None
    max_rel: float | None = None
    rms_rel: float | None = None
    max_ulp: float | None = None
    err_over_bound: float | None = None
    sqnr_db: float | None = None
    cosine: float | None = None
    mean_signed: float | None = None
    lsb: LsbStatistics | None = None
    top1_agree: float | None = None
    worst_index: tuple[int, ...] | None = None
    worst_ref: float | None = None
    worst_got: float | None = None
    hint: str = ""

    def __bool__(self) -> bool:
        return self.ok

    def explain(self) -> str:
        """The verdict for a person; for a failure also where it is and what it looks like."""
        label = f"'{self.name}'" if self.name else "tensor"
        lines = [f"{label} {'ok' if self.ok else 'BAD'} ({self.kind}): {self.reason}"]
        numbers = [
            f"{text} {value:.3g}"
            for text, value in (
                ("max |d|", self.max_abs),
                ("rms_rel", self.rms_rel),
                ("err/bound", self.err_over_bound),
                ("ULP", self.max_ulp),
                ("SQNR dB", self.sqnr_db),
            )
            if value is not None
        ]
        if numbers:
            lines.append("  " + ", ".join(numbers))
        if not self.ok and self.worst_index is not None:
            index = ", ".join(map(str, self.worst_index))
            lines.append(
                f"  worst at [{index}]: reference {self.worst_ref!r}, candidate {self.worst_got!r}"
            )
        if self.hint:
            lines.append(f"  looks like {self.hint}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain Python values for JSON; infinities become strings."""
        return {key: _plain(value) for key, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def compare_tensors(
    ref: npt.ArrayLike,
    got: npt.ArrayLike,
    *,
    bound: npt.ArrayLike | None = None,
    kind: str | None = None,
    max_ulp: float | None = None,
    name: str = "",
) -> TensorComparison:
    """Decide whether ``got`` is the same as ``ref``.

    Structure comes first: shape, dtype, positions of NaN and of each infinity must be equal;
    nothing is broadcast or converted. Then the gate of ``kind``:

    - "exact": equal bits (data movement, layout, integer arithmetic, passes that must not change
      values).
    - "bounded": ``|got - ref| <= bound`` everywhere (contraction, reduction, norm; `bounds`
      computes it).
    - "elementwise": at most 1 ULP. "transcendental": at most 4 ULP.
    - "quantized": integers whose rounding is not declared: at most 1 step, on at most 1 % of the
      elements, mean signed difference within 0.02.

    Args:
        ref: reference values, any shape and dtype.
        got: candidate values.
        bound: largest allowed absolute difference, broadcasts against ``ref``; needed for
            "bounded".
        kind: the gate. By default "bounded" if there is a bound, else "exact".
        max_ulp: replaces the limit of "elementwise" or "transcendental", as a declared bound of the
            hardware.
        name: name of the tensor, for messages.

    Returns:
        The verdict with every measure that makes sense for the tensors.

    Raises:
        ValueError: unknown kind, or a gate that does not fit the dtype or misses its bound.
    """
    r, g = np.asarray(ref), np.asarray(got)
    chosen = kind or ("bounded" if bound is not None else "exact")
    _check_request(chosen, r, bound, max_ulp)
    base: dict[str, Any] = {
        "name": name,
        "kind": chosen,
        "shape_ref": r.shape,
        "shape_got": g.shape,
        "dtype_ref": r.dtype.name,
        "dtype_got": g.dtype.name,
    }
    if r.shape != g.shape:
        return TensorComparison(
            **base,
            ok=False,
            reason=f"expected shape {list(r.shape)}, but found {list(g.shape)} (not broadcast)",
        )
    if r.dtype != g.dtype:
        return TensorComparison(
            **base, ok=False, reason=f"expected type {r.dtype.name}, but found {g.dtype.name}"
        )
    base |= _measure(r, g)
    structural = _special_values(r, g, base)
    if structural:
        return TensorComparison(**base, ok=False, reason=structural)
    ok, reason = _apply_gate(chosen, r, g, bound, max_ulp, base)
    if not ok:
        base["hint"] = hint_for(r, g)
    return TensorComparison(**base, ok=ok, reason=reason)


def _check_request(
    kind: str, ref: AnyArray, bound: npt.ArrayLike | None, max_ulp: float | None
) -> None:
    if kind not in KINDS:
        raise ValueError(f"'{kind}' is not a kind of comparison; kinds are {', '.join(KINDS)}")
    if (kind == "bounded") != (bound is not None):
        need = "needs" if kind == "bounded" else "takes no"
        raise ValueError(f"a comparison of kind '{kind}' {need} 'bound'")
    if max_ulp is not None and kind not in ULP_LIMITS:
        raise ValueError(f"a comparison of kind '{kind}' takes no 'max_ulp'")
    if kind in ULP_LIMITS and not is_float(ref.dtype):
        raise ValueError(
            f"a comparison of kind '{kind}' is for floating-point tensors, "
            f"but found {ref.dtype.name}"
        )
    if kind == "quantized" and not is_integer(ref.dtype):
        raise ValueError(
            f"a comparison of kind 'quantized' is for integer tensors, but found {ref.dtype.name}"
        )


def _measure(ref: AnyArray, got: AnyArray) -> dict[str, Any]:
    """Every measure of two tensors of equal structure, over the elements finite on both sides."""
    r, g = as_float64(ref), as_float64(got)
    finite = np.isfinite(r) & np.isfinite(g)
    d = np.where(finite, np.where(finite, g, 0.0) - np.where(finite, r, 0.0), 0.0)
    fr, fg = np.where(finite, r, 0.0), np.where(finite, g, 0.0)
    magnitude = np.abs(d)
    max_abs = float(np.max(magnitude, initial=0.0))
    rms = root_mean_square(fr)
    out: dict[str, Any] = {
        "nan_ref": int(np.count_nonzero(np.isnan(r))),
        "nan_got": int(np.count_nonzero(np.isnan(g))),
        "inf_mismatch": int(
            np.count_nonzero((np.isinf(r) | np.isinf(g)) & (r != g) & ~np.isnan(r) & ~np.isnan(g))
        ),
        "max_abs": max_abs,
        "max_rel": _max_ratio(magnitude, np.abs(fr)),
        "rms_rel": 0.0 if max_abs == 0.0 else (max_abs / rms if rms else float("inf")),
        "sqnr_db": sqnr_db(fr, fg),
        "cosine": cosine(fr, fg),
        "mean_signed": float(np.mean(d)) if d.size else 0.0,
    }
    if is_float(ref.dtype):
        ulp = ulp_distance(fr, fg, float_format(ref.dtype))
        out["max_ulp"] = float(np.max(ulp, initial=0.0))
    elif is_integer(ref.dtype):
        out["lsb"] = lsb_statistics(ref, got)
    if ref.ndim and ref.shape[-1] > 1 and ref.size and finite.all():
        out["top1_agree"] = top_k_agreement(r, g, 1)
    if d.size and max_abs > 0.0:
        _point_at(out, int(np.argmax(magnitude)), r, g)
    return out


def _max_ratio(numerator: FloatArray, denominator: FloatArray) -> float:
    """Largest quotient; 0/0 counts as 0 and x/0 as infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(numerator == 0.0, 0.0, numerator / denominator)
    return float(np.max(ratio, initial=0.0))


def _point_at(out: dict[str, Any], flat: int, ref: FloatArray, got: FloatArray) -> None:
    index = np.unravel_index(flat, ref.shape)
    out["worst_index"] = tuple(int(i) for i in index)
    out["worst_ref"], out["worst_got"] = float(ref[index]), float(got[index])


def _special_values(ref: AnyArray, got: AnyArray, base: dict[str, Any]) -> str:
    """Reason why NaN or infinities do not match, or an empty string."""
    r, g = as_float64(ref), as_float64(got)
    nan_differs = np.isnan(r) != np.isnan(g)
    if nan_differs.any():
        _point_at(base, int(np.argmax(nan_differs)), r, g)
        return (
            f"expected {base['nan_ref']} NaN, but found {base['nan_got']} (or at other positions)"
        )
    if base["inf_mismatch"]:
        differs = (np.isinf(r) | np.isinf(g)) & (r != g) & ~np.isnan(r)
        _point_at(base, int(np.argmax(differs)), r, g)
        return (
            f"{base['inf_mismatch']} elements are infinite on one side only, or of the other sign"
        )
    return ""


def _apply_gate(
    kind: str,
    ref: AnyArray,
    got: AnyArray,
    bound: npt.ArrayLike | None,
    max_ulp: float | None,
    base: dict[str, Any],
) -> tuple[bool, str]:
    if kind == "bounded":
        assert bound is not None
        return _gate_bounded(ref, got, as_float64(bound), base)
    if kind == "exact":
        equal = same_bits(ref, got)
        count = int(equal.size - np.count_nonzero(equal))
        if count and "worst_index" not in base:
            _point_at(base, int(np.argmin(equal)), as_float64(ref), as_float64(got))
        return (
            count == 0,
            "bit-equal" if count == 0 else f"{count} of {equal.size} elements are not bit-equal",
        )
    if kind == "quantized":
        return _gate_lsb(base["lsb"])
    limit = ULP_LIMITS[kind] if max_ulp is None else max_ulp
    largest = base["max_ulp"]
    relation = "within" if largest <= limit else "above"
    return (
        largest <= limit,
        f"largest difference {largest:.3g} ULP, {relation} the limit of {limit:g}",
    )


def _gate_bounded(
    ref: AnyArray, got: AnyArray, bound: FloatArray, base: dict[str, Any]
) -> tuple[bool, str]:
    r, g = as_float64(ref), as_float64(got)
    limit = np.broadcast_to(bound, r.shape)
    if np.isnan(limit).any() or (limit < 0).any():
        raise ValueError(
            "expected a bound of non-negative numbers, but found a negative one or NaN"
        )
    equal = (r == g) | np.isnan(r)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(equal, 0.0, np.abs(g - r) / limit)
    worst = float(np.max(ratio, initial=0.0))
    base["err_over_bound"] = worst
    if worst > 0.0:
        _point_at(base, int(np.argmax(ratio)), r, g)
    if worst <= 1.0:
        return True, f"largest err/bound {worst:.3g}, within 1"
    above = int(np.count_nonzero(ratio > 1.0))
    return False, f"largest err/bound {worst:.3g}, above 1 on {above} of {ratio.size} elements"


def _gate_lsb(lsb: LsbStatistics) -> tuple[bool, str]:
    faults = []
    if lsb.max > LSB_MAX:
        faults.append(f"largest difference {lsb.max} steps, above {LSB_MAX}")
    if lsb.differing > LSB_DIFFERING_MAX:
        faults.append(f"{lsb.differing:.2%} of the elements differ, above {LSB_DIFFERING_MAX:.0%}")
    if abs(lsb.mean_signed) > LSB_MEAN_SIGNED_MAX:
        faults.append(
            f"mean signed difference {lsb.mean_signed:+.3f} steps, outside +-{LSB_MEAN_SIGNED_MAX}"
        )
    if faults:
        return False, "; ".join(faults)
    return (
        True,
        f"at most {lsb.max} step on {lsb.differing:.2%} of the elements "
        f"({lsb.saturated} saturated)",
    )
