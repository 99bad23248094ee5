"""Reductions. Sums of float32 are accurate along every axis, which NumPy's are not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.contracts import Array, Axes

_add: Any = np.add.reduce
_maximum: Any = np.maximum.reduce
_minimum: Any = np.minimum.reduce
_multiply: Any = np.multiply.reduce
_or: Any = np.logical_or.reduce
_and: Any = np.logical_and.reduce

_LONG = 128  # so many float32 may be added one after another: they lose 2e-6 of equal ones, 3e-7 of others


def sum(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the sum, accurate for 10^8 float32 along any axes.

    NumPy adds pairwise along an innermost run of memory only and one after another along other axes, where a
    float32 stops growing at 2^24. Such sums are made of short ones here, and these add up in float64.
    """
    if x.size > _LONG and x.dtype.char == "f" and _count(x, axis) > _LONG:
        run = _pairwise(x, axis)
        if _count(x, axis) > _LONG * _count(x, run):
            return _long_sum(x, axis, run, keepdims)
    y: Array = _add(x, axis, None, None, keepdims)
    return y


def _count(x: Array, axis: Axes | list[int]) -> int:
    return math.prod([x.shape[i] for i in axis])


def _pairwise(x: Array, axis: Axes) -> list[int]:
    """Return the axes that make up the innermost run of memory, along which NumPy adds pairwise."""
    run = []
    stride = x.itemsize
    for i in sorted(range(x.ndim), key=lambda i: abs(x.strides[i])):
        if x.shape[i] > 1:
            if i not in axis or x.strides[i] != stride:
                break
            stride *= x.shape[i]
            run.append(i)
    return run


def _long_sum(x: Array, axis: Axes, run: list[int], keepdims: bool) -> Array:
    """Sum along ``run`` and up to ``_LONG`` more elements at once, and add these sums up in float64."""
    short = run.copy()
    others = sorted(set(axis).difference(run), key=lambda i: -abs(x.strides[i]))
    count = 1
    while count * x.shape[others[-1]] <= _LONG:
        count *= x.shape[others[-1]]
        short.append(others.pop())
    i = others[-1]
    # axis i is too long to join these, so it is cut: sums of `length` elements, and one of what is left
    length = _LONG // count
    whole = x.shape[i] // length * length
    before = (slice(None),) * i
    blocks = x[(*before, slice(whole))].reshape(*x.shape[:i], -1, length, *x.shape[i + 1 :])
    head = _add(blocks, (*(j + (j > i) for j in short), i + 1), None, None, True)
    rest = _add(x[(*before, slice(whole, None))], (*short, i), None, None, True)
    total = _add(head.squeeze(i + 1), axis, np.float64, None, True) + _add(rest, axis, np.float64, None, True)
    y: Array = total.astype(np.float32)
    return y if keepdims else y.squeeze(axis)


