# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PyTorch examples, with eager PyTorch (right or wrong) in place of the compiled model."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import npu_mlir
import numpy as np
import pytest

torch = pytest.importorskip("torch")

EXAMPLES = Path(__file__).parents[3] / "examples"


class Eager:
    """Runs the module itself; ``factor`` makes its results wrong."""

    fallbacks = ("sort: no vector instruction",)

    def __init__(self, module: torch.nn.Module, factor: float) -> None:
        self.module, self.factor = module, factor

    def __call__(self, x: np.ndarray) -> list[np.ndarray]:
        with torch.no_grad():
            return [self.module(torch.from_numpy(x)).numpy() * np.float32(self.factor)]

    def profile(self, x: np.ndarray) -> SimpleNamespace:
        return SimpleNamespace(cycles=4000, time_us=4.0, utilization=0.5)


@pytest.mark.parametrize("script", ["mlp_torch", "transformer_encoder"])
@pytest.mark.parametrize(("factor", "exit_code"), [(1.0, 0), (1.005, 1)])
def test_script_compares(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    script: str,
    factor: float,
    exit_code: int,
) -> None:
    asked = {}

    def fake_compile(module: torch.nn.Module, *, inputs: tuple, target: str) -> Eager:
        asked.update(inputs=inputs, target=target)
        return Eager(module, factor)

    monkeypatch.setattr(npu_mlir, "compile", fake_compile, raising=False)
    monkeypatch.setattr(sys, "argv", [f"{script}.py", "--target", "tiny"])
    monkeypatch.syspath_prepend(str(EXAMPLES))
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(EXAMPLES / f"{script}.py"), run_name="__main__")
    assert end.value.code == exit_code
    text = capsys.readouterr().out
    assert "4,000 = 4.00 us on 'tiny'" in text and "sort: no vector instruction" in text
    assert text.endswith(f"VERDICT {'bad' if exit_code else 'ok'}\n")
    assert asked["target"] == "tiny" and len(asked["inputs"]) == 1
