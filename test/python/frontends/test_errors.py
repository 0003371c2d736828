# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors: form, exit codes."""

from __future__ import annotations

from npu_mlir.errors import (
    ImportFailure,
    InputError,
    InternalError,
    MissingExtraError,
    NPUError,
    NumericError,
    UnsupportedNode,
    UnsupportedOpError,
)


def test_block_has_what_where_why_fix() -> None:
    error = InputError("no such file", where="m.onnx", why="line 1\nline 2", fix="check it")
    assert str(error).splitlines() == [
        "E-INPUT: no such file",
        "  where: m.onnx",
        "  why: line 1",
        "       line 2",
        "  fix: check it",
    ]


def test_parts_that_are_not_known_are_left_out() -> None:
    assert str(InternalError("broken")) == "E-INTERNAL: broken"


def test_exit_codes() -> None:
    nodes = [UnsupportedNode("n", "Unique", "ai.onnx")]
    codes = {
        NumericError("x"): 1,
        InputError("x"): 2,
        MissingExtraError("torch", extra="torch", purpose="here"): 2,
        UnsupportedOpError(nodes): 3,
        ImportFailure("x"): 3,
        InternalError("x"): 4,
    }
    for error, code in codes.items():
        assert isinstance(error, NPUError)
        assert error.exit_code == code


def test_all_unsupported_nodes_are_listed() -> None:
    nodes = [
        UnsupportedNode("a", "Unique", "ai.onnx", "no lowering"),
        UnsupportedNode("b", "Foo", "com.x", source="net.py:3"),
    ]
    text = str(UnsupportedOpError(nodes, where="m.onnx"))
    assert "unsupported: 2 nodes with Foo, Unique" in text
    assert "Unique (domain ai.onnx), node 'a': no lowering" in text
    assert "Foo (domain com.x), node 'b' at net.py:3" in text


def test_missing_extra_names_the_command() -> None:
    error = MissingExtraError("torch", extra="torch", purpose="to import PyTorch models")
    assert error.fix == "pip install 'npu-mlir[torch]'"
