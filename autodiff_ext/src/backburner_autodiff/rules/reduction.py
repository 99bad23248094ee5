"""Backward rules of the reductions."""

from __future__ import annotations

import math

import numpy as np

from backburner.backends.numpy import reduction
from backburner_autodiff.rules._rule import Array, Vjp, rule

Axes = tuple[int, ...]


def _kept(reduced: Array, shape: tuple[int, ...], axis: Axes) -> Array:
    """Return ``reduced`` as a view with the axes that it lost, of size 1."""
    return reduced.reshape([1 if i in axis else n for i, n in enumerate(shape)])


def _count(shape: tuple[int, ...], axis: Axes) -> int:
    return math.prod([shape[i] for i in axis])


@rule(compute_bound=True)
def sum(out: Array, x: Array, *, axis: Axes, keepdims: bool) -> tuple[Vjp]:
    shape = x.shape
    return (lambda g: np.broadcast_to(_kept(g, shape, axis), shape),)


@rule(compute_bound=True)
def mean(out: Array, x: Array, *, axis: Axes, keepdims: bool) -> tuple[Vjp]:
    shape = x.shape

    def vjp(g: Array) -> Array:
        n = _count(shape, axis)
        return np.broadcast_to(_kept(g / n if n else g, shape, axis), shape)

    return (vjp,)


def _extremum(out: Array, x: Array, axis: Axes) -> tuple[Vjp]:
    """Share the cotangent evenly among the elements that equal the result, or are NaN as it is."""

    def vjp(g: Array) -> Array:
        best = _kept(out, x.shape, axis)
        picked = x == best
        if np.isnan(best).any():
            picked |= np.isnan(x)
        count = np.count_nonzero(picked, axis, keepdims=True)
        share = _kept(g, x.shape, axis) / np.asarray(count).astype(g.dtype)
        return np.where(picked, share, 0)

    return (vjp,)


@rule(compute_bound=True)
def max(out: Array, x: Array, *, axis: Axes, keepdims: bool) -> tuple[Vjp]:
    return _extremum(out, x, axis)


@rule(compute_bound=True)
def min(out: Array, x: Array, *, axis: Axes, keepdims: bool) -> tuple[Vjp]:
    return _extremum(out, x, axis)


@rule(compute_bound=True)
def var(out: Array, x: Array, *, axis: Axes, correction: float, keepdims: bool) -> tuple[Vjp]:
    def vjp(g: Array) -> Array:
        divisor = x.dtype.type(np.maximum(_count(x.shape, axis) - correction, 0))
        y = np.asarray(x - reduction.mean(x, axis=axis, keepdims=True))
        y *= _kept(g, x.shape, axis) * (2 / divisor)
        return y

    return (vjp,)


@rule(compute_bound=True)
def std(out: Array, x: Array, *, axis: Axes, correction: float, keepdims: bool) -> tuple[Vjp]:
    """Where all elements are equal the gradient is 0, as that of the norm of their deviations from the mean."""

    def vjp(g: Array) -> Array:
        divisor = x.dtype.type(np.maximum(_count(x.shape, axis) - correction, 0))
        first = reduction.lanes(x, axis)[..., :1].reshape(_kept(out, x.shape, axis).shape) if x.size else x
        varied = (x != first).any(axis, keepdims=True)
        total = _kept(out, x.shape, axis)
        y = np.asarray(x - reduction.mean(x, axis=axis, keepdims=True))
        y /= np.where(varied & (total != 0), total, 1)  # at most about 1, whatever the scale
        y *= np.where(varied, _kept(g, x.shape, axis) / divisor, 0)
        return y

    return (vjp,)


@rule(compute_bound=True)
def vector_norm(out: Array, x: Array, *, axis: Axes, ord: float, keepdims: bool) -> tuple[Vjp]:
    """A norm of negative order that is 0 hangs on an element that is 0, where it has a kink as ``abs`` has."""

    def vjp(g: Array) -> Array:
        total = _kept(out, x.shape, axis)
        if ord < 0:
            total = np.where(total == 0, np.inf, total)
        y = np.asarray(x / np.where(total == 0, 1, total))  # the zero vector: 0 / 1 is the 0 we want
        if ord == 0:
            y = np.zeros_like(y)
        elif ord != 2:
            size = np.abs(y)
            y = np.where(y == 0, 0, np.sign(y) * np.where(y == 0, 1, size) ** y.dtype.type(ord - 1))
        return y * _kept(g, x.shape, axis)

    return (vjp,)


@rule(compute_bound=True)
def prod(out: Array, x: Array, *, axis: Axes, keepdims: bool) -> tuple[Vjp]:
    """An element's derivative is the product of those before it and those after it, which divides by nothing."""

    def vjp(g: Array) -> Array:
        rows = reduction.lanes(x, axis)
        before, after = np.ones(rows.shape), np.ones(rows.shape)
        np.multiply.accumulate(rows[..., :-1], -1, np.float64, before[..., 1:])
        np.multiply.accumulate(rows[..., :0:-1], -1, np.float64, after[..., -2::-1])
        before *= after
        before *= g.reshape(rows.shape[:-1])[..., None]
        return _unlaned(before.astype(x.dtype, copy=False), x.shape, axis)

    return (vjp,)


def _unlaned(rows: Array, shape: tuple[int, ...], axis: Axes) -> Array:
    """Undo ``lanes``."""
    others = [n for i, n in enumerate(shape) if i not in axis]
    moved = rows.reshape((*others, *(shape[i] for i in axis)))
    return np.moveaxis(moved, range(len(others), len(shape)), axis)


@rule(compute_bound=True)
def median(out: Array, x: Array, *, axis: Axes, keepdims: bool) -> tuple[Vjp]:
    def vjp(g: Array) -> Array:
        half = _kept(g, x.shape, axis) * g.dtype.type(0.5)
        y = np.zeros(x.shape, x.dtype)
        for middle in reduction.middles(x, axis):
            best = _kept(middle, x.shape, axis)
            picked = (x == best) | (np.isnan(x) & np.isnan(best))
            count = np.asarray(np.count_nonzero(picked, axis, keepdims=True)).astype(g.dtype)
            y += np.where(picked, half / count, 0)
        return y

    return (vjp,)


@rule(compute_bound=True)
def logsumexp(out: Array, x: Array, *, axis: Axes, keepdims: bool) -> tuple[Vjp]:
    def vjp(g: Array) -> Array:
        total = _kept(out, x.shape, axis)
        y = np.asarray(x - np.where(total == -np.inf, 0, total))  # all -inf: exp(-inf - 0) is the 0 we want
        np.exp(y, out=y)
        y *= _kept(g, x.shape, axis)
        return y

    return (vjp,)
