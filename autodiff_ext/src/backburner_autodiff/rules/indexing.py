"""Backward rules of the ops that pick elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner_autodiff.kernels.indexing import scatter_add
from backburner_autodiff.rules._rule import Array, Vjp, rule

_ALL = slice(None)


@rule
def getitem(out: Array, x: Array, *, index: tuple[Any, ...]) -> tuple[Vjp]:
    shape, dtype = x.shape, x.dtype

    def vjp(g: Array) -> Array:
        if _picks_once(index):
            y = np.zeros(shape, dtype)
            y[index] = g
            return y
        found = _consecutive(index, shape)
        if found is not None:
            axis, naxes, indices = found
            return scatter_add(g, indices, shape, axis, naxes)
        total = np.zeros(shape)  # float64, as many float32 may meet in one place
        np.add.at(total, index, g)
        return total.astype(dtype, copy=False)

    return (vjp,)


def _picks_once(index: tuple[Any, ...]) -> bool:
    """Say whether no element can occur twice: ints, slices and at most one mask."""
    arrays = [i for i in index if isinstance(i, np.ndarray | np.bool_ | bool)]
    return not arrays or (
        len(arrays) == 1 and arrays[0] is not True and np.asarray(arrays[0]).dtype.kind == "b"
    )


def _consecutive(index: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[int, int, Array] | None:
    """Read ``index`` as one gather over consecutive axes that leaves the other axes whole.

    Returns:
        The first of the axes, their number, and positions in them in row-major order; ``None`` if the index
        is of another kind.
    """
    kinds = [type(i) for i in index]
    if kinds.count(type(...)):
        at = kinds.index(type(...))
        index = (*index[:at], *(_ALL,) * (len(shape) - len(index) + 1), *index[at + 1 :])
    picked = [i for i, entry in enumerate(index) if not isinstance(entry, slice)]
    axis, naxes = picked[0], len(picked)
    if picked[-1] - axis + 1 != naxes:
        return None
    for entry in index:
        if isinstance(entry, slice):
            if entry != _ALL:
                return None
        elif entry is None or np.asarray(entry).dtype.kind not in "iu":
            return None
    dims = shape[axis : axis + naxes]
    entries = [np.asarray(entry, np.int64) for entry in index[axis : axis + naxes]]
    positive = [np.where(entry < 0, entry + n, entry) for entry, n in zip(entries, dims, strict=True)]
    return axis, naxes, np.asarray(np.ravel_multi_index(positive, dims))


@rule
def take(out: Array, x: Array, indices: Array, *, axis: int) -> tuple[Vjp, None]:
    shape = x.shape
    return lambda g: scatter_add(g, indices, shape, axis), None


@rule
def embedding(out: Array, weight: Array, indices: Array, *, padding_idx: int | None) -> tuple[Vjp, None]:
    shape = weight.shape

    def vjp(g: Array) -> Array:
        y = scatter_add(g, indices, shape, 0)
        if padding_idx is not None:
            y[padding_idx] = 0
        return y

    return vjp, None
