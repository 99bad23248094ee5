"""Running sums, products and extrema along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner.contracts import Array


def _wide(x: Array) -> Any:
    """Return the dtype in which elements of ``x`` are accumulated: ``None`` leaves it to NumPy."""
    return np.float64 if x.dtype.char == "f" else None


def cumulative_sum(x: Array, /, *, axis: int) -> Array:
    """Return the sums up to each element, of float32 by way of float64."""
    y: Array = np.add.accumulate(x, axis, _wide(x))
    return y.astype(x.dtype, copy=False) if x.dtype.kind == "f" else y


def cumulative_prod(x: Array, /, *, axis: int) -> Array:
    """Return the products up to each element, of float32 by way of float64."""
    y: Array = np.multiply.accumulate(x, axis, _wide(x))
    return y.astype(x.dtype, copy=False) if x.dtype.kind == "f" else y


def cummax(x: Array, /, *, axis: int) -> tuple[Array, Array]:
    """Return the largest element so far, and where it was met last; NaN stays from where it occurs."""
    return _running(np.maximum, np.greater_equal, x, axis)


def cummin(x: Array, /, *, axis: int) -> tuple[Array, Array]:
    """Return the smallest element so far, and where it was met last; NaN stays from where it occurs."""
    return _running(np.minimum, np.less_equal, x, axis)


def _running(extremum: np.ufunc, beats: np.ufunc, x: Array, axis: int) -> tuple[Array, Array]:
    best: Array = extremum.accumulate(x, axis)
    new, old = np.moveaxis(x, axis, -1)[..., 1:], np.moveaxis(best, axis, -1)[..., :-1]
    indices = np.zeros((*old.shape[:-1], x.shape[axis]), np.int64)
    better = beats(new, old)
    if x.dtype.kind == "f":
        better |= np.isnan(new)
    indices[..., 1:] = np.where(better, np.arange(1, x.shape[axis]), 0)
    np.maximum.accumulate(indices, -1, out=indices)
    return best, np.moveaxis(indices, -1, axis)
