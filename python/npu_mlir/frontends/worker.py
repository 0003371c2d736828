# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Child process that runs torch-mlir, so that a crash of it never reaches the user's process.

Called as `python -m npu_mlir.frontends.worker DIR`. `DIR/request.json` says what to do:

`kind`
: `onnx` (the model is an ONNX file) or `torch` (text of the torch dialect).
`model`
: File name inside DIR.
`mode`
: `import` writes `out.mlir`; `probe` lowers every op on its own and lists those that fail.
`skip`
: For `probe`: ops with an index below this one are left out (they are known already).

The answer is `DIR/result.json`. `DIR/progress.json` always names what is being worked on: it is all
that is left when the process dies.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .worker_parent import end_with_parent
from .worker_progress import Progress


def _load(request: dict[str, Any], folder: Path, progress: Progress) -> Any:
    from . import worker_lower

    model = folder / request["model"]
    if request["kind"] == "onnx":
        return worker_lower.import_onnx(model, progress)
    return worker_lower.parse_torch(model, progress)


def run(folder: Path) -> dict[str, Any]:
    """Carry out the request in `folder`.

    Returns:
        The answer, ready for JSON: `status` is `ok`, `error` or `probed`.
    """
    # Here, because they take a second: the worker is tied to its parent before.
    from . import worker_cleanup, worker_lower, worker_probe

    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    with Progress(folder / "progress.json") as progress:
        try:
            module = _load(request, folder, progress)
            if request["mode"] == "probe":
                return worker_probe.probe(
                    module, request["kind"], progress, int(request.get("skip", 0))
                )
            worker_lower.lower(module, request["kind"], progress)
            worker_cleanup.clean(module)
            answer = worker_lower.check_contract(module)
        except worker_lower.StageError as error:
            return error.as_json()
        text = module.get_asm(enable_debug_info=True)
        (folder / "out.mlir").write_text(text, encoding="utf-8")
        return answer


def main() -> int:
    """Entry point; 0 if an answer was written, whatever it says."""
    end_with_parent()
    folder = Path(sys.argv[1])
    answer = run(folder)
    partial = folder / "result.json.part"
    partial.write_text(json.dumps(answer), encoding="utf-8")
    partial.rename(folder / "result.json")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
