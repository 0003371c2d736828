# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classifies held-out digits on the simulated NPU and checks every result against onnxruntime.

Usage: python run.py [--target mobile] [--count N] [--show N] [--json FILE|-]

Exit code 0 only if all of it holds: accuracy at least 97 % (if all images are run), the class of
onnxruntime for every image, and every output within its error bound. 1 if not, 2 for wrong arguments or files, 3 if the
model cannot be compiled, 4 for a fault of the tool.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
MODEL = HERE / "digits.onnx"
HELD_OUT = HERE / "heldout.npz"
LOWEST_ACCURACY = 0.97
SHADES = " .:-=+*#%@"


def compile_model(path: Path, target: str) -> Any:
    """The compiled model: an image gives logits; it knows its cycles and its host fallbacks."""
    import npu_mlir as npu

    return npu.compile(str(path), target=target)


def logits_of(result: Any) -> np.ndarray:
    """The single output of an executable, which may come alone or in a sequence."""
    return np.asarray(result[0] if isinstance(result, tuple | list) else result)


@dataclass(frozen=True)
class Image:
    """What came out for one image.

    Attributes:
        label: the true class.
        npu: class found on the NPU.
        ort: class found by onnxruntime.
        err_over_bound: largest |NPU - onnxruntime| / bound over the ten logits.
        explanation: the comparison in words if it is bad, else empty.
    """

    label: int
    npu: int
    ort: int
    err_over_bound: float
    explanation: str


@dataclass(frozen=True)
class Timing:
    """What one image costs: cycles, microseconds at the clock, utilisation 0..1 of the peak."""

    cycles: int
    time_us: float
    utilization: float


def classify(executable: Any, images: np.ndarray, labels: np.ndarray) -> list[Image]:
    """Run every image on the NPU and in onnxruntime, and compare.

    Args:
        executable: the compiled model.
        images: pixels 0..16, [N, 1, 8, 8].
        labels: classes 0..9, [N].
    """
    import onnxruntime as ort
    from npu_mlir.compare import ErrorModel, compare_tensors

    session = ort.InferenceSession(MODEL.read_bytes(), providers=["CPUExecutionProvider"])
    error_model = ErrorModel(MODEL)
    results = []
    for pixels, label in zip(images, labels, strict=True):
        x = pixels[None].astype(np.float32)
        reference = np.asarray(session.run(None, {"image": x})[0])
        got = logits_of(executable(x))
        bound = error_model.bounds({"image": x})["logits"].bound
        comparison = compare_tensors(reference, got, bound=bound, name="logits")
        ratio = comparison.err_over_bound
        results.append(
            Image(
                label=int(label),
                npu=int(np.argmax(got)),
                ort=int(np.argmax(reference)),
                err_over_bound=float("inf") if ratio is None else ratio,
                explanation="" if comparison.ok else comparison.explain(),
            )
        )
    return results


