"""Backward rules of the ops that pick elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner.backends.numpy.indexing import picks_once, places_of
from backburner_autodiff.kernels.indexing import scatter_add, scatter_lines
from backburner_autodiff.rules._rule import Array, Vjp, rule

_ALL = slice(None)


@rule
def getitem(out: Array, x: Array, *, index: tuple[Any, ...]) -> tuple[Vjp]:
    shape, dtype = x.shape, x.dtype

    def vjp(g: Array) -> Array:
        if picks_once(index):
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


@rule
def embedding_bag(
    out: Array, weight: Array, indices: Array, bounds: Array, factors: Array | None
) -> tuple[Vjp, None, None, Vjp | None]:
    shape = weight.shape

    def spread(g: Array) -> Array:
        """Return the cotangent of the bag of each index."""
        sizes = np.diff(bounds)
        return g.take(np.repeat(np.arange(sizes.size), sizes), 0)

    def vjp_weight(g: Array) -> Array:
        rows = spread(g)
        if factors is not None:
            rows *= factors[:, None]
        return scatter_add(rows, indices, shape, 0)

    def vjp_factors(g: Array) -> Array:
        rows = spread(g)
        rows *= weight.take(indices, 0)
        return np.asarray(rows.sum(axis=1))

    return vjp_weight, None, None, None if factors is None else vjp_factors


@rule
def take_along_axis(out: Array, x: Array, indices: Array, *, axis: int) -> tuple[Vjp, None]:
    shape = x.shape
    return lambda g: scatter_lines(g, indices, shape, axis), None


@rule
def at(out: Array, x: Array, values: Array, *, index: tuple[Any, ...], mode: str) -> tuple[Vjp, Vjp]:
    if mode == "set":
        return _replaced(index, x.shape)
    if mode == "add":
        return lambda g: g, lambda g: g[index]
    return _multiplied(x, values, index) if mode == "multiply" else _bounded(out, x, values, index)


def _replaced(index: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[Vjp, Vjp]:
    """Give the cotangent of a replaced element to its last new value."""

    def vjp_x(g: Array) -> Array:
        y = g.copy()
        y[index] = 0
        return y

    def vjp_values(g: Array) -> Array:
        picked: Array = g[index]
        if picks_once(index):
            return picked
        places = places_of(shape, index)
        numbers = np.arange(places.size).reshape(places.shape)
        last = np.empty(g.size, np.int64)
        last[places.reshape(-1)] = numbers.reshape(-1)
        return np.where(last[places] == numbers, picked, 0)

    return vjp_x, vjp_values


def _multiplied(x: Array, values: Array, index: tuple[Any, ...]) -> tuple[Vjp, Vjp]:
    """Multiply the cotangent by all other factors, without a division."""

    def vjp_x(g: Array) -> Array:
        y = np.array(g, order="C")
        if picks_once(index):
            y[index] = _product(g[index], values)
            return y
        places = places_of(x.shape, index)
        named, totals, _ = _factors(places, np.broadcast_to(values, places.shape))
        flat = y.reshape(-1)
        flat[named] = _product(flat[named], totals)
        return y

    def vjp_values(g: Array) -> Array:
        if picks_once(index):
            return _product(g[index], x[index])
        places = places_of(x.shape, index)
        _, _, others = _factors(places, np.broadcast_to(values, places.shape))
        return _product(g[index], x[index] * others)

    return vjp_x, vjp_values


def _product(g: Array, y: Array) -> Array:
    """Return ``g * y``, 0 where the cotangent is."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(g == 0, 0, g * y))


def _factors(places: Array, values: Array) -> tuple[Array, Array, Array]:
    """Multiply values by place.

    Returns:
        The places that occur, the product at each of them, and for each value that of the others in its place.
    """
    flat, given = places.reshape(-1), values.reshape(-1)
    order = np.argsort(flat, kind="stable")
    named, starts, group, counts = np.unique(
        flat[order], return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.arange(flat.size) - starts[group]  # the how manieth of its place a value is
    layers = np.split(np.argsort(rank, kind="stable"), np.cumsum(np.bincount(rank))[:-1]) if flat.size else []
    others = np.ones(flat.size, values.dtype)
    totals = np.ones(named.size, values.dtype)
    for way in (layers, layers[::-1]):  # what stands before a value, then what stands after
        totals[:] = 1
        for layer in way:
            others[order[layer]] *= totals[group[layer]]
            totals[group[layer]] *= given[order[layer]]
    return named, totals, others.reshape(places.shape)


def _bounded(out: Array, x: Array, values: Array, index: tuple[Any, ...]) -> tuple[Vjp, Vjp]:
    """Share the cotangent evenly among ``x`` and the values that equal the result, or are NaN as it is."""

    def shares(g: Array) -> tuple[Array, Array, Array, Array]:
        places = places_of(x.shape, index)
        best = out[index]
        won = np.asarray((values == best) | (np.isnan(values) & np.isnan(best)))
        kept = np.asarray((x == out) | (np.isnan(x) & np.isnan(out)))
        count = kept.reshape(-1) + np.bincount(places.reshape(-1), won.reshape(-1), x.size)
        return places, won, kept, np.asarray(g / np.maximum(count, 1).reshape(x.shape).astype(g.dtype))

    def vjp_x(g: Array) -> Array:
        _, _, kept, share = shares(g)
        return np.where(kept, share, 0)

    def vjp_values(g: Array) -> Array:
        places, won, _, share = shares(g)
        return np.where(won, share.reshape(-1)[places], 0)

    return vjp_x, vjp_values
