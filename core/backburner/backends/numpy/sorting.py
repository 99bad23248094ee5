"""Sorting and searching. NaN comes after all numbers, and equal elements keep their order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.backends.numpy.indexing import take_along_axis
from backburner.contracts import Array


def sort(x: Array, /, *, axis: int, descending: bool) -> Array:
    """Return the elements in order.

    NumPy's fast sort may exchange equal elements, which shows for zeros of both signs alone.
    """
    kind: Any = "stable" if _mixed_zeros(x) else None
    if not descending:
        return np.sort(x, axis, kind)
    return np.flip(np.sort(np.flip(x, axis), axis, kind), axis)


def _mixed_zeros(x: Array) -> bool:
    if x.dtype.kind != "f":
        return False
    negative = np.signbit(x[x == 0])
    return bool(negative.any() and not negative.all())


def argsort(x: Array, /, *, axis: int, descending: bool) -> Array:
    """Return the indices that sort ``x`` stably."""
    if x.ndim > 32:  # NumPy's limit here
        lanes = x.reshape(math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :]))
        return argsort(lanes, axis=1, descending=descending).reshape(x.shape)
    if not descending:
        return np.argsort(x, axis, "stable")
    order = np.argsort(np.flip(x, axis), axis, "stable")
    indices: Array = x.shape[axis] - 1 - np.flip(order, axis)
    return indices


def topk(x: Array, /, *, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
    """Return the ``k`` first elements in order, and their indices; of equal ones the first are taken."""
    rows = np.moveaxis(x, axis, -1)
    chosen = _chosen(rows, k, largest) if 0 < 8 * k < rows.shape[-1] else None
    if chosen is None:
        indices = argsort(rows, axis=rows.ndim - 1, descending=largest)[..., :k]
    else:
        among = take_along_axis(rows, chosen, axis=rows.ndim - 1)
        order = argsort(among, axis=rows.ndim - 1, descending=largest)
        indices = take_along_axis(chosen, order, axis=rows.ndim - 1)
    values = take_along_axis(rows, indices, axis=rows.ndim - 1)
    return np.moveaxis(values, -1, axis), np.moveaxis(indices, -1, axis)


def _chosen(rows: Array, k: int, largest: bool) -> Array | None:
    """Return which ``k`` elements of each row come first, by rising index; ``None`` where NaN is among them.

    The last of them bounds the others, so that no more than a partition is needed. Of those that equal it
    the first fill up.
    """
    n = rows.shape[-1]
    place = n - k if largest else k - 1
    parts = np.partition(rows, (place, n - 1), -1)
    if rows.dtype.kind == "f" and np.isnan(parts[..., -1]).any():
        return None
    bound = parts[..., place : place + 1]
    inside = rows > bound if largest else rows < bound
    missing = k - np.count_nonzero(inside, -1, keepdims=True)
    equal = rows == bound
    inside |= equal & (np.cumsum(equal, -1) <= missing)
    return np.nonzero(inside)[-1].reshape(*rows.shape[:-1], k)


def searchsorted(x1: Array, x2: Array, /, *, side: str) -> Array:
    """Return where ``x2`` would go into the sorted ``x1``, before or after what is equal."""
    return np.asarray(x1.searchsorted(x2, "left" if side == "left" else "right"))


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Return the indices of what is not 0, along each axis, in row-major order."""
    return np.nonzero(x)


def unique_all(x: Array, /) -> tuple[Array, Array, Array, Array]:
    """Return the values, the first index of each, which of them each element is, and how many of each."""
    flat = x.reshape(-1)
    order = np.argsort(flat, 0, "stable")
    ordered = flat[order]
    starts = np.ones(flat.shape, np.bool_)
    starts[1:] = ordered[1:] != ordered[:-1]
    first = np.flatnonzero(starts)
    inverse = np.empty(flat.shape, np.int64)
    inverse[order] = np.cumsum(starts) - 1
    counts = np.diff(first, append=flat.size)
    return ordered[first], order[first], inverse.reshape(x.shape), counts
