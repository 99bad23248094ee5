"""Ops that move elements and compute nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner.contracts import Array, Axes, Pair, Shape


def reshape(x: Array, /, *, shape: Shape) -> Array:
    """Return the elements in row-major order under another shape, a view if that can be."""
    return x.reshape(shape)


def permute_dims(x: Array, /, *, axes: Axes) -> Array:
    """Return a view with its axes in another order."""
    return x.transpose(axes)


def broadcast_to(x: Array, /, *, shape: Shape) -> Array:
    """Return a read-only view repeated to ``shape``."""
    return np.broadcast_to(x, shape)


def concat(*xs: Array, axis: int) -> Array:
    """Return the arrays joined along an axis they have."""
    return np.concatenate(xs, axis)


def stack(*xs: Array, axis: int) -> Array:
    """Return the arrays joined along a new axis."""
    return np.stack(xs, axis)


def split(x: Array, /, *, sizes: tuple[int, ...], axis: int) -> tuple[Array, ...]:
    """Return views of ``sizes[i]`` entries each along ``axis``."""
    before = (slice(None),) * axis
    parts = []
    start = 0
    for size in sizes:
        parts.append(x[(*before, slice(start, start + size))])
        start += size
    return tuple(parts)


def pad(x: Array, /, *, pad_width: tuple[Pair, ...], value: float, mode: str = "constant") -> Array:
    """Return ``x`` in a frame of ``value``, or axis by axis in one of what is inside."""
    shape = [before + n + after for n, (before, after) in zip(x.shape, pad_width, strict=True)]
    inside: tuple[Any, ...] = tuple(
        slice(before, before + n) for n, (before, _) in zip(x.shape, pad_width, strict=True)
    )
    if mode == "constant":
        y = np.full(shape, value, x.dtype)
        y[inside] = x
        return y
    y = np.empty(shape, x.dtype)
    y[inside] = x
    for axis, (n, (before, after)) in enumerate(zip(x.shape, pad_width, strict=True)):
        whole: tuple[Any, ...] = (slice(None),) * axis
        rest = inside[axis + 1 :]
        for count, first in ((before, 0), (after, before + n)):
            if count:
                sources = before + padding_sources(n, first - before, count, mode)
                y[(*whole, slice(first, first + count), *rest)] = y[(*whole, sources, *rest)]
    return y


def padding_sources(n: int, first: int, count: int, mode: str) -> Array:
    """Return which of ``n`` entries those from ``first`` on repeat, where 0 to ``n - 1`` are the entries themselves."""
    places = np.arange(first, first + count)
    if mode == "edge" or n == 1:
        return np.clip(places, 0, n - 1)
    if mode == "wrap":
        return places % n
    period = 2 * n - 2 if mode == "reflect" else 2 * n
    places %= period
    mirrored = 2 * n - 2 - places if mode == "reflect" else 2 * n - 1 - places
    return np.where(places < n, places, mirrored)
