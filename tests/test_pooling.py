"""Pooling as layers, and the windows that fractional pooling draws."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import functional as F

IMAGES: dict[int, tuple[int, ...]] = {1: (2, 3, 7), 2: (2, 3, 7, 6), 3: (1, 2, 5, 7, 6)}


def _values(axes: int) -> bb.Tensor:
    rng = np.random.default_rng(axes)
    return bb.asarray(rng.standard_normal(IMAGES[axes]))


# layer by name and arguments; the function by the same name, and its arguments
LAYERS: list[tuple[str, tuple[Any, ...], dict[str, Any], str, dict[str, Any]]] = [
    *(
        row
        for axes in (1, 2, 3)
        for row in (
            ("MaxPool", (2,), {}, f"max_pool{axes}d", {"kernel_size": 2}),
            (
                *("MaxPool", (3, 2, 1, 2, True, True), {}, f"max_pool{axes}d"),
                {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2, "return_indices": True, "ceil_mode": True},
            ),
            (
                *("AvgPool", (3, 2, 1, True, False), {}, f"avg_pool{axes}d"),
                {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False},
            ),
            (
                *("LPPool", (4, 2), {"stride": 3, "ceil_mode": True}, f"lp_pool{axes}d"),
                {"norm_type": 4.0, "kernel_size": 2, "stride": 3, "ceil_mode": True},
            ),
            (
                *("AdaptiveMaxPool", (3,), {"return_indices": True}, f"adaptive_max_pool{axes}d"),
                {"output_size": 3, "return_indices": True},
            ),
        )
    ),
    ("AvgPool", (2,), {"divisor_override": 3}, "avg_pool2d", {"kernel_size": 2, "divisor_override": 3}),
    ("AvgPool", (2,), {"divisor_override": 3}, "avg_pool3d", {"kernel_size": 2, "divisor_override": 3}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("layer", "arguments", "options", "function", "same"),
    LAYERS,
    ids=[f"{row[3]}-{row[1]}" for row in LAYERS],
)
def test_a_pooling_layer_is_its_function_with_its_options(
    layer: str, arguments: Any, options: Any, function: str, same: dict[str, Any]
) -> None:
    axes = int(function[-2])
    made = getattr(nn, f"{layer}{axes}d")(*arguments, **options)
    x = _values(axes)
    for module in (made, pickle.loads(pickle.dumps(made))):
        found, wanted = module(x), getattr(F, function)(x, **same)
        if not isinstance(wanted, tuple):
            found, wanted = (found,), (wanted,)
        for y, expected in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(y.numpy(), expected.numpy())
    text = repr(made)
    assert text.startswith(f"{layer}{axes}d(")
    assert all(f"{name}=" in text for name in same)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_unpooling_puts_the_largest_elements_back(axes: int) -> None:
    x = _values(axes)
    for padding in (0, 1):
        y, indices = getattr(nn, f"MaxPool{axes}d")(2, padding=padding, return_indices=True)(x)
        back = getattr(nn, f"MaxUnpool{axes}d")(2, padding=padding)(y, indices, x.shape).numpy()
        kept = back != 0
        assert kept.sum() == y.size
        np.testing.assert_array_equal(back[kept], x.numpy()[kept])


@pytest.fixture(params=[2, 3])
def axes(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


def _fractional(axes: int) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(F, f"fractional_max_pool{axes}d")
    return found


def test_the_seed_alone_decides_the_windows_of_fractional_pooling(axes: int) -> None:
    x, layer = _values(axes), getattr(nn, f"FractionalMaxPool{axes}d")(2, 3, return_indices=True)
    drawn = []
    for seed in (1, 2, 1):
        bb.Device.cpu().seed(seed)
        drawn.append([y.numpy().tolist() for y in layer(x)])
    assert drawn[0] == drawn[2] != drawn[1]
    values, indices = layer(x)
    flat = x.numpy().reshape(*x.shape[:2], -1)
    picked = np.take_along_axis(flat, indices.numpy().reshape(*x.shape[:2], -1), 2)
    np.testing.assert_array_equal(picked.reshape(values.shape), values.numpy())


def test_fractional_pooling_takes_integers_and_single_images(axes: int) -> None:
    x = bb.asarray((_values(axes)[0].numpy() * 100).astype(np.int64))
    samples = bb.full((1, x.shape[0], axes), 0.5)
    y = _fractional(axes)(x, 2, 3, _random_samples=samples)
    assert y.dtype == bb.int64 and y.shape == (x.shape[0], *(3,) * axes)
    assert y.numpy().max() == x.numpy().max()


@pytest.mark.feature_set("autodiff")
def test_a_recomputed_fractional_pooling_has_the_same_windows(axes: int) -> None:
    device = bb.Device.cpu().autodiff()
    x = _values(axes).to(device).require_grad()
    gradients = []
    for run in (lambda f, x: f(x), bb.checkpoint):
        device.seed(3)
        gradients.append(run(lambda x: _fractional(axes)(x * 2, 2, 3), x).backward()[x].numpy())
    np.testing.assert_array_equal(gradients[0], gradients[1])
