"""Forwards of interpolate and grid_sample, and the geometry of the second, which its rule shares."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from backburner.backends.numpy import reduction
from backburner.backends.numpy._windows import cubic_slopes, cubic_weights, filled, windows
from backburner.contracts import Array, Shape

_BLOCK = 1 << 16
"""So many elements, with what is made of them, stay in the cache."""
_POINTS = 1 << 13
_FEW = 8
_OUTSIDE = -(1 << 60)  # stays below 0 whatever pixel is added to it


def resized_axes(shape: Shape, size: Shape, ratios: tuple[float | None, ...]) -> list[int]:
    """Return the axes that change, those that shrink most first, for the least work."""
    first = len(shape) - len(size)
    axes = [
        first + i
        for i, (m, ratio) in enumerate(zip(size, ratios, strict=True))
        if m != shape[first + i] or ratio is not None
    ]
    return sorted(axes, key=lambda axis: (size[axis - first] / shape[axis], -axis))


def interpolate(
    x: Array, /,
    *, size: Shape, mode: str, ratios: tuple[float | None, ...], align_corners: bool, antialias: bool,
) -> Array:  # fmt: skip
    """Return ``x`` at another size of its last axes, plane by plane as they fit into the cache."""
    axes = resized_axes(x.shape, size, ratios)
    first = x.ndim - len(size)
    if not axes:
        return x
    if mode == "area" and all(m == 1 for m in size):
        return reduction.mean(x, axis=tuple(range(first, x.ndim)), keepdims=True)
    out = np.empty(x.shape[:first] + size, x.dtype)
    if not out.size:
        return out
    steps = []
    for axis in axes:
        n, m, ratio = x.shape[axis], size[axis - first], ratios[axis - first]
        even = mode == "area" and n % m == 0
        taps, weights = (
            filled(*windows(n, m, mode, ratio, align_corners, antialias, x.dtype))
            if not even
            else (np.empty((m, 0), np.int64), np.empty((m, 0)))
        )
        steps.append((axis - first + 1, n, m, taps, weights.astype(x.dtype)))
    planes, results = x.reshape(-1, *x.shape[first:]), out.reshape(-1, *size)
    largest = math.prod(map(max, size, x.shape[first:]))
    chunk = max(1, _BLOCK // largest)
    for start in range(0, len(planes), chunk):
        part = planes[start : start + chunk]
        for axis, n, m, taps, weights in steps:
            before, after = part.shape[:axis], part.shape[axis + 1 :]
            lines = part.reshape(math.prod(before), n, math.prod(after))
            part = _resampled(lines, m, taps, weights).reshape(*before, m, *after)
        results[start : start + chunk] = part
    return out


def _resampled(x: Array, m: int, taps: Array, weights: Array) -> Array:
    """Apply a map to the middle axis; without taps it is that to the means of ``m`` equal parts."""
    k = taps.shape[1]
    if not k:
        parts = x.reshape(len(x), m, x.shape[1] // m, x.shape[2])
        if parts.shape[2] > _FEW:
            return reduction.mean(parts, axis=(2,), keepdims=False)
        y = parts[:, :, 0] + parts[:, :, 1]
        for j in range(2, parts.shape[2]):
            y += parts[:, :, j]
        y /= parts.shape[2]
        return y
    if k > max(m, _FEW):  # windows that are larger than there are many
        y = np.empty((len(x), m, x.shape[2]), x.dtype)
        for o in range(m):
            y[:, o] = reduction.sum(x.take(taps[o], 1) * weights[o][:, None], axis=(1,), keepdims=False)
        return y
    y = x.take(taps[:, 0], 1)
    if k > 1:
        y *= weights[:, :1]
    for j in range(1, k):
        tap = x.take(taps[:, j], 1)
        tap *= weights[:, j : j + 1]
        y += tap
    return y


class Taps(NamedTuple):
    """What points are made of along some axes, tap by tap.

    Attributes:
        places: the pixels, as what they add to the number of one in row-major order; below 0 is outside.
        weights: how much of each.
        slopes: the derivatives of the weights by each axis.

    Shape:
        places and weights ``[images, taps, points]``, slopes ``[images, axes, taps, points]``.
    """

    places: Array
    weights: Array
    slopes: Array


class Samples(NamedTuple):
    """A block of points: every tap of the rows with every tap of the columns.

    Attributes:
        images: which images the points are of.
        points: which of the points of each image.
        rows: the taps along all axes but the last, together.
        columns: the taps along the last axis.
    """

    images: slice
    points: slice
    rows: Taps
    columns: Taps


def samples(
    grid: Array, sizes: Shape, mode: str, padding_mode: str, align_corners: bool, slopes: bool
) -> Iterator[Samples]:
    """Yield the points of a grid block by block, with ``slopes`` or without.

    Shape:
        grid ``[n, points, d]``, sizes ``[d]``.
    """
    n, count, d = grid.shape
    # few images at once where they are large: a rule adds up their gradients in float64
    images = max(1, min(_POINTS // max(count, 1), 64 * _POINTS // math.prod(sizes)))
    for i in range(0, n, images):
        for start in range(0, count, _POINTS):
            which, points = slice(i, i + images), slice(start, start + _POINTS)
            block = grid[which, points]
            axes = [
                _taps(
                    block[..., d - 1 - axis],
                    size,
                    math.prod(sizes[axis + 1 :]),
                    (mode, padding_mode, align_corners, slopes),
                )
                for axis, size in enumerate(sizes)
            ]
            yield Samples(which, points, axes[0] if d == 2 else _together(axes[0], axes[1], slopes), axes[-1])


def _together(outer: Taps, inner: Taps, slopes: bool) -> Taps:
    """Return every tap of one axis with every tap of another."""
    first, second = (slice(None), slice(None), None), (slice(None), None)
    shape = (outer.places.shape[0], -1, outer.places.shape[2])
    both = (
        [
            (outer.slopes[:, 0][first] * inner.weights[second]).reshape(shape),
            (outer.weights[first] * inner.slopes[:, 0][second]).reshape(shape),
        ]
        if slopes
        else [outer.slopes[:, 0]]
    )
    return Taps(
        (outer.places[first] + inner.places[second]).reshape(shape),
        (outer.weights[first] * inner.weights[second]).reshape(shape),
        np.stack(both, 1),
    )


def _taps(coordinates: Array, size: int, stride: int, options: tuple[str, str, bool, bool]) -> Taps:
    """Return the taps along one axis, neighbours along which are ``stride`` pixels apart."""
    mode, padding_mode, align_corners, sloping = options
    with np.errstate(all="ignore"):
        if align_corners:
            places, rate = (coordinates + 1) * ((size - 1) / 2), (size - 1) / 2
        else:
            places, rate = ((coordinates + 1) * size - 1) / 2, size / 2
        if mode == "bicubic":
            if padding_mode != "reflection":
                # whence all taps are outside; infinities must not count
                np.clip(places, -3, size + 2, out=places)
            below = np.floor(places)
            t = places - below
            taps = np.stack([below + i for i in range(-1, 3)], 1)
            if padding_mode != "zeros":
                taps = _padded(taps, size, padding_mode, align_corners)[0]
            weights = cubic_weights(t, 1)
            slopes = cubic_slopes(t, 1) * places.dtype.type(rate) if sloping else weights[:, :0]
        else:
            signs: Any = 1
            if padding_mode == "zeros":
                np.clip(places, -2, size + 1, out=places)
            else:
                places, signs = _padded(places, size, padding_mode, align_corners)
            if mode == "nearest":
                taps = np.rint(places)[:, None]
                weights = np.where(places == places, places.dtype.type(1), places)[:, None]
                slopes = np.zeros_like(weights)
            else:
                below = np.floor(places)
                t = places - below
                taps = np.stack([below, below + 1], 1)
                weights = np.stack([1 - t, t], 1)
                rates = np.broadcast_to(places.dtype.type(rate) * signs, places.shape)
                slopes = np.stack([-rates, rates], 1) if sloping else weights[:, :0]
        numbers = np.full(size + 2, _OUTSIDE)  # of the pixels, and of one on either side
        numbers[1:-1] = np.arange(size) * stride
        # NaN counts as -1; the places are near the image, and what is behind the one after it is that
        return Taps(
            numbers.take((np.fmax(taps, -1) + 1).astype(np.int64), mode="clip"), weights, slopes[:, None]
        )


def _padded(places: Array, size: int, padding_mode: str, align_corners: bool) -> tuple[Array, Array]:
    """Return places brought inside, and the derivative of that: 1, -1 where mirrored, 0 where cut off."""
    signs = np.ones_like(places)
    if padding_mode == "reflection":
        low, span = (0.0, size - 1) if align_corners else (-0.5, size)
        if span == 0:
            places = np.where(np.isfinite(places), places.dtype.type(0), places - places)
            return places, np.zeros_like(places)
        far = np.abs(places - low)
        rest, turns = np.fmod(far, span), np.floor(far / span)
        odd = np.fmod(turns, 2) == 1
        signs[odd != (places < low)] = -1
        places = np.where(odd, span - rest, rest) + places.dtype.type(low)
    signs[~((places > 0) & (places < size - 1))] = 0
    return np.clip(places, 0, size - 1), signs


def grid_sample(x: Array, grid: Array, /, *, mode: str, padding_mode: str, align_corners: bool) -> Array:
    """Return ``x`` at the places that ``grid`` names, tap by tap."""
    n, c = x.shape[:2]
    pixels, points = math.prod(x.shape[2:]), math.prod(grid.shape[1:-1])
    out = np.empty((n, c, points), x.dtype)
    if out.size:
        flat = grid.reshape(n, points, grid.shape[-1])
        for block in samples(flat, x.shape[2:], mode, padding_mode, align_corners, False):
            outside = min(block.rows.places.min(), block.columns.places.min()) < 0
            for i, image in enumerate(range(*block.images.indices(n))):
                planes = x[image].reshape(c, pixels)
                if outside:  # one more pixel is all that is outside
                    planes = np.concatenate([planes, np.zeros((c, 1), x.dtype)], 1)
                _sampled(planes, block, i, outside, out[image, :, block.points])
    return out.reshape((n, c, *grid.shape[1:-1]))


@np.errstate(invalid="ignore")
def _sampled(planes: Array, block: Samples, i: int, outside: bool, out: Any) -> None:
    y = None
    (rows, heights, _), (columns, widths, _) = block.rows, block.columns
    for row, height in zip(rows[i], heights[i], strict=True):
        for column, width in zip(columns[i], widths[i], strict=True):
            places = row + column
            if outside:
                np.maximum(places, -1, out=places)
            tap = planes.take(places, 1)
            tap *= height * width
            y = tap if y is None else np.add(y, tap, out=y)
    out[...] = y
