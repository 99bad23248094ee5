"""Ops that move elements and compute nothing."""

from __future__ import annotations

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


def pad(x: Array, /, *, pad_width: tuple[Pair, ...], value: float) -> Array:
    """Return ``x`` in a frame of ``value``."""
    shape = [before + n + after for n, (before, after) in zip(x.shape, pad_width, strict=True)]
    y = np.full(shape, value, x.dtype)
    y[tuple(slice(before, before + n) for n, (before, _) in zip(x.shape, pad_width, strict=True))] = x
    return y
