"""Backward rules of sorting: a gradient goes back to where its element came from."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy import sorting
from backburner_autodiff.rules._rule import Array, Vjp, rule


def _returned(g: Array, indices: Array, shape: tuple[int, ...], axis: int) -> Array:
    """Return zeros of ``shape`` with ``g`` at ``indices`` along ``axis``, none of which occurs twice."""
    y = np.zeros(shape, g.dtype)
    np.put_along_axis(y, indices, g, axis)
    return y


def _sort(x: Array, *, axis: int, descending: bool) -> tuple[Array, Array]:
    indices = sorting.argsort(x, axis=axis, descending=descending)
    return np.take_along_axis(x, indices, axis), indices


@rule(compute_bound=True, forward=_sort)
def sort(out: Array, x: Array, *, residuals: Array, axis: int, descending: bool) -> tuple[Vjp]:
    shape = x.shape
    return (lambda g: _returned(g, residuals, shape, axis),)


@rule(compute_bound=True, outputs=(0,))
def topk(out: tuple[Array, Array], x: Array, *, k: int, axis: int, largest: bool) -> tuple[Vjp]:
    shape, indices = x.shape, out[1]
    return (lambda g: _returned(g, indices, shape, axis),)


@rule(compute_bound=True, outputs=(0,))
def unique_all(out: tuple[Array, Array, Array, Array], x: Array) -> tuple[Vjp]:
    shape, indices = x.shape, out[1]
    return (lambda g: _returned(g, indices, (x.size,), 0).reshape(shape),)
