# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where things come from in the user's source: file positions and module paths."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import torch
from torch.fx import Node

_FRAME = re.compile(r'File "([^"]+)", line ([0-9]+)')
_TORCH_ROOT = str(Path(torch.__file__).resolve().parent)
_OWN_ROOT = str(Path(__file__).resolve().parents[2])


def _is_user_file(name: str) -> bool:
    return not name.startswith((_TORCH_ROOT, _OWN_ROOT, "<"))


def _innermost(frames: list[tuple[str, int]]) -> tuple[str, int] | None:
    """The last frame outside of torch, or the last one at all."""
    own = [frame for frame in frames if _is_user_file(frame[0])]
    chosen = own or frames
    return chosen[-1] if chosen else None


def node_position(node: Node) -> tuple[str, int] | None:
    """File and line of the user's statement that made a node."""
    found = _FRAME.findall(node.meta.get("stack_trace") or "")
    return _innermost([(name, int(line)) for name, line in found])


def node_path(node: Node) -> str:
    """`layers.0.linear1/linear_3`: path of the module that made the node, and its name."""
    stack = node.meta.get("nn_module_stack") or {}
    path = ""
    for entry in stack.values():
        path = re.sub(r"^L\['self'\]\.?", "", str(entry[0]))
    return f"{path}/{node.name}" if path else node.name


def describe_node(node: Node) -> str:
    """The node's path with its file and line, for messages."""
    position = node_position(node)
    return node_path(node) + (f" at {position[0]}:{position[1]}" if position else "")


def error_position(error: BaseException) -> str | None:
    """`file:line` of the user's code inside the traceback of an error."""
    frames = [(f.filename, f.lineno or 0) for f in traceback.extract_tb(error.__traceback__)]
    own = [frame for frame in frames if _is_user_file(frame[0])]
    # An error inside of traced code names the user's line in its text, not in its traceback.
    named = [(name, int(line)) for name, line in _FRAME.findall(str(error))]
    own += [frame for frame in named if _is_user_file(frame[0])]
    return f"{own[-1][0]}:{own[-1][1]}" if own else None
