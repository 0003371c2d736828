# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the PyTorch examples share: compile, run, compare with eager PyTorch, print."""

from __future__ import annotations

import argparse
import copy
import sys

import npu_mlir as npu
import numpy as np
import torch
from npu_mlir.compare import compare_outputs
from torch import nn


def parse_target(description: str | None) -> str:
    """The value of the only option, ``--target``."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--target", default="mobile", help="preset or target file (default: mobile)"
    )
    return str(parser.parse_args().target)


def run_and_compare(module: nn.Module, x: torch.Tensor, *, target: str, depth: int) -> int:
    """Compile ``module`` for ``target``, run it on ``x`` and compare with eager PyTorch.

    The candidate may be four times as far from the float64 result as eager float32 is, and 1e-5 *
    sqrt(depth) of the root mean square from eager float32.

    Args:
        module: a module in eval mode with one input and one output.
        x: example input, float32.
        target: preset name or target file.
        depth: number of rounding operators on the longest path.

    Returns:
        Exit code: 0 if the results agree, 1 if not; that of the error if it does not compile.
    """
    try:
        executable = npu.compile(module, inputs=(x,), target=target)
        result = executable(x.numpy())
        profile = executable.profile(x.numpy())
    except Exception as error:
        # Every error of npu_mlir says what, where, why and what to do, and carries its exit code.
        if not hasattr(error, "exit_code"):
            raise
        print(error, file=sys.stderr)
        return int(error.exit_code)
    got = np.asarray(result[0] if isinstance(result, tuple | list) else result)
    with torch.no_grad():
        eager = module(x).numpy()
        double = copy.deepcopy(module).double()(x.double()).numpy()
    comparison = compare_outputs([eager], [got], ref64=[double], depth=depth)
    print(f"output        {list(got.shape)} {got.dtype}")
    print(f"cycles        {profile.cycles:,} = {profile.time_us:.2f} us on '{target}'")
    print(f"utilisation   {profile.utilization:.1%} of the matrix array's peak")
    print(f"fallbacks     {', '.join(map(str, executable.fallbacks)) or 'none'}")
    print(f"eager PyTorch {comparison.outputs[0].reason}")
    print(f"VERDICT {'ok' if comparison.ok else 'bad'}")
    return 0 if comparison.ok else 1
