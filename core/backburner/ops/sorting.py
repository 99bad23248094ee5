"""Sorting and searching. NaN comes after all numbers; equal elements keep their order, also when descending."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from backburner import _tensor
from backburner.contracts import Array
from backburner.errors import ArgumentError, DTypeError, GraphError, ShapeError
from backburner.ops import _index, comparison, elementwise, indexing, shape
from backburner.ops._operands import (
    Axis,
    all_axes,
    chosen,
    flag,
    floating,
    integer,
    matrices,
    number,
    numeric,
    one_axis,
    primitive,
    shape_of,
)

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def sort(x: Tensor, /, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the elements in order along an axis; a gradient goes back to where the element came from.

    Args:
        x: a tensor.
        axis: along which.
        descending: the largest, and NaN, come first.
        stable: equal elements keep their order, which they do in any case.

    Shape:
        x and the result ``[...]``.
    """
    held = primitive("sort", x)
    flag("sort", "stable", stable)
    place = one_axis("sort", axis, held.ndim)
    return _tensor.wrap(
        x.device.backend.sort(held, axis=place, descending=flag("sort", "descending", descending)), x.device
    )


def argsort(x: Tensor, /, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the indices, int64, that sort along an axis.

    Args:
        x: a tensor.
        axis: along which.
        descending: the largest, and NaN, come first.
        stable: equal elements keep their order, which they do in any case.

    Shape:
        x and the result ``[...]``.
    """
    held = primitive("argsort", x)
    flag("argsort", "stable", stable)
    place = one_axis("argsort", axis, held.ndim)
    return _tensor.wrap(
        x.device.backend.argsort(held, axis=place, descending=flag("argsort", "descending", descending)),
        x.device,
    )


def topk(
    x: Tensor, /, k: int, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """Return the ``k`` largest elements along an axis in order, and their indices, int64 without gradient.

    Of equal elements the first are taken, in their order; NaN counts as the largest.

    Args:
        x: a tensor.
        k: how many.
        axis: along which.
        largest: whether the largest or the smallest, which then come first.
        sorted: whether they must be in order, which they are in any case.

    Shape:
        x ``[..., n, ...]``; values and indices ``[..., k, ...]``.

    Raises:
        ArgumentError: ``k`` is negative or longer than the axis.
    """
    held = primitive("topk", x)
    place = one_axis("topk", axis, held.ndim)
    count = integer("topk", "k", k)
    flag("topk", "sorted", sorted)
    if not 0 <= count <= held.shape[place]:
        raise ArgumentError(
            f"topk: k {count} is outside [0, {held.shape[place]}], the length of axis {axis}."
        )
    found = x.device.backend.topk(held, k=count, axis=place, largest=flag("topk", "largest", largest))
    return _tensor.wrap(found[0], x.device), _tensor.wrap(found[1], x.device)


def searchsorted(x1: Tensor, x2: Tensor, /, side: str = "left", sorter: Any = None) -> Tensor:
    """Return where each of ``x2`` would go into the sorted ``x1``, int64.

    Args:
        x1: sorted, which is not looked at.
        x2: what is to go in.
        side: before (``"left"``) or after (``"right"``) what is equal.
        sorter: indices that sort ``x1``, where it is not.

    Shape:
        x1 and sorter ``[n]``, x2 ``[...]``; result ``[...]`` in ``[0, n]``.

    Raises:
        ArgumentError: ``side`` is another.
        ShapeError: ``x1`` is not 1-d, or ``sorter`` not as long.
        IndexOutOfRange: ``sorter`` has an index that ``x1`` has not.
    """
    chosen("searchsorted", "side", side, ("left", "right"))
    a, b, device = matrices("searchsorted", x1, x2)
    if a.ndim != 1:
        raise ShapeError(f"searchsorted: x1 must be 1-d, got {list(a.shape)}.")
    if sorter is not None:
        device = _index.index_device("searchsorted", device, sorter)
        order = _index.checked_indices("searchsorted", _index.index_array("searchsorted", sorter), a.shape[0])
        if order.shape != a.shape:
            raise ShapeError(f"searchsorted: sorter has shape {list(order.shape)}, x1 {list(a.shape)}.")
        a = device.backend.take(a, order, axis=0)
    return _tensor.wrap(device.backend.searchsorted(a, b, side=side), device)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Return the indices of what is not 0, int64 and one tensor for each axis, in row-major order.

    Shape:
        x of ``d`` axes; ``d`` results ``[k]``.

    Raises:
        ShapeError: ``x`` is 0-d.
    """
    held = primitive("nonzero", x)
    if held.ndim == 0:
        raise ShapeError("nonzero: the tensor is 0-d and has no indices. Use x != 0.")
    return tuple(_tensor.wrap(found, x.device) for found in x.device.backend.nonzero(held))


class UniqueAll(NamedTuple):
    """What ``unique_all`` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What ``unique_counts`` returns."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What ``unique_inverse`` returns."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAll:
    """Return what occurs, sorted, with the first index of each, which of them each element is, and how many.

    Indices, into the flattened tensor, and counts are int64. Each NaN is one of its own. The gradient of a
    value goes to the first that equals it.

    Shape:
        x ``[...]``; values, indices and counts ``[u]``, inverse_indices ``[...]``.
    """
    held = primitive("unique_all", x)
    return UniqueAll(*(_tensor.wrap(found, x.device) for found in x.device.backend.unique_all(held)))


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """Return what occurs, sorted, and how often. See ``unique_all``.

    Shape:
        x ``[...]``; values and counts ``[u]``.
    """
    primitive("unique_counts", x)
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """Return what occurs, sorted, and which of them each element is. See ``unique_all``.

    Shape:
        x ``[...]``; values ``[u]``, inverse ``[...]``.
    """
    primitive("unique_inverse", x)
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """Return what occurs, sorted. See ``unique_all``.

    Shape:
        x ``[...]``; result ``[u]``.
    """
    primitive("unique_values", x)
    y = sort(shape.flatten(x))
    if y.size < 2:
        return y
    is_first = np.ones(y.shape, np.bool_)
    is_first[1:] = comparison.not_equal(y[1:], y[:-1]).numpy()
    return y[is_first]


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    x: Tensor,
    q: float | Sequence[float] | Tensor,
    /,
    axis: Axis = None,
    keepdims: bool = False,
    method: str = "linear",
) -> Tensor:
    """Return what the fraction ``q`` of the elements lies below, by the one or two elements next to that place.

    A gradient goes to these, of equal elements to those that ``sort`` puts there. NaN if one is.

    Args:
        x: a tensor; integers are taken as float32.
        q: in [0, 1]; several, also as a tensor without gradient, add a first axis.
        axis: an int, several, or ``None`` for all.
        keepdims: keep reduced axes with size 1.
        method: between two elements ``"linear"`` goes along the line through both, ``"lower"`` and ``"higher"``
            take one, ``"midpoint"`` their mean, and ``"nearest"`` the nearer one, of equally near ones that at
            the even place. PyTorch's name for it is ``interpolation``.

    Shape:
        x ``[...]``, q ``[q...]``; result ``[q..., ...]``, which lacks the axes that are reduced, or has 1
        there with ``keepdims``.

    Raises:
        ArgumentError: ``q`` is outside [0, 1], or ``method`` another.
        ShapeError: there is nothing to reduce, or ``q`` has more than one axis.
        GraphError: ``q`` is tracked.
    """
    held = floating("quantile", x)
    axes = all_axes("quantile", axis, held.ndim)
    keep = flag("quantile", "keepdims", keepdims)
    chosen("quantile", "method", method, _METHODS)
    if isinstance(q, _tensor.Tensor):
        if q.ndim > 1:
            raise ShapeError(f"quantile: q must have at most one axis, got {list(q.shape)}.")
        if q.is_tracked():
            raise GraphError("quantile: q is a constant and takes no gradient. Use detach() on it.")
        q = q.tolist()
    several = isinstance(q, Sequence)
    wanted = [number("quantile", "q", part) for part in (q if isinstance(q, Sequence) else (q,))]
    if any(not 0 <= part <= 1 for part in wanted):
        raise ArgumentError(f"quantile: q must be in [0, 1], got {q!r}.")
    kept = [i for i in range(held.ndim) if i not in axes]
    sizes = [held.shape[i] for i in kept]
    count = math.prod([held.shape[i] for i in axes])
    if count == 0:
        raise ShapeError(f"quantile: nothing to reduce: axis {axes} of {list(held.shape)}.")
    rows = shape.permute_dims(_tensor.wrap(held, x.device), (*kept, *axes))
    ordered = sort(shape.reshape(rows, (*sizes, count)))
    between = _between(ordered, np.array(wanted) * (count - 1), method)
    last = indexing.take(ordered, np.array([count - 1]), axis=-1)
    y = elementwise.where(comparison.equal(last, last), between, last)
    y = shape.permute_dims(y, (len(kept), *range(len(kept))))
    if keep:
        y = shape.reshape(y, (len(wanted), *(1 if i in axes else n for i, n in enumerate(held.shape))))
    return y if several else y[0]


def _between(ordered: Tensor, places: Array, method: str) -> Tensor:
    """Return what is at places along the last axis, which may lie between two elements."""
    below, above = np.floor(places).astype(np.int64), np.ceil(places).astype(np.int64)
    if method in ("lower", "higher", "nearest"):
        there = {"lower": below, "higher": above, "nearest": np.rint(places).astype(np.int64)}[method]
        return indexing.take(ordered, there, axis=-1)
    lower, upper = (indexing.take(ordered, at, axis=-1) for at in (below, above))
    # of a place that is an element's both are the same, and half of each keeps an infinity
    part = (
        np.full(places.shape, 0.5) if method == "midpoint" else np.where(above > below, places - below, 0.5)
    )
    weight = _tensor.tensor(part.astype(ordered.dtype))
    line = lower * (1 - weight) + upper * weight
    return elementwise.where(_tensor.tensor(above > below), line, lower)


class Histogram(NamedTuple):
    """What ``histogram`` returns."""

    hist: Tensor
    bin_edges: Tensor


_BINS = ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")


def histogram(
    x: Tensor,
    /,
    bins: int | str | Sequence[float] | Tensor = 10,
    range: tuple[float, float] | None = None,
    density: bool = False,
    weights: Tensor | None = None,
) -> Histogram:
    """Return how many elements lie in each bin, or the sum of their weights, and the edges of the bins.

    A bin has its left edge and not its right one, but the last has both. What lies outside is not counted.
    Weights have a gradient, ``x`` has none.

    Args:
        x: a tensor, taken as if flat; integers are taken as float32.
        bins: how many of one width, or their edges, or one of NumPy's rules for choosing a number.
        range: the first and the last edge; by default the extrema of ``x``.
        density: divide by the sum and by the widths, for an estimate of the probability density.
        weights: of the shape of ``x``.

    Shape:
        hist ``[n]``, int64 without weights or density; bin_edges ``[n + 1]``.

    Raises:
        ArgumentError: there is no bin, or edges fall, or ``range`` or an extremum of ``x`` is not finite.
        ShapeError: ``weights`` has another shape than ``x``, or the edges are not a vector.
        DTypeError: the edges are not numbers.
    """
    held = floating("histogram", x)
    device = x.device
    values = _tensor.wrap(held, device)._array().reshape(-1)
    edges = _edges(values, bins, range, weighted=weights is not None)
    last = edges.size - 2
    places = np.minimum(np.searchsorted(edges, values, "right") - 1, last)
    counted = np.flatnonzero((values >= edges[0]) & (values <= edges[-1]))
    dense = flag("histogram", "density", density)
    if weights is None:
        given: Any = np.ones((), np.int64)
    else:
        given = numeric("histogram: weights", weights)
        if given.shape != held.shape:
            raise ShapeError(
                f"histogram: weights of {list(given.shape)} for {list(held.shape)}, the shape of x."
            )
        device = _index.index_device("histogram", device, weights)
        given = device.backend.reshape(given, shape=(values.size,))
        given = device.backend.take(given, counted, axis=0)
    backend = device.backend
    start = backend.full(shape=(last + 1,), value=0, dtype=given.dtype)
    hist = _tensor.wrap(backend.at(start, given, index=(places[counted],), mode="add"), device)
    bounds = _tensor.wrap(edges, device)
    if dense:
        hist = elementwise.astype(hist, given.dtype if given.dtype.kind == "f" else held.dtype)
        hist = hist / hist.sum() / (bounds[1:] - bounds[:-1])
    return Histogram(hist, bounds)


def _edges(values: Array, bins: Any, limits: Any, weighted: bool) -> Array:
    """Return the edges of the bins in the dtype of the values."""
    if isinstance(bins, (_tensor.Tensor, Sequence)) and not isinstance(bins, str):
        try:
            edges = np.asarray(bins.numpy() if isinstance(bins, _tensor.Tensor) else bins, values.dtype)
        except (TypeError, ValueError):
            raise DTypeError(f"histogram: the edges must be numbers, got {bins!r}.") from None
        if edges.ndim != 1 or edges.size < 2:
            raise ShapeError(
                f"histogram: the edges must be a vector of at least two, got {list(edges.shape)}."
            )
        if not (edges[1:] >= edges[:-1]).all():
            raise ArgumentError("histogram: the edges must not fall, nor be NaN. Sort them.")
        return edges
    if isinstance(bins, str):
        if bins not in _BINS or weighted:
            raise ArgumentError(
                f"histogram: bins must be a number, edges or, without weights, one of {', '.join(_BINS)}; "
                f"got {bins!r}."
            )
    elif (bins := integer("histogram", "bins", bins)) < 1:
        raise ArgumentError(f"histogram: there must be at least one bin, got {bins}.")
    else:
        shape_of("histogram", (bins + 1,))
    if limits is None:
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    elif not isinstance(limits, Sequence) or len(limits) != 2:
        raise ArgumentError(f"histogram: range must be a pair (low, high), got {limits!r}.")
    else:
        low, high = (number("histogram", "range", limit) for limit in limits)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ArgumentError(
            f"histogram: the range from {low} to {high} is not finite, or falls. Name another with range."
        )
    named = None if limits is None else (low, high)
    return np.histogram_bin_edges(values, bins, named).astype(values.dtype, copy=False)
