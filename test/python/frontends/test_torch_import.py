# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch import: values, weights, structure of inputs and outputs, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import linalg_jit
import numpy as np
import pytest
from npu_mlir.errors import InputError, UnsupportedOpError
from npu_mlir.frontends import ImportedModel, TensorSpec, load_model

torch = pytest.importorskip("torch")
nn = torch.nn


class MLP(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(16, 32)
        self.second = nn.Linear(32, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(x)))


def check_values(model: nn.Module, imported: ImportedModel, *inputs: torch.Tensor) -> None:
    """Imported text on the JIT against eager PyTorch."""
    with torch.no_grad():
        expected = model(*inputs)
    if isinstance(expected, torch.Tensor):
        expected = (expected,)
    names = [spec.name for spec in imported.inputs]
    feeds = {name: value.numpy() for name, value in zip(names, inputs, strict=True)}
    for ours, reference in zip(linalg_jit.run(imported, feeds), expected, strict=True):
        np.testing.assert_allclose(ours, reference.numpy(), rtol=1e-4, atol=1e-5)


def imported_and_checked(model: nn.Module, *inputs: torch.Tensor) -> ImportedModel:
    imported = load_model(model.eval(), inputs=inputs)
    check_values(model, imported, *inputs)
    return imported


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def test_mlp() -> None:
    imported = imported_and_checked(MLP(), torch.randn(4, 16))
    assert imported.source_kind == "torch"
    assert imported.inputs == (TensorSpec("x", (4, 16), "float32"),)
    assert imported.outputs == (TensorSpec("output", (4, 10), "float32"),)
    # The transposes of the weights are done at import.
    assert "linalg.transpose" not in imported.text


def test_locations_name_module_node_and_source_line() -> None:
    imported = load_model(MLP().eval(), inputs=(torch.randn(4, 16),))
    assert 'loc("first/' in imported.text
    assert f'"{__file__}":' in imported.text


def test_cnn_with_batch_norm() -> None:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU6(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, groups=8),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 5),
        nn.Softmax(dim=-1),
    )
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_mean, -1, 1)
            nn.init.uniform_(module.running_var, 0.5, 2)
    imported = imported_and_checked(model, torch.randn(2, 3, 12, 12))
    # Scale and shift of the batch norm are constants.
    assert "math.sqrt" not in imported.text and "math.rsqrt" not in imported.text


@pytest.mark.parametrize("batch_first", [True, False])
def test_transformer_encoder(batch_first: bool) -> None:
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=batch_first)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    imported = imported_and_checked(model, torch.randn(2, 8, 32))
    assert "f64" not in imported.text
    assert "i64" not in imported.text


def test_masked_attention_keeps_the_guard_of_empty_rows() -> None:
    class Attention(nn.Module):
        def forward(self, q: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)

    mask = torch.ones(1, 1, 4, 4, dtype=torch.bool)
    mask[..., 2, :] = False
    imported = imported_and_checked(Attention(), torch.randn(1, 2, 4, 8), mask)
    assert imported.inputs[1].dtype == "bool"


def test_tied_weights_are_one() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Parameter(torch.randn(16, 16))
            self.second = self.first

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(x @ self.first) @ self.second

    imported = imported_and_checked(Tied(), torch.randn(3, 16))
    assert len(imported.weights) == 1


def test_weights_share_memory_with_the_module() -> None:
    class Scale(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.randn(100))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.scale

    model = Scale()
    imported = load_model(model.eval(), inputs=(torch.randn(2, 100),))
    assert np.shares_memory(imported.weights["scale"], model.scale.detach().numpy())


