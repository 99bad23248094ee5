"""Forwards of the normalisations: batch_norm, normalize_channels, layer_norm, group_norm, rms_norm.

All but the last subtract one value of the data before they look for the mean: what is then left is of the size of the
standard deviation, so that float32 loses nothing where the mean is large.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from backburner.backends.numpy._blocks import CACHE, PART
from backburner.backends.numpy.reduction import sum as accurate_sum
from backburner.contracts import Array
from backburner.threads import share

_BLOCK = 1 << 16
"""So many elements does the second of two passes find in the cache."""

_PART = 1 << 19
"""So many elements at least does a thread take at a time."""


@np.errstate(all="ignore")
def batch_norm(
    x: Array, weight: Array | None, bias: Array | None, /, *, eps: float
) -> tuple[Array, Array, Array]:
    """Normalise each channel by the statistics of this batch; return ``(out, mean, var)``."""
    n, c = x.shape[:2]
    if x.size == 0:
        return np.empty_like(x), np.full(c, np.nan, x.dtype), np.full(c, np.nan, x.dtype)
    images = x.reshape(n, c, -1)
    count = images.shape[0] * images.shape[2]
    origin = images[:1, :, :1]
    out = images - origin
    mean = accurate_sum(out, axis=(0, 2), keepdims=True) / count
    out -= mean
    var = accurate_sum(np.square(out), axis=(0, 2), keepdims=True) / count
    scale = 1 / np.sqrt(var + eps)
    if weight is not None:
        scale *= weight[:, None]
    out *= scale
    if bias is not None:
        out += bias[:, None]
    return out.reshape(x.shape), (mean + origin).reshape(c), var.reshape(c)


@np.errstate(all="ignore")
def normalize_channels(
    x: Array, mean: Array, var: Array, weight: Array | None, bias: Array | None, /, *, eps: float
) -> Array:
    """Normalise each channel by given statistics: one product and one sum for each element, as PyTorch does."""
    scale = (1 if weight is None else weight) / np.sqrt(var + eps)
    shift = -mean * scale
    if bias is not None:
        shift += bias
    n, c = x.shape[:2]
    if x.size >= 256 * n * c:
        np.setbufsize(
            16
        )  # else NumPy copies the numbers of the channels to buffers, which takes as long as the rest
    if x.size <= _BLOCK or x.size == n * c:
        wide = (c,) + (1,) * (x.ndim - 2)
        y: Array = x * scale.reshape(wide)
        y += shift.reshape(wide)
        return y
    size = x.size // (n * c)
    out = np.empty(x.shape, x.dtype)
    xs, ys = x.reshape(-1), out.reshape(-1)
    if (
        n > 3 and c * size <= 2 * _BLOCK
    ):  # some images, by numbers repeated for every element: they are not many
        step = c * size * max(1, _BLOCK // (c * size))
        scales, shifts = (np.tile(np.repeat(v, size), step // (c * size)) for v in (scale, shift))

        def fill(start: int) -> None:
            part, target = xs[start : start + step], ys[start : start + step]
            np.multiply(part, scales[: len(part)], out=target)
            np.add(target, shifts[: len(part)], out=target)
    else:  # some channels, or part of one
        rows = max(1, _BLOCK // size)
        length = size if size <= _BLOCK else math.gcd(size, _BLOCK)
        if length < _BLOCK // 16:
            length = size
        step = rows * length
        scales, shifts = (np.tile(v, n)[:, None] for v in (scale, shift))

        def fill(start: int) -> None:
            some = slice(start // size, start // size + rows)
            part, target = (v[start : start + step].reshape(-1, length) for v in (xs, ys))
            np.multiply(part, scales[some], out=target)
            np.add(target, shifts[some], out=target)

    each = max(1, _PART // step) * step

    def fill_part(i: int) -> None:
        for start in range(i * each, min(x.size, (i + 1) * each), step):
            fill(start)

    share(fill_part, -(-x.size // each))
    return out


@np.errstate(all="ignore")
def layer_norm(x: Array, weight: Array | None, bias: Array | None, /, *, ndim: int, eps: float) -> Array:
    """Normalise the last ``ndim`` dimensions by their own mean and biased variance."""
    if x.size == 0:
        return np.empty_like(x)
    d = math.prod(x.shape[x.ndim - ndim :])
    w, b = (None if p is None else p.reshape(d) for p in (weight, bias))

    def normalise(rows: Array, out: Array) -> None:
        np.subtract(rows, rows[:, :1], out=out)
        out -= _row_sums(out) / d
        out *= 1 / np.sqrt(_row_squares(out) / d + eps)
        if w is not None:
            out *= w
        if b is not None:
            out += b

    return _by_rows(normalise, x.reshape(-1, d)).reshape(x.shape)


@np.errstate(all="ignore")
def rms_norm(x: Array, weight: Array | None, /, *, ndim: int, eps: float) -> Array:
    """Return ``x`` over the root of its mean square along the last ``ndim`` dimensions, times ``weight``."""
    if x.size == 0:
        return np.empty_like(x)
    d = math.prod(x.shape[x.ndim - ndim :])
    w = None if weight is None else weight.reshape(d)

    def normalise(rows: Array, out: Array) -> None:
        np.multiply(rows, 1 / np.sqrt(_row_squares(rows) / d + eps), out=out)
        if w is not None:
            out *= w

    return _by_rows(normalise, x.reshape(-1, d)).reshape(x.shape)


_SUMMED = 2048
"""So many numbers are added up in a row by einsum, in three times less time than NumPy's pairwise sum takes."""


def _row_sums(rows: Array) -> Array:
    if rows.shape[1] > _SUMMED:
        return np.asarray(np.add.reduce(rows, axis=1, keepdims=True))
    return np.asarray(np.einsum("ij->i", rows))[:, None]


def _row_squares(rows: Array) -> Array:
    """Return the sums of the squares of each row."""
    if rows.shape[1] > _SUMMED:
        return np.asarray(np.add.reduce(np.square(rows), axis=1, keepdims=True))
    return np.asarray(np.einsum("ij,ij->i", rows, rows))[:, None]


def _by_rows(normalise: Callable[[Array, Array], None], rows: Array) -> Array:
    """Return the new array that ``normalise`` fills, some rows at a time that stay in the cache, on threads."""
    out = np.empty(rows.shape, rows.dtype)
    n, d = rows.shape
    step = max(1, CACHE // (2 * d * rows.itemsize))
    if n <= step:
        normalise(rows, out)
        return out
    part = -(-PART // (step * d)) * step

    def fill(i: int) -> None:
        for start in range(i * part, min((i + 1) * part, n), step):
            place = slice(start, min(start + step, (i + 1) * part))
            normalise(rows[place], out[place])

    share(fill, -(-n // part))
    return out


@np.errstate(all="ignore")
def group_norm(x: Array, weight: Array | None, bias: Array | None, /, *, groups: int, eps: float) -> Array:
    """Normalise each of ``groups`` runs of channels of each example."""
    if x.size == 0:
        return np.empty_like(x)
    n, c = x.shape[:2]
    out = layer_norm(x.reshape(n * groups, -1), None, None, ndim=1, eps=eps).reshape(n, c, -1)
    if weight is not None:
        out *= weight[:, None]
    if bias is not None:
        out += bias[:, None]
    return out.reshape(x.shape)
