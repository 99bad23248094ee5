"""Distances between all rows of one matrix and all of another, without an array of all differences."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from backburner.backends.numpy import reduction
from backburner.contracts import Array

_FEW = 12
"""Of so few features at most even Euclidean distances are summed feature by feature, faster than by a product."""
_BLOCK = 1 << 15
"""So many distances are computed at a time, which then stay in the cache."""
WIDE = 1 << 18
"""So many where they come from a product, which is slow for few rows."""
_RUN = 128
"""So many features are summed in the inputs' dtype before they go on in float64."""

Block = tuple[slice, slice]


def batches(x1: Array, x2: Array) -> tuple[Array, Array, tuple[int, ...]]:
    """Return both with one batch dimension, over which they have been broadcast, and the shape of the result."""
    rank = max(x1.ndim, x2.ndim) - 2
    sizes = [(1,) * (rank + 2 - x.ndim) + x.shape[:-2] for x in (x1, x2)]
    batch = tuple([m if n == 1 else n for n, m in zip(*sizes, strict=True)])
    count = math.prod(batch)
    first = np.broadcast_to(x1, (*batch, *x1.shape[-2:])).reshape(count, *x1.shape[-2:])
    second = np.broadcast_to(x2, (*batch, *x2.shape[-2:])).reshape(count, *x2.shape[-2:])
    return first, second, (*batch, x1.shape[-2], x2.shape[-2])


def blocks(shape: tuple[int, ...], size: int = _BLOCK) -> Iterator[Block]:
    """Cut a batch of matrices into whole ones, several at a time, or else each into rows."""
    count, n, m = shape
    if n * m <= size:
        step = size // max(n * m, 1)
        for start in range(0, count, step):
            yield slice(start, start + step), slice(0, n)
        return
    rows = max(size // m, 1)
    for index in range(count):
        for start in range(0, n, rows):
            yield slice(index, index + 1), slice(start, start + rows)


def cdist(x1: Array, x2: Array, /, *, p: float, products: bool | None) -> Array:
    """Return the p-norms of all differences of two rows."""
    first, second, shape = batches(x1, x2)
    count, n, d = first.shape
    m = second.shape[1]
    by_products = p == 2 and (d > _FEW if products is None else products)
    if n > m and not by_products:  # the inner loop should be the long one
        return cdist(x2, x1, p=p, products=False).swapaxes(-1, -2)
    out = (np.empty if d else np.zeros)((count, n, m), x1.dtype)
    if out.size and d:
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            if by_products:
                _by_products(first, second, out)
            else:
                _by_features(first, second, p, out)
    return out.reshape(shape)


def centred(first: Array, second: Array) -> tuple[Array, Array]:
    """Return both in float64 less the mean of the second's rows, near which squares cancel least."""
    middle = np.mean(second, -2, np.float64, keepdims=True)
    return first - middle, second - middle


def _by_products(first: Array, second: Array, out: Array) -> None:
    """Write ``sqrt(|x|^2 - 2xy + |y|^2)`` by one product, and the norm of the difference where that cancels."""
    x, y = centred(first, second)
    squares, others = ((z * z).sum(-1, keepdims=True) for z in (x, y))
    rows_of_x = np.concatenate([x, squares, np.ones_like(squares)], -1)
    columns = np.concatenate([y * -2.0, np.ones_like(others), others], -1).swapaxes(-1, -2)
    least = 1e-7 if out.itemsize == 4 else 1e-3  # of the squares, which have 16 digits
    bound = (squares + others.max(-2, keepdims=True)) * least
    for batch, rows in blocks(out.shape, WIDE):
        found = np.matmul(rows_of_x[batch, rows], columns[batch])
        exact = ~(found > bound[batch, rows])
        np.sqrt(found, out=out[batch, rows], casting="same_kind")
        if exact.any():
            _one_by_one(first[batch, rows], second[batch], exact, out[batch, rows])


def _one_by_one(first: Array, second: Array, which: Array, out: Array) -> None:
    """Write the Euclidean distances of some pairs."""
    places = np.nonzero(which)
    step = max(_BLOCK // first.shape[-1], 1)
    for start in range(0, len(places[0]), step):
        batch, i, j = (place[start : start + step] for place in places)
        difference = first[batch, i] - second[batch, j]
        out[batch, i, j] = reduction.vector_norm(difference, axis=(1,), ord=2, keepdims=False)


def _by_features(first: Array, second: Array, p: float, out: Array) -> None:
    """Go through the features, of all pairs of a block at a time."""
    columns = np.ascontiguousarray(second.swapaxes(-1, -2))
    for batch, rows in blocks(out.shape):
        x, y, found = first[batch, rows], columns[batch], out[batch, rows]
        if p in (0, 1, 2, np.inf):
            found[...] = _summed(x, y, p, None)
            if p == 2:
                np.sqrt(found, out=found)
                tiny = np.finfo(out.dtype).tiny ** 0.5 * 1e6
                odd = ~((found > tiny) & np.isfinite(found))  # a square may have vanished or overflowed
                if odd.any():
                    _one_by_one(x, second[batch], odd, found)
        else:
            scale = _summed(x, y, np.inf, None)
            usable = (scale > 0) & np.isfinite(scale)
            scale[~usable] = 1
            total = _summed(x, y, p, scale)
            found[...] = total ** (1 / p) * scale


def _summed(x: Array, y: Array, p: float, scale: Array | None) -> Array:
    """Return the sums of ``|x - y|^p`` over the features, or the largest for ``inf``, or how many differ for 0."""
    shape = (*x.shape[:2], y.shape[-1])
    part, difference = np.zeros(shape, x.dtype), np.empty(shape, x.dtype)
    long = x.shape[-1] > _RUN and p != np.inf
    total = np.zeros(shape) if long else part
    for k in range(x.shape[-1]):
        np.subtract(x[..., k, None], y[:, k, None, :], out=difference)
        if p == 2:
            np.multiply(difference, difference, out=difference)
        elif p == 0:
            np.not_equal(difference, 0, out=difference, casting="unsafe")
        else:
            np.abs(difference, out=difference)
            if scale is not None:
                difference /= scale
                np.power(difference, difference.dtype.type(p), out=difference)
        if p == np.inf:
            np.maximum(part, difference, out=part)
        else:
            part += difference
        if long and k % _RUN == _RUN - 1:
            total += part
            part[...] = 0
    if long:
        total += part
    return total
