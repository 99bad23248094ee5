"""A layer is its function with the options that it was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import functional as F


def _pads(name: str, mode: str, *value: float) -> list[Any]:
    """Return rows of the layers of one mode for one, two and three axes."""
    found = []
    for axes in (1, 2, 3):
        layer, frame = getattr(nn, f"{name}{axes}d"), (1, -1, 0, 2, 1, 0)[: 2 * axes]
        for padding, sides in ((1, (1,) * 2 * axes), (frame, frame)):
            text = f"padding={sides}, value={value[0]}" if value else f"{sides}"
            found.append(
                (
                    layer(padding, *value),
                    lambda x, sides=sides: F.pad(x, sides, mode, *value),
                    (2, 3, 4, 3, 5)[: axes + 2],
                    f"{name}{axes}d({text})",
                )
            )
    return found


LAYERS: list[tuple[nn.Module, Callable[[bb.Tensor], bb.Tensor], tuple[int, ...], str]] = [
    *_pads("ConstantPad", "constant", 2.5),
    *_pads("ZeroPad", "constant"),
    *_pads("ReflectionPad", "reflect"),
    *_pads("ReplicationPad", "replicate"),
    *_pads("CircularPad", "circular"),
    *(
        (
            getattr(nn, f"AdaptiveAvgPool{axes}d")((2, None, 1)[:axes]),
            lambda x, axes=axes: getattr(F, f"adaptive_avg_pool{axes}d")(x, (2, None, 1)[:axes]),
            (2, 3, 4, 3, 5)[: axes + 2],
            f"AdaptiveAvgPool{axes}d(output_size={(2, None, 1)[:axes]})",
        )
        for axes in (1, 2, 3)
    ),
    (nn.Upsample(3), lambda x: F.interpolate(x, 3), (1, 2, 4), "Upsample(size=3, mode='nearest')"),
    (
        nn.Upsample(scale_factor=1.3, mode="bilinear", align_corners=True, recompute_scale_factor=True),
        lambda x: F.interpolate(x, None, 1.3, "bilinear", True, True),
        (1, 2, 4, 3),
        "Upsample(scale_factor=1.3, mode='bilinear')",
    ),
]


@pytest.mark.parametrize(("layer", "function", "shape", "text"), LAYERS, ids=[row[3] for row in LAYERS])
def test_a_layer_is_its_function_with_its_options(
    layer: nn.Module, function: Callable[[bb.Tensor], bb.Tensor], shape: tuple[int, ...], text: str
) -> None:
    x = bb.asarray(np.random.default_rng(0).normal(size=shape).astype(np.float32))
    np.testing.assert_array_equal(layer(x).numpy(), function(x).numpy())
    assert repr(layer) == text
    assert layer.num_parameters() == 0
