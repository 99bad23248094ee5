"""Reductions. Sums of float32 are accurate along every axis, which NumPy's are not."""

from __future__ import annotations

import math

import numpy as np

from backburner.backend import Array, Axes

_add = np.add.reduce
_SEQUENTIAL = 1024  # so many float32 may be added one after another: they lose 2e-6, typically


def sum(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the sum, accurate for 10^8 float32 along any axes.

    NumPy adds pairwise along a contiguous inner axis only and one after another along others, where float32
    stop growing at 2^24. Long sums of that kind add up in float64 instead, through NumPy's small buffers.
    """
    if x.size <= _SEQUENTIAL or x.dtype.char != "f" or _pairwise(x, axis):
        return _add(x, axis, None, None, keepdims)
    if _count(x, axis) <= _SEQUENTIAL:
        return _add(x, axis, None, None, keepdims)
    return _add(x, axis, np.float64, None, keepdims).astype(np.float32)


def _pairwise(x: Array, axis: Axes) -> bool:
    """Say whether NumPy makes one contiguous inner loop of the reduced axes."""
    if not x.flags.c_contiguous:
        return len(axis) == x.ndim and (x.ndim == 1 or x.flags.f_contiguous)
    return axis == tuple(range(x.ndim - len(axis), x.ndim))


def _count(x: Array, axis: Axes) -> int:
    return math.prod([x.shape[i] for i in axis])


def mean(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the mean, NaN of nothing."""
    n = _count(x, axis)
    total = sum(x, axis=axis, keepdims=keepdims)
    return total / n if n else np.full_like(total, np.nan)


def max(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the largest element, NaN if there is one."""
    return np.maximum.reduce(x, axis, None, None, keepdims)


def min(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the smallest element, NaN if there is one."""
    return np.minimum.reduce(x, axis, None, None, keepdims)


def var(x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
    """Return the variance in two passes; a divisor below 0 counts as 0, which gives ``inf`` or NaN."""
    deviation = np.asarray(x - mean(x, axis=axis, keepdims=True))
    np.square(deviation, out=deviation)
    total = sum(deviation, axis=axis, keepdims=keepdims)
    divisor = _count(x, axis) - correction
    if divisor > 0:
        return total / divisor
    with np.errstate(divide="ignore", invalid="ignore"):
        return total / np.zeros((), total.dtype)


def logsumexp(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return ``log(sum(exp(x)))`` without overflow, ``-inf`` of all ``-inf`` and of nothing."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        highest = np.asarray(np.maximum.reduce(x, axis, None, None, True, -np.inf))
        highest[~np.isfinite(highest)] = 0
        y = np.log(sum(np.exp(x - highest), axis=axis, keepdims=True)) + highest
    return y if keepdims else y.reshape([n for i, n in enumerate(x.shape) if i not in axis])


def argmax(x: Array, /, *, axis: int, keepdims: bool) -> Array:
    """Return the first index of the largest element along ``axis``."""
    return x.argmax(axis, keepdims=keepdims)
