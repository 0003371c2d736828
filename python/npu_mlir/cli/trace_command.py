# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`npu trace`: one run, on a time axis and by source node."""

from __future__ import annotations

import argparse

from .console import Console
from .report import Report
from .run_command import check_files, choose_inputs, measure, open_model, show_nodes, show_profile


def run(options: argparse.Namespace, console: Console, report: Report) -> None:
    """Run `npu trace`."""
    check_files(options)
    executable = open_model(options, console, report)
    inputs = choose_inputs(options, executable, console, report)
    profile = measure(executable, inputs, options, report)
    show_profile(profile, console, report)
    show_nodes(profile, console)
    console.line(f"trace: {options.trace} (open it in https://ui.perfetto.dev)")