def picture(pixels: np.ndarray) -> list[str]:
    """An 8x8 image of 0..16 as eight lines of text, two characters a pixel."""
    shades = np.minimum(pixels.astype(int) * len(SHADES) // 17, len(SHADES) - 1)
    return ["".join(SHADES[s] * 2 for s in row) for row in shades]


def show(images: np.ndarray, results: Sequence[Image]) -> str:
    """Pictures side by side, four in a row, with the class below each."""
    blocks = []
    for start in range(0, len(results), 4):
        row = list(range(start, min(start + 4, len(results))))
        lines = [
            "  ".join(parts) for parts in zip(*(picture(images[i, 0]) for i in row), strict=True)
        ]
        captions = [f"NPU {results[i].npu}, label {results[i].label}".ljust(16) for i in row]
        blocks.append("\n".join([*lines, "  ".join(captions)]))
    return "\n\n".join(blocks)


def summarize(
    results: Sequence[Image], timing: Timing, fallbacks: Sequence[Any], *, complete: bool
) -> dict[str, Any]:
    """All totals and the verdict, as plain values; the limit of the accuracy is for the `complete` set."""
    correct = sum(r.npu == r.label for r in results)
    same = sum(r.npu == r.ort for r in results)
    worst = max(range(len(results)), key=lambda i: results[i].err_over_bound)
    accuracy = correct / len(results)
    failures = []
    if complete and accuracy < LOWEST_ACCURACY:
        failures.append(f"accuracy {accuracy:.2%} is below {LOWEST_ACCURACY:.0%}")
    if same < len(results):
        failures.append(f"{len(results) - same} images get another class than in onnxruntime")
    bad = [i for i, r in enumerate(results) if r.explanation]
    if bad:
        failures.append(
            f"{len(bad)} images are outside the error bound, first image {bad[0]}:\n"
            f"{results[bad[0]].explanation}"
        )
    return {
        "images": len(results),
        "correct": correct,
        "accuracy": accuracy,
        "lowest_accuracy": LOWEST_ACCURACY if complete else None,
        "same_class_as_onnxruntime": same,
        "worst_err_over_bound": results[worst].err_over_bound,
        "worst_image": worst,
        "cycles_per_image": timing.cycles,
        "time_us_per_image": timing.time_us,
        "utilization": timing.utilization,
        "fallbacks": [str(f) for f in fallbacks],
        "failures": failures,
    }


def report(summary: dict[str, Any], target: str) -> str:
    """The totals for a person."""
    count, same = summary["images"], summary["same_class_as_onnxruntime"]
    correct, accuracy = summary["correct"], summary["accuracy"]
    microseconds = summary["time_us_per_image"]
    clock_mhz = summary["cycles_per_image"] / microseconds if microseconds else 0.0
    ratio = f"{summary['worst_err_over_bound']:.3g} (image {summary['worst_image']}), limit 1"
    lowest = summary["lowest_accuracy"]
    limit = f"limit {lowest:.0%}" if lowest else "no limit for a part of the images"
    lines = [
        f"accuracy      {correct} of {count} = {accuracy:.2%}, {limit}",
        f"onnxruntime   same class for {same} of {count}, worst err/bound {ratio}",
        f"cycles        {summary['cycles_per_image']:,} per image",
        f"time          {microseconds:.2f} us per image at {clock_mhz:,.0f} MHz ('{target}')",
        f"utilisation   {summary['utilization']:.1%} of the matrix array's peak",
        f"fallbacks     {len(summary['fallbacks']) or 'none'}",
    ]
    lines += [f"  {fallback}" for fallback in summary["fallbacks"]]
    lines += [f"failed        {failure}" for failure in summary["failures"]]
    return "\n".join([*lines, f"VERDICT {'bad' if summary['failures'] else 'ok'}"])


def file_record(path: Path) -> dict[str, Any]:
    """Name, size and hash of an input file, for the JSON report."""
    data = path.read_bytes()
    return {"path": path.name, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--target", default="mobile", help="preset or target file (default: mobile)"
    )
    parser.add_argument("--count", type=int, help="number of held-out images (default: all)")
    parser.add_argument("--show", type=int, default=8, help="number of images to draw (default: 8)")
    parser.add_argument(
        "--json", metavar="FILE", help="write the result as JSON to FILE, or to stdout with '-'"
    )
    return parser.parse_args(argv)


def load_images(count: int | None) -> tuple[np.ndarray, np.ndarray, bool]:
    """Held-out images and labels, the first ``count`` of them, and whether these are all.

    Raises:
        ValueError: ``count`` is not between 1 and the number of images.
        OSError: the file cannot be read.
    """
    with np.load(HELD_OUT) as data:
        images, labels = data["images"], data["labels"]
    wanted = len(images) if count is None else count
    if not 1 <= wanted <= len(images):
        raise ValueError(f"--count must be between 1 and {len(images)}, but found {wanted}")
    return images[:wanted], labels[:wanted], wanted == len(images)


def write_json(destination: str, document: dict[str, Any]) -> None:
    """Write ``document`` to a file or to stdout ("-"); a file appears whole or not at all."""
    text = json.dumps(document, indent=2) + "\n"
    if destination == "-":
        sys.stdout.write(text)
        return
    path = Path(destination)
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def main(
    argv: Sequence[str] | None = None, compiler: Callable[[Path, str], Any] = compile_model
) -> int:
    """Run the example; returns the exit code."""
    started = time.time()
    options = parse(argv)
    try:
        images, labels, complete = load_images(options.count)
        executable = compiler(MODEL, options.target)
        results = classify(executable, images, labels)
        profile = executable.profile(images[0][None].astype(np.float32))
        timing = Timing(int(profile.cycles), float(profile.time_us), float(profile.utilization))
        summary = summarize(results, timing, list(executable.fallbacks), complete=complete)
        exit_code = 1 if summary["failures"] else 0
        if options.json:
            document = {
                "schema": "npu.digits/1",
                "command": ["run.py", *(sys.argv[1:] if argv is None else argv)],
                "inputs": [file_record(MODEL), file_record(HELD_OUT)],
                "target": {"name": options.target},
                "verdict": "bad" if exit_code else "ok",
                "exit_code": exit_code,
                "summary": summary,
                "profile": profile.to_dict(),
                "started": started,
                "wall_s": time.time() - started,
            }
            write_json(options.json, document)
    except (OSError, ValueError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        # Every error of npu_mlir says what, where, why and what to do, and carries its exit code.
        if not hasattr(error, "exit_code"):
            raise
        print(f"run.py: {error}", file=sys.stderr)
        return int(error.exit_code)
    stream = sys.stderr if options.json == "-" else sys.stdout
    shown = max(0, min(options.show, len(results)))
    print(f"{MODEL.name} on '{options.target}', {len(results)} held-out images\n", file=stream)
    if shown:
        print(show(images, results[:shown]) + "\n", file=stream)
    print(report(summary, options.target), file=stream)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
