# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of `transformers` with random weights, built from their configurations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import linalg_jit
import numpy as np
import pytest
from npu_mlir.frontends import load_model

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]


def resnet() -> tuple[Any, dict[str, Any]]:
    config = transformers.ResNetConfig(
        embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic", num_labels=10
    )
    model = transformers.ResNetForImageClassification(config)
    return model, {"pixel_values": torch.randn(1, 3, 64, 64)}


def mobilenet_v2() -> tuple[Any, dict[str, Any]]:
    config = transformers.MobileNetV2Config(image_size=64, depth_multiplier=0.35, num_labels=10)
    model = transformers.MobileNetV2ForImageClassification(config)
    for name, parameter in model.named_parameters():
        # The default of 0.02 makes the activations vanish; the comparison would see nothing.
        if parameter.dim() > 1 and "classifier" not in name:
            torch.nn.init.kaiming_normal_(parameter, nonlinearity="relu")
    return model, {"pixel_values": torch.randn(1, 3, 64, 64)}


def bert() -> tuple[Any, dict[str, Any]]:
    config = transformers.BertConfig(
        vocab_size=200,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    return transformers.BertModel(config), {"input_ids": torch.randint(0, 200, (1, 16))}


def gpt2() -> tuple[Any, dict[str, Any]]:
    config = transformers.GPT2Config(
        vocab_size=100,
        n_positions=32,
        n_embd=32,
        n_layer=1,
        n_head=2,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    return transformers.GPT2LMHeadModel(config), {"input_ids": torch.randint(0, 100, (1, 8))}


def swin() -> tuple[Any, dict[str, Any]]:
    config = transformers.SwinConfig(
        image_size=32, patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=4
    )
    return transformers.SwinModel(config), {"pixel_values": torch.randn(1, 3, 32, 32)}


@pytest.mark.parametrize("build", [resnet, mobilenet_v2, bert, gpt2, swin])
def test_values(build: Callable[[], tuple[Any, dict[str, Any]]]) -> None:
    torch.manual_seed(0)
    model, inputs = build()
    model.eval()
    imported = load_model(model, inputs=inputs)
    with torch.no_grad():
        expected = model(**inputs).to_tuple()
    feeds = {
        spec.name: value.numpy()
        for spec, value in zip(imported.inputs, inputs.values(), strict=True)
    }
    results = linalg_jit.run(imported, feeds)
    for ours, reference in zip(results, expected, strict=True):
        assert np.abs(ours).max() > 1e-3
        np.testing.assert_allclose(ours, reference.numpy(), rtol=1e-3, atol=1e-4)
