"""Backward rules of sorting: a gradient goes back to where its element came from."""

from __future__ import annotations

import math

import numpy as np

from backburner.backends.numpy import sorting
from backburner.backends.numpy.indexing import take_along_axis
from backburner_autodiff.rules._rule import Array, Vjp, rule


def _returned(g: Array, indices: Array, shape: tuple[int, ...], axis: int) -> Array:
    """Return zeros of ``shape`` with ``g`` at ``indices`` along ``axis``, none of which occurs twice."""
    before, after = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    y = np.zeros((before, shape[axis], after), g.dtype)
    lanes, places = (a.reshape(before, a.shape[axis], after) for a in (g, indices))
    np.put_along_axis(y, places, lanes, 1)
    return y.reshape(shape)


def _sort(x: Array, *, axis: int, descending: bool) -> tuple[Array, Array]:
    indices = sorting.argsort(x, axis=axis, descending=descending)
    return take_along_axis(x, indices, axis=axis), indices


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
