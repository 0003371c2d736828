# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binding of dynamic dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import onnx
import pytest
from npu_mlir.errors import InputError
from npu_mlir.frontends.onnx_prep.shapes import bind_shapes
from npu_mlir.frontends.onnx_prep.work import Work
from small_onnx import make_model

_BODY = 'g (float["N",3,"H",8] x, float["N",4] z, float["S"] v) => (float["N",4] y) { y = Relu(z) }'


def bound(shapes: Mapping[str, int | Sequence[int]] | None) -> dict[str, list[int]]:
    work = Work(make_model(_BODY), "m.onnx")
    bind_shapes(work, shapes)
    return {
        value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in work.graph.input
    }


def test_by_dimension_name() -> None:
    result = bound({"N": 2, "H": 5, "S": 7})
    assert result == {"x": [2, 3, 5, 8], "z": [2, 4], "v": [7]}


def test_by_input_shape_binds_the_name_everywhere() -> None:
    assert bound({"x": (2, 3, 5, 8), "v": [7]})["z"] == [2, 4]


def test_one_size_for_an_input_of_rank_one() -> None:
    assert bound({"x": (2, 3, 5, 8), "v": 7})["v"] == [7]


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ({"x": (2, 3, 5)}, "wrong rank"),
        ({"x": (2, 4, 5, 8)}, "contradicts the model"),
        ({"N": 2, "x": (3, 3, 5, 8)}, "given two sizes"),
        ({"N": 0}, "less than 1"),
        ({"N": 1.5}, "not an integer"),
        ({"q": 3}, "no such dimension name"),
        ({"q": (1, 3)}, "no such input"),
    ],
)
def test_wrong_bindings(shapes: Mapping[str, int | Sequence[int]], words: str) -> None:
    with pytest.raises(InputError) as caught:
        bound(shapes)
    assert words in caught.value.what
    assert caught.value.code == "E-SHAPE"


def test_unbound_lists_each_dimension_and_how_to_bind() -> None:
    with pytest.raises(InputError) as caught:
        bound({"H": 5})
    text = str(caught.value)
    assert caught.value.code == "E-DYNAMIC"
    assert "input 'x' [N, 3, 5, 8]: dimension 0 'N'" in text or "dimension 0 'N'" in text
    assert "input 'v' [S]: dimension 0 'S'" in text
    assert "--shape v=1" in text
    assert "--shape N=1" in text


def test_unnamed_dimension_and_unknown_rank() -> None:
    model = make_model("g (float[?,2] x, float[2] z) => (float[2] y) { y = Relu(z) }")
    model.graph.input[1].type.tensor_type.ClearField("shape")
    with pytest.raises(InputError) as caught:
        bind_shapes(Work(model, "m"), None)
    assert "dimension 0 without a name" in str(caught.value)
    assert "input 'z': its rank is not known" in str(caught.value)
    bind_shapes(Work(model, "m"), {"x": (4, 2), "z": (2,)})
    assert model.graph.input[1].type.tensor_type.shape.dim[0].dim_value == 2


def test_weights_are_not_inputs() -> None:
    work = Work(make_model("g (float[2] x) => (float[2] y) { y = Relu(x) }"), "m")
    work.graph.input.append(onnx.helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, ["K"]))
    work.weights["w"] = None  # type: ignore[assignment]
    bind_shapes(work, None)
