"""Ops that pick elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.contracts import Array, Shape

_MOST_INDICES = 64  # fewer arrays than this may be the index of an array


def getitem(x: Array, /, *, index: tuple[Any, ...]) -> Array:
    """Return ``x[index]``, a view for ints and slices."""
    picked: Array = x[index]
    return picked


def take(x: Array, indices: Array, /, *, axis: int) -> Array:
    """Return the entries ``indices`` along ``axis``."""
    return x.take(indices, axis)


def embedding(weight: Array, indices: Array, /, *, padding_idx: int | None) -> Array:
    """Return the rows ``indices`` of ``weight``; ``padding_idx`` matters to the gradient only."""
    return weight.take(indices, 0)


_LONG = 128  # so many float32 are added one after another


def embedding_bag(weight: Array, indices: Array, bounds: Array, factors: Array | None, /) -> Array:
    """Return the sum of each bag of rows of ``weight``, each times its factor."""
    rows = weight.take(indices, 0)
    if factors is not None:
        rows *= factors[:, None]
    sizes = np.diff(bounds)
    filled = sizes > 0
    out = np.zeros((sizes.size, weight.shape[1]), weight.dtype)
    if rows.size:
        wide = np.float64 if sizes.max() > _LONG else None
        out[filled] = np.add.reduceat(rows, bounds[:-1][filled], axis=0, dtype=wide)
    return out


def take_along_axis(x: Array, indices: Array, /, *, axis: int) -> Array:
    """Return from each line along ``axis`` the entries that the same line of ``indices`` names."""
    if x.ndim < _MOST_INDICES:
        return np.take_along_axis(x, indices, axis)
    before, after = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    lanes, places = (a.reshape(before, a.shape[axis], after) for a in (x, indices))
    return np.take_along_axis(lanes, places, 1).reshape(indices.shape)


def at(x: Array, values: Array, /, *, index: tuple[Any, ...], mode: str) -> Array:
    """Return a copy of ``x`` with ``values`` at ``index``; many float32 in one place add up in float64."""
    y = np.array(x, order="C")
    ufunc = _MODES[mode]
    if picks_once(index):
        y[index] = values if ufunc is None else ufunc(x[index], values)
        return y
    places = places_of(x.shape, index)
    given = np.broadcast_to(values, places.shape).reshape(-1)
    places, flat = places.reshape(-1), y.reshape(-1)
    if ufunc is None:
        flat[places] = given  # in order, so that the last of several stays
    elif mode == "add" and y.dtype.kind == "f":
        totals = np.bincount(places, given, flat.size)
        touched = np.zeros(flat.size, np.bool_)
        touched[places] = True
        flat[...] = np.where(
            touched, flat + totals, flat
        )  # an element that is not named keeps its zero's sign
    else:
        ufunc.at(flat, places, given)
    return y


_MODES: dict[str, Any] = {
    "set": None,
    "add": np.add,
    "multiply": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def picks_once(index: tuple[Any, ...]) -> bool:
    """Say whether no element can occur twice: ints, slices and at most one mask."""
    arrays = [i for i in index if isinstance(i, (np.ndarray, np.bool_, bool))]
    return not arrays or (
        len(arrays) == 1 and arrays[0] is not True and np.asarray(arrays[0]).dtype.kind == "b"
    )


def places_of(shape: Shape, index: tuple[Any, ...]) -> Array:
    """Return the numbers, in row-major order, of the elements that ``index`` picks."""
    if len(shape) == len(index) == 1 and isinstance(index[0], np.ndarray) and index[0].dtype == np.int64:
        return index[0]
    places: Array = np.arange(math.prod(shape)).reshape(shape)[index]
    return places