def mean(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the mean, NaN of nothing."""
    n = _count(x, axis)
    total = sum(x, axis=axis, keepdims=keepdims)
    return total / n if n else np.full_like(total, np.nan)


def max(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the largest element, NaN if there is one."""
    y: Array = _maximum(x, axis, None, None, keepdims)
    return y


def min(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the smallest element, NaN if there is one."""
    y: Array = _minimum(x, axis, None, None, keepdims)
    return y


def var(x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
    """Return the variance in two passes; a divisor below 0 counts as 0, which gives ``inf`` or NaN."""
    deviation = np.asarray(x - mean(x, axis=axis, keepdims=True))
    np.square(deviation, out=deviation)
    total = sum(deviation, axis=axis, keepdims=keepdims)
    divisor = _count(x, axis) - correction
    if divisor > 0:
        return total / divisor
    with np.errstate(divide="ignore", invalid="ignore"):
        return total / np.zeros((), total.dtype)


def logsumexp(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return ``log(sum(exp(x)))`` without overflow, ``-inf`` of all ``-inf`` and of nothing."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        highest = np.asarray(_maximum(x, axis, None, None, True, -np.inf))
        highest[~np.isfinite(highest)] = 0
        y: Array = np.log(sum(np.exp(x - highest), axis=axis, keepdims=True)) + highest
    return y if keepdims else y.squeeze(axis)


def argmax(x: Array, /, *, axis: int, keepdims: bool) -> Array:
    """Return the first index of the largest element along ``axis``."""
    found = np.asarray(x.argmax(axis))
    return np.expand_dims(found, axis) if keepdims else found


def argmin(x: Array, /, *, axis: int, keepdims: bool) -> Array:
    """Return the first index of the smallest element along ``axis``."""
    found = np.asarray(x.argmin(axis))
    return np.expand_dims(found, axis) if keepdims else found


def any(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return whether an element is not 0."""
    y: Array = _or(x, axis, None, None, keepdims)
    return y


def all(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return whether no element is 0."""
    y: Array = _and(x, axis, None, None, keepdims)
    return y


def prod(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the product, of float32 by way of float64, 1 of nothing."""
    y: Array = _multiply(x, axis, np.float64 if x.dtype.char == "f" else None, None, keepdims)
    return y.astype(x.dtype) if x.dtype.kind == "f" else y


def std(x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
    """Return the root of the variance; of huge or tiny deviations their squares neither overflow nor vanish."""
    with np.errstate(over="ignore", under="ignore"):
        plain: Array = np.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))
    low, high = (1e-15, 1e15) if x.dtype.char == "f" else (1e-140, 1e140)
    if not x.size or bool(np.all((plain > low) & (plain < high))):
        return plain
    deviation = np.asarray(x - mean(x, axis=axis, keepdims=True))
    largest = np.asarray(_maximum(np.abs(deviation), axis, None, None, True, 0))
    usable = (largest > 0) & np.isfinite(largest)
    scale = np.where(usable, np.ldexp(np.ones((), x.dtype), np.frexp(largest)[1] - 1), 1).astype(x.dtype)
    y: Array = np.sqrt(var(deviation / scale, axis=axis, correction=correction, keepdims=True)) * scale
    return y if keepdims else y.squeeze(axis)


def vector_norm(x: Array, /, *, axis: Axes, ord: float, keepdims: bool) -> Array:
    """Return ``sum(|x|^ord)^(1/ord)``, scaled by the element that weighs most so that no power overflows."""
    if ord == 0:
        return np.asarray(sum(np.asarray(x != 0), axis=axis, keepdims=keepdims)).astype(x.dtype)
    size = np.asarray(np.abs(x))
    extremum, start = (_maximum, 0) if ord > 0 else (_minimum, np.inf)
    scale = np.asarray(extremum(size, axis, None, None, True, start))
    usable = (scale > 0) & np.isfinite(scale)
    size /= np.where(usable, scale, 1)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        if ord == 2:
            np.square(size, out=size)
            y = np.sqrt(sum(size, axis=axis, keepdims=True))
        else:
            np.power(size, size.dtype.type(ord), out=size)
            y = np.power(sum(size, axis=axis, keepdims=True), size.dtype.type(1 / ord))
    y = y * np.where(usable, scale, 1)
    return y if keepdims else y.squeeze(axis)


def lanes(x: Array, axis: Axes) -> Array:
    """Return ``x`` with the reduced axes made one, the last."""
    moved = np.moveaxis(x, axis, range(x.ndim - len(axis), x.ndim))
    return moved.reshape(*moved.shape[: x.ndim - len(axis)], _count(x, axis))


def middles(x: Array, axis: Axes) -> tuple[Array, Array]:
    """Return the lower and the upper middle of the sorted elements, the same of an odd number; NaN if one is."""
    rows = lanes(x, axis)
    n = rows.shape[-1]
    rows = np.partition(rows, ((n - 1) // 2, n // 2, n - 1), -1)
    lower, upper, last = rows[..., (n - 1) // 2], rows[..., n // 2], rows[..., -1]
    absent = np.isnan(last)
    return np.where(absent, last, lower), np.where(absent, last, upper)


def median(x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
    """Return the middle element, or the mean of the two."""
    lower, upper = middles(x, axis)
    half = x.dtype.type(0.5)
    y = np.where(lower == upper, lower, half * lower + half * upper)
    return np.expand_dims(y, axis) if keepdims else y
