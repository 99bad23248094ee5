"""Backward rules of running sums, products and extrema."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy import scan
from backburner_autodiff.kernels.scan import cumulative_prod_backward
from backburner_autodiff.rules._rule import Array, Vjp, rule


@rule(compute_bound=True)
def cumulative_sum(out: Array, x: Array, *, axis: int) -> tuple[Vjp]:
    return (lambda g: np.flip(scan.cumulative_sum(np.flip(g, axis), axis=axis), axis),)


@rule(compute_bound=True)
def cumulative_prod(out: Array, x: Array, *, axis: int) -> tuple[Vjp]:
    def vjp(g: Array) -> Array:
        rows = np.moveaxis(x, axis, -1)
        flat = (-1, rows.shape[-1]) if x.size else (0, 0)
        dx = np.empty(rows.reshape(flat).shape)
        cumulative_prod_backward(np.moveaxis(g, axis, -1).reshape(flat), rows.reshape(flat), dx)
        return np.moveaxis(dx.astype(x.dtype, copy=False).reshape(rows.shape), -1, axis)

    return (vjp,)


def _running(indices: Array, axis: int) -> tuple[Vjp]:
    """Add each cotangent up, in float64, where its value was met."""

    def vjp(g: Array) -> Array:
        picks = np.moveaxis(indices, axis, -1)
        if not picks.size:
            return np.zeros(g.shape, g.dtype)
        starts = np.arange(0, picks.size, picks.shape[-1]).reshape(*picks.shape[:-1], 1)
        weights = np.moveaxis(g, axis, -1).ravel()
        total = np.bincount((picks + starts).ravel(), weights, picks.size)
        return np.moveaxis(total.reshape(picks.shape), -1, axis).astype(g.dtype)

    return (vjp,)


@rule(compute_bound=True, outputs=(0,))
def cummax(out: tuple[Array, Array], x: Array, *, axis: int) -> tuple[Vjp]:
    return _running(out[1], axis)


@rule(compute_bound=True, outputs=(0,))
def cummin(out: tuple[Array, Array], x: Array, *, axis: int) -> tuple[Vjp]:
    return _running(out[1], axis)
