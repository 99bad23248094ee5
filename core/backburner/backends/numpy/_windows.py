"""Which inputs an output of a resampled axis is made of, and how much of each: the geometry of ``interpolate``.

A map from ``n`` inputs to ``m`` outputs is a pair of arrays ``[m, k]``: the taps of each output, and their weights,
0 for those that a window lacks. Coordinates and filters are PyTorch's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.contracts import Array

Map = tuple[Array, Array]

CUBIC = -0.75  # the slope at 1, as in PyTorch and OpenCV
CUBIC_ANTIALIAS = -0.5  # Keys 1981, as in Pillow
_EXACT = 1 << 24  # float32 holds the integers up to here


def windows(
    n: int, m: int, mode: str, ratio: float | None, align_corners: bool, antialias: bool, dtype: np.dtype[Any]
) -> Map:
    """Return the map of one axis; ``dtype`` is that of the elements, on which PyTorch's nearest depends."""
    if mode.startswith("nearest"):
        taps = _nearest(n, m, 0.5 if mode == "nearest-exact" else 0.0, ratio, dtype)
        return taps[:, None], np.ones((m, 1))
    if mode == "area":
        return _area(n, m)
    if antialias:
        return _smooth(n, m, mode, ratio, align_corners)
    places = _places(n, m, ratio, align_corners)
    if mode == "linear":
        np.maximum(places, 0, out=places)
        below = np.minimum(places.astype(np.int64), n - 1)
        t = np.clip(places - below, 0, 1)
        return np.stack([below, np.minimum(below + 1, n - 1)], 1), np.stack([1 - t, t], 1)
    below = np.minimum(np.floor(places).astype(np.int64), n - 1)
    t = np.clip(places - below, 0, 1)
    return np.clip(below[:, None] + np.arange(-1, 3), 0, n - 1), cubic_weights(t, 1)


def cubic_weights(t: Array, axis: int) -> Array:
    """Return the weights, along a new axis, of the four taps around a place ``t`` behind the second of them."""
    parts = [_outer(t + 1, CUBIC), _inner(t, CUBIC), _inner(1 - t, CUBIC), _outer(2 - t, CUBIC)]
    return np.stack(parts, axis)


def cubic_slopes(t: Array, axis: int) -> Array:
    """Return the derivatives of ``cubic_weights`` by ``t``."""
    a = CUBIC

    def inner(d: Array) -> Array:
        return (3 * (a + 2) * d - 2 * (a + 3)) * d

    def outer(d: Array) -> Array:
        return (3 * a * d - 10 * a) * d + 8 * a

    return np.stack([outer(t + 1), inner(t), -inner(1 - t), -outer(2 - t)], axis)


def _inner(d: Array, a: float) -> Array:
    """Return the cubic filter at distance ``d`` up to 1 (Keys, "Cubic convolution interpolation", 1981)."""
    return ((a + 2) * d - (a + 3)) * d * d + 1


def _outer(d: Array, a: float) -> Array:
    """Return the same from 1 to 2."""
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a


def _nearest(n: int, m: int, offset: float, ratio: float | None, dtype: np.dtype[Any]) -> Array:
    if max(n, m) > _EXACT:
        places = (np.arange(m) + offset) * (n / m if ratio is None else ratio)
    elif dtype == np.float64:
        places = ((np.arange(m) + offset) * (n / m if ratio is None else ratio)).astype(np.float32)
    else:
        step = np.float32(n) / np.float32(m) if ratio is None else np.float32(ratio)
        places = (np.arange(m, dtype=np.float32) + np.float32(offset)) * step
    return np.asarray(np.minimum(np.floor(places).astype(np.int64), n - 1))


def _places(n: int, m: int, ratio: float | None, align_corners: bool) -> Array:
    """Return where the outputs are among the inputs; of integers they are exact quotients."""
    i = np.arange(m)
    if align_corners:
        return np.asarray(i * (n - 1) / max(m - 1, 1))
    if ratio is None:
        return np.asarray(((2 * i + 1) * n - m) / (2 * m))
    return (i + 0.5) * ratio - 0.5


def _area(n: int, m: int) -> Map:
    i = np.arange(m)
    first, behind = i * n // m, -(-(i + 1) * n // m)
    counts = behind - first
    taps = first[:, None] + np.arange(counts.max())
    return np.minimum(taps, n - 1), np.where(taps < behind[:, None], 1 / counts[:, None], 0)


def _smooth(n: int, m: int, mode: str, ratio: float | None, align_corners: bool) -> Map:
    """Return the map with a filter that is as wide as the distance of two outputs.

    With ``align_corners`` PyTorch changes that distance and leaves the centres half of it from the edge.
    """
    if align_corners:
        ratio = (n - 1) / (m - 1) if m > 1 else 0.0
    elif ratio is None:
        ratio = n / m
    reach = {"linear": 1, "cubic": 2, "lanczos": 3}[mode] * max(ratio, 1.0)
    centres = (np.arange(m) + 0.5) * ratio
    first = np.maximum((centres - reach + 0.5).astype(np.int64), 0)
    behind = np.minimum((centres + reach + 0.5).astype(np.int64), n)
    counts = np.clip(behind - first, 1, 2 * math.ceil(reach) + 1)
    taps = first[:, None] + np.arange(counts.max())
    d = np.abs((taps + 0.5 - centres[:, None]) / max(ratio, 1.0))
    if mode == "linear":
        weights = np.maximum(1 - d, 0)
    elif mode == "cubic":
        weights = np.where(d < 1, _inner(d, CUBIC_ANTIALIAS), np.where(d < 2, _outer(d, CUBIC_ANTIALIAS), 0))
    else:
        weights = np.where(d < 3, np.sinc(d) * np.sinc(d / 3), 0)
    weights[taps >= (first + counts)[:, None]] = 0
    return np.minimum(taps, n - 1), weights / weights.sum(1, keepdims=True)


def filled(taps: Array, weights: Array) -> Map:
    """Return the same map without weights of 0: 0 times an infinity that a window lacks would be NaN.

    Such a tap becomes one more of the window's heaviest, which share its weight.
    """
    lacking = weights == 0
    if not lacking.any():
        return taps, weights
    rows = np.arange(len(taps))
    heaviest = np.abs(weights).argmax(1)
    lacking[rows, heaviest] = True
    shares = weights[rows, heaviest] / lacking.sum(1)
    return np.where(lacking, taps[rows, heaviest][:, None], taps), np.where(lacking, shares[:, None], weights)


def transposed(taps: Array, weights: Array, n: int) -> tuple[Array, Array, Array]:
    """Return for each of ``n`` inputs the outputs it is a tap of.

    Returns:
        Where those of each input begin (and of the last end), the outputs, and the weights.
    """
    places = np.flatnonzero(weights)
    inputs = taps.reshape(-1)[places]
    order = np.argsort(inputs, kind="stable")
    begins = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(inputs, minlength=n), out=begins[1:])
    places = places[order]
    return begins, places // taps.shape[1], weights.reshape(-1)[places]
