# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch models of the end-to-end tests: modules in eval mode with fixed seeds.

torch and transformers are imported when a model is built, so that listing the cases is cheap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from case import Case, generator

Built = tuple[Any, list[np.ndarray]]


def _seeded(module_factory: Any) -> Any:
    """The module with weights of seed 0, in eval mode."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(0)
        return module_factory().eval()


def _normal(name: str, *shape: int) -> np.ndarray:
    return generator(name).standard_normal(shape).astype(np.float32)


def torch_mlp() -> Built:
    """Linear, ReLU, Linear, GELU, Linear."""
    from torch import nn

    def make() -> Any:
        return nn.Sequential(
            nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 48), nn.GELU(), nn.Linear(48, 10)
        )

    return _seeded(make), [_normal("torch_mlp", 4, 64)]


def torch_cnn() -> Built:
    """Convolution, batch norm, pooling, classifier."""
    from torch import nn

    def make() -> Any:
        return nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
            nn.Flatten(), nn.Linear(16, 10),
        )  # fmt: skip

    return _randomize_statistics(_seeded(make)), [_normal("torch_cnn", 2, 3, 20, 20)]


def transformer_encoder() -> Built:
    """Two layers of `torch.nn.TransformerEncoder`: attention, layer norm, GELU."""
    from torch import nn

    def make() -> Any:
        layer = nn.TransformerEncoderLayer(
            32, 4, 64, dropout=0.0, activation="gelu", batch_first=True
        )
        return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    return _seeded(make), [_normal("transformer_encoder", 2, 12, 32)]


def _randomize_statistics(module: Any) -> Any:
    """Give batch norms statistics that differ from 0 and 1, as training would."""
    import torch
    from torch import nn

    source = torch.Generator().manual_seed(1)
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.copy_(0.1 * torch.randn(part.num_features, generator=source))
            part.running_var.copy_(0.5 + torch.rand(part.num_features, generator=source))
    return module


def _logits_of(module: Any) -> Any:
    """The module with its result object replaced by the logits."""
    from torch import nn

    class Logits(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = module

        def forward(self, pixels: Any) -> Any:
            return self.model(pixels).logits

    return Logits().eval()


def resnet() -> Built:
    """A narrow ResNet of `transformers`, random weights, 64x64 image."""
    from transformers import ResNetConfig, ResNetForImageClassification

    config = ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 16, 24, 32],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        num_labels=10,
    )
    module = _randomize_statistics(_seeded(lambda: ResNetForImageClassification(config)))
    return _logits_of(module), [_normal("resnet", 1, 3, 64, 64)]


def mobilenet_v2() -> Built:
    """A narrow MobileNetV2 of `transformers`, random weights, 64x64 image."""
    from transformers import MobileNetV2Config, MobileNetV2ForImageClassification

    config = MobileNetV2Config(
        image_size=64, depth_multiplier=0.35, num_labels=10, classifier_dropout_prob=0.0
    )
    module = _randomize_statistics(_seeded(lambda: MobileNetV2ForImageClassification(config)))
    return _logits_of(module), [_normal("mobilenet_v2", 1, 3, 64, 64)]


# Depths count the rounding operators of the longest path: linear, convolution, normalisation (also
# where it is folded), activation other than ReLU, softmax, addition.
CASES: tuple[Case, ...] = (
    Case("torch_mlp", "torch", torch_mlp, depth=4),
    Case("torch_cnn", "torch", torch_cnn, depth=5),
    Case("transformer_encoder", "torch", transformer_encoder, depth=22),
    Case("resnet", "torch", resnet, depth=26, tags=frozenset({"slow"})),
    Case("mobilenet_v2", "torch", mobilenet_v2, depth=110, tags=frozenset({"slow"})),
)