def test_buffers_that_are_not_persistent_and_plain_tensors() -> None:
    class Table(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("table", torch.randn(100, 8), persistent=False)
            self.register_buffer("order", torch.tensor([3, 1, 2]), persistent=False)
            self.plain = torch.randn(8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (self.table[x] + self.plain)[:, self.order]

    imported = imported_and_checked(Table(), torch.tensor([5, 99, 0, 7]))
    assert imported.inputs[0].dtype == "int64"
    assert "table" in imported.weights


def test_nested_inputs_and_outputs() -> None:
    class Nested(nn.Module):
        def forward(self, pair: Any, scale: torch.Tensor) -> Any:
            a, b = pair["a"], pair["b"]
            return {"sum": (a + b) * scale, "parts": [a * 2, b > 0]}

    inputs = ({"a": torch.randn(3), "b": torch.randn(3)}, torch.randn(1))
    imported = load_model(Nested().eval(), inputs=inputs)
    assert len(imported.inputs) == 3
    assert [spec.name for spec in imported.outputs] == ["sum", "parts.0", "parts.1"]
    assert imported.outputs[2].dtype == "bool"


def test_keyword_inputs_numpy_inputs_and_constants() -> None:
    class Keywords(nn.Module):
        def forward(self, x: torch.Tensor, *, factor: float = 1.0) -> torch.Tensor:
            return x * factor

    array = np.ones((2, 3), dtype=np.float32)
    imported = load_model(Keywords().eval(), inputs={"x": array, "factor": 3.0})
    assert [spec.name for spec in imported.inputs] == ["x"]
    (result,) = linalg_jit.run(imported, {"x": array})
    np.testing.assert_array_equal(result, 3 * array)


def test_cumulative_sum_is_decomposed() -> None:
    class Cumulative(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.cumsum(x, dim=1)

    imported_and_checked(Cumulative(), torch.randn(2, 7))


def test_exported_program_and_file(tmp_path: Path) -> None:
    model = MLP().eval()
    x = torch.randn(4, 16)
    program = torch.export.export(model, (x,))
    nodes = len(program.graph.nodes)
    check_values(model, load_model(program), x)
    assert len(program.graph.nodes) == nodes
    path = tmp_path / "mlp.pt2"
    torch.export.save(program, path)
    imported = load_model(path)
    check_values(model, imported, x)
    assert imported.source == str(path)


# refusals


def test_module_without_inputs() -> None:
    with pytest.raises(InputError, match="needs example inputs"):
        load_model(MLP().eval())


@pytest.mark.parametrize(
    "module", [nn.Dropout(0.5), nn.BatchNorm1d(16), nn.Sequential(nn.Linear(16, 16), nn.Dropout())]
)
def test_training_mode_is_refused(module: nn.Module) -> None:
    with pytest.raises(InputError) as caught:
        load_model(module.train(), inputs=(torch.randn(4, 16),))
    assert caught.value.code == "E-TRAIN"
    assert "model.eval()" in (caught.value.fix or "")


def test_training_mode_without_effect_is_taken() -> None:
    load_model(MLP().train(), inputs=(torch.randn(4, 16),))


def test_export_failure_names_the_users_line() -> None:
    class Wrong(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x @ x

    with pytest.raises(InputError) as caught:
        load_model(Wrong().eval(), inputs=(torch.randn(2, 3),))
    assert caught.value.code == "E-EXPORT"
    line = Wrong.forward.__code__.co_firstlineno + 1
    assert caught.value.where == f"{__file__}:{line}"


def test_control_flow_on_data_names_the_users_line() -> None:
    class Branch(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.sum() > 0:
                return x
            return -x

    with pytest.raises(InputError) as caught:
        load_model(Branch().eval(), inputs=(torch.randn(2, 3),))
    line = Branch.forward.__code__.co_firstlineno + 1
    assert caught.value.where == f"{__file__}:{line}"


def test_buffer_mutation_is_refused() -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count += 1
            return x + self.count

    with pytest.raises(UnsupportedOpError) as caught:
        load_model(Counter().eval(), inputs=(torch.randn(2),))
    assert "the buffer 'count' is changed" in str(caught.value)


def test_unsupported_operator_is_named_with_its_line() -> None:
    class Sorting(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.relu(x)
            return torch.special.bessel_j0(y)

    with pytest.raises(UnsupportedOpError) as caught:
        load_model(Sorting().eval(), inputs=(torch.randn(4),))
    (node,) = caught.value.nodes
    assert "bessel_j0" in node.op_type
    assert node.domain == "torch"
    assert node.source == f"{__file__}:{Sorting.forward.__code__.co_firstlineno + 2}"


def test_dynamic_program_is_refused() -> None:
    batch = torch.export.Dim("batch", min=2, max=8)
    program = torch.export.export(
        MLP().eval(), (torch.randn(4, 16),), dynamic_shapes={"x": {0: batch}}
    )
    with pytest.raises(InputError) as caught:
        load_model(program)
    assert caught.value.code == "E-DYNAMIC"
    assert "'x'" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"not a zip"])
def test_broken_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.pt2"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert caught.value.exit_code == 2


def test_shapes_are_not_for_torch() -> None:
    with pytest.raises(InputError, match="shapes are given"):
        load_model(MLP().eval(), inputs=(torch.randn(4, 16),), shapes={"x": (1, 16)})
