"""Elementwise ops go over large arrays a block at a time, on threads: nobody sees it but by the time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from backburner import threads
from backburner.backends.numpy import NumpyBackend, _blocks
from ops import Array

backend = NumpyBackend()
inf = math.inf

RECIPES: dict[str, Callable[[Array], Array]] = {
    "sigmoid": backend.sigmoid,
    "gelu": lambda x: backend.gelu(x, approximate="none"),
    "gelu by tanh": lambda x: backend.gelu(x, approximate="tanh"),
    "silu": backend.silu,
    "elu": lambda x: backend.elu(x, alpha=1.5, scale=0.5, input_scale=2.0),
    "softplus": lambda x: backend.softplus(x, beta=2.0, threshold=3.0),
    "mish": backend.mish,
    "softsign": backend.softsign,
    "hardtanh": lambda x: _pieces(x, -1, 1, (0, -1), (0, 1, 0), (0, 1)),
    "hardsigmoid": lambda x: _pieces(x, -2, 2, (0, 0), (0, 0.25, 0.5), (0, 1)),
    "leaky relu": lambda x: _pieces(x, 0, 0, (0.1, 0), (0, 1, 0), (1, 0)),
    "steep relu": lambda x: _pieces(x, 0, 0, (2.5, 0), (0, 1, 0), (1, 0)),
    "hardswish": lambda x: _pieces(x, -3, 3, (0, 0), (1 / 6, 0.5, 0), (1, 0)),
    "softshrink": lambda x: _pieces(x, -1, 1, (1, 1), (0, 0, 0), (1, -1)),
}


def _pieces(x: Array, low: float, high: float, left: Any, middle: Any, right: Any) -> Array:
    return backend.piecewise(x, low=low, high=high, left=left, middle=middle, right=right)


@pytest.fixture(params=[1, 3], ids="{} threads".format)
def many(request: pytest.FixtureRequest) -> Iterator[None]:
    before = threads.get_num_threads()
    threads.set_num_threads(request.param)
    yield
    threads.set_num_threads(before)


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "as it is": lambda x: x,
    "permuted": lambda x: x.transpose(2, 0, 1),
    "backwards": lambda x: x[:, ::-1],
    "a part": lambda x: x[:, :, 3:],
    "every other": lambda x: x[:, ::2, ::2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.usefixtures("many")
def test_a_large_array_has_the_bits_of_its_rows(name: str, dtype: str, layout: str) -> None:
    op, view = RECIPES[name], LAYOUTS[layout]
    x = np.random.default_rng(0).standard_normal((4, 203, 1237)).astype(dtype) * 4
    x[0, 0, :4] = np.nan, inf, -inf, -0.0
    assert view(x).nbytes > _blocks.CACHE and x.size > 2 * _blocks.PART
    kept = x.copy()
    got = op(view(x))
    assert got.dtype == x.dtype
    right = np.array([[op(row) for row in matrix] for matrix in x])
    np.testing.assert_array_equal(got, view(right))
    np.testing.assert_array_equal(x, kept)


NORMS: dict[str, Callable[[Array, Array], Array]] = {
    "layer_norm": lambda x, w: backend.layer_norm(x, w, -w, ndim=1, eps=1e-5),
    "rms_norm": lambda x, w: backend.rms_norm(x, w, ndim=1, eps=1e-5),
}


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("d", [96, 2049, 300_000])
@pytest.mark.usefixtures("many")
def test_a_normalised_row_does_not_depend_on_the_others(name: str, d: int) -> None:
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((1_000_000 // d, d)) + 1e4).astype(np.float32)
    w = rng.standard_normal(d).astype(np.float32)
    got = NORMS[name](x, w)
    for i in (0, 1, len(x) // 2, len(x) - 1):
        np.testing.assert_array_equal(got[i], NORMS[name](x[i], w))
    wide = x.astype(np.float64)
    wide -= np.mean(wide, axis=1, keepdims=True) if name == "layer_norm" else 0
    wide *= w / np.sqrt(np.mean(wide * wide, axis=1, keepdims=True) + 1e-5)
    wide -= w if name == "layer_norm" else 0
    np.testing.assert_allclose(got, wide, rtol=2e-5, atol=2e-5)


def test_parts_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    monkeypatch.setattr(
        _blocks, "share", lambda task, count: (counts.append(count), *map(task, range(count)))
    )
    backend.sigmoid(np.zeros(3 * _blocks.PART + 1, np.float32))
    backend.sigmoid(np.zeros(1000, np.float32))
    assert counts == [3]


def _worst(got: Array, right: Array, scale: Array) -> float:
    """Return the largest error in units in the last place of the scale."""
    return float(np.max(np.abs(got - right) / np.spacing(np.abs(scale).astype(got.dtype)).astype(np.float64)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gelu_is_right_to_two_units_in_the_last_place_of_its_positive_half(dtype: str) -> None:
    x = np.concatenate([np.linspace(-9, 9, 4001), 10.0 ** np.linspace(-30, 1, 500)]).astype(dtype)
    phi = np.array([math.erfc(-v / math.sqrt(2)) / 2 for v in x.tolist()])
    right = x.astype(np.float64) * phi
    got = backend.gelu(x, approximate="none")
    assert _worst(got, right, np.abs(x) * np.maximum(phi, 1 - phi)) <= 2.5
    assert not np.any(got[x < -8.5])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_softplus_keeps_its_digits_where_it_is_small(dtype: str) -> None:
    x = np.linspace(-80, 30, 5001).astype(dtype)
    right = np.array([max(v, 0) + math.log1p(math.exp(-abs(v))) for v in x.tolist()])
    assert _worst(backend.softplus(x, beta=1.0, threshold=inf), right, right) <= 3


@pytest.mark.parametrize("size", [5, 3000, 40_000, (1 << 18) + 4097, (1 << 20) + 3])
def test_relu_of_any_length_is_the_larger_of_each_element_and_0(size: int, many: None) -> None:
    x = np.random.default_rng(0).standard_normal(size, np.float32)
    x[[0, -1, size // 2]] = np.nan, -inf, inf
    np.testing.assert_array_equal(backend.relu(x), np.where(x < 0, 0, x))
    assert np.getbufsize() == 8192


CHANNELS = [
    (4, 9),
    (6, 3, 5),
    (1, 3, 20, 20),
    (1, 5, 301, 301),
    (9, 70, 31, 31),
    (2, 3, 512, 512),
    (5, 6, 1, 90_001),
]


@pytest.mark.parametrize("shape", CHANNELS, ids=str)
@pytest.mark.parametrize("affine", [True, False], ids=["affine", "plain"])
def test_channels_are_normalised_by_what_is_given_whatever_their_length(
    shape: tuple[int, ...], affine: bool, many: None
) -> None:
    rng = np.random.default_rng(0)
    x, c = rng.standard_normal(shape, np.float32), shape[1]
    mean, var, weight, bias = (np.float32(a) for a in rng.uniform(0.5, 2, (4, c)))
    wide = (c,) + (1,) * (len(shape) - 2)
    expected = (x - mean.reshape(wide).astype(float)) / np.sqrt(var.reshape(wide) + 1e-3)
    if affine:
        expected = expected * weight.reshape(wide) + bias.reshape(wide)
    out = backend.normalize_channels(x, mean, var, *((weight, bias) if affine else (None, None)), eps=1e-3)
    assert out.dtype == np.float32 and np.getbufsize() == 8192
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)
    alone = backend.normalize_channels(
        x[:1], mean, var, *((weight, bias) if affine else (None, None)), eps=1e-3
    )
    assert alone.tobytes() == out[:1].tobytes()
