"""Forward of max_pool2d."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner.backends.numpy.pool import (
    Geometry,
    pool2d_size,
    reduce_axis,
    reduce_windows,
    taps_of_windows,
)
from backburner.contracts import Array, Pair


def max_pool2d(
    x: Array, /,
    *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool, return_indices: bool,
) -> tuple[Array, Array | None]:  # fmt: skip
    """Return the largest element of each window, NaN if there is one, and where asked for its index."""
    window = (kernel_size, stride, padding, dilation, ceil_mode)
    if not return_indices:
        return reduce_windows(np.maximum, _lowest(x.dtype), x, *window), None
    n, c, h, w = x.shape
    oh, ow = pool2d_size((h, w), *window)
    out, indices = np.empty((n * c, oh, ow), x.dtype), np.empty((n * c, oh, ow), np.int64)
    planes = x.reshape(n * c, h, w)
    some = max(1, _CHUNK // max(1, h * w))
    for start in range(0, n * c, some):
        part = slice(start, start + some)
        out[part], indices[part] = _search(planes[part], (oh, ow), kernel_size, stride, padding, dilation)
    return out.reshape(n, c, oh, ow), indices.reshape(n, c, oh, ow)


_CHUNK = 1 << 17
"""So many elements are searched at once: what is made of them stays in the cache."""


def indices_of_taps(
    taps: Array, width: int, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair
) -> Array:
    """Return where in its flat plane, whose rows have ``width`` elements, the tap of each window stands, int64.

    A tap is numbered ``ki * kw + kj``, in an unsigned type; its largest number is for none, which gives -1.

    Shape:
        taps ``[planes, oh, ow]``, the result alike.
    """
    rows, columns = (np.arange(taps.shape[i + 1]) * stride[i] - padding[i] for i in (0, 1))
    starts = np.add.outer(rows * width, columns)
    if taps.dtype.itemsize <= 2:
        indices = starts + offsets_of_taps(width, kernel_size, dilation).take(taps, mode="clip")
    else:
        across, along = np.divmod(taps.astype(np.int64), kernel_size[1])
        indices = starts + across * (dilation[0] * width) + along * dilation[1]
    none = taps == np.iinfo(taps.dtype).max
    if none.any():
        indices[none] = -1
    return np.asarray(indices)


def offsets_of_taps(width: int, kernel_size: Pair, dilation: Pair) -> Array:
    """Return how far each tap is from the first in a flat plane whose rows have ``width`` elements."""
    rows, columns = (np.arange(kernel_size[i]) * dilation[i] for i in (0, 1))
    return np.asarray(np.add.outer(rows * width, columns).ravel())


def _lowest(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return -np.inf
    return False if dtype.kind == "b" else np.iinfo(dtype).min


def _search(
    x: Array, windows: Pair, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair
) -> tuple[Array, Array]:
    """Return the largest element of each window of ``[planes, h, w]``, and its index, or -1."""
    rows, columns = [
        (x.shape[i + 1], windows[i], kernel_size[i], stride[i], padding[i], dilation[i]) for i in (0, 1)
    ]
    # along the rows first, so that of equals the first in row-major order is found
    across = reduce_axis(np.maximum, _lowest(x.dtype), x, 2, columns)
    y = reduce_axis(np.maximum, _lowest(x.dtype), across, 1, rows)
    spoiled = x.dtype.kind == "f" and bool(np.isnan(y).any())
    most = kernel_size[0] * kernel_size[1]
    dtype = next(t for t in (np.uint8, np.uint16, np.uint64) if most < np.iinfo(t).max)
    taps = _find(x, np.zeros((1, 1, 1), dtype), 1, across, 2, columns, spoiled)
    taps = _find(across, taps, kernel_size[1], y, 1, rows, spoiled)
    return y, indices_of_taps(taps, x.shape[2], kernel_size, stride, padding, dilation)


def _find(x: Array, taps: Array, step: int, y: Array, axis: int, geometry: Geometry, spoiled: bool) -> Array:
    """Return which taps are the largest of their windows along an axis, ``y``: the first of equals, the last NaN.

    Args:
        x: among what.
        taps: the number of each ``x``, or of all.
        step: how much a tap along this axis adds to it.
        y: the largest of each window.
        axis: along which.
        geometry: of the axis.
        spoiled: whether there may be NaN.
    """
    none = np.iinfo(taps.dtype).max
    found = np.full(y.shape, none, taps.dtype)
    before = (slice(None),) * axis
    met_by = list(taps_of_windows(geometry))

    def numbers(tap: int, met: Any) -> Array:
        # a tap that is none stays it
        given = taps if taps.size == 1 else taps[met]
        more = taps.dtype.type(tap * step)
        return given + more if taps.size == 1 else np.where(given == none, given, given + more)

    for tap, first, last, met in met_by:
        part, place = (*before, slice(first, last)), (*before, met)
        # comparisons and minima become vector code; a masked copy does not
        other = (x[place] != y[part]).astype(taps.dtype) * none
        np.minimum(found[part], other | numbers(tap, place), out=found[part])
    if spoiled:
        for tap, first, last, met in met_by:
            part, place = (*before, slice(first, last)), (*before, met)
            np.copyto(found[part], numbers(tap, place), where=np.isnan(x[place]))
    return found
