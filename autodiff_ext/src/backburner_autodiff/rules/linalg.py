"""Backward rules of the matrix products."""

from __future__ import annotations

import math

import numpy as np

from backburner.backends.numpy import linalg, reduction
from backburner_autodiff.rules._rule import Array, Vjp, rule


def _rows(x: Array) -> Array:
    """Return ``x`` as a matrix of its last axis' vectors."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def _product(x: Array, y: Array) -> Array:
    """Return ``x @ y``; what a sum has broadcast is copied, as NumPy 2.0 multiplies it without BLAS."""
    x, y = (np.ascontiguousarray(a) if 0 in a.strides else a for a in (x, y))
    return linalg.matmul(x, y)


@rule(compute_bound=True)
def matmul(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    """Return the two products with the cotangent; those over a broadcast batch keep it, the sweep sums."""

    x_ndim, y_ndim = x.ndim, y.ndim  # so that no closure holds an operand for its rank

    def vjp_x(g: Array) -> Array:
        if y_ndim == 1:  # [..., n, k] @ [k], or [k] @ [k]
            return g[..., None] * y
        if x_ndim == 1:  # [k] @ [..., k, m]
            return _product(y, g[..., None])[..., 0]
        return _product(g, y.swapaxes(-1, -2))

    def vjp_y(g: Array) -> Array:
        if x_ndim == 1:
            return g[..., None] * x if y_ndim == 1 else x[:, None] * g[..., None, :]
        if y_ndim == 1:
            return _product(_rows(x).T, g.reshape(-1))
        if y_ndim == 2:  # the batch of x is rows of one product
            return _product(_rows(x).T, _rows(g))
        return _product(x.swapaxes(-1, -2), g)

    return vjp_x, vjp_y


@rule(compute_bound=True)
def linear(out: Array, x: Array, weight: Array, bias: Array | None) -> tuple[Vjp, Vjp, Vjp | None]:
    shape = x.shape
    return (
        lambda g: _product(_rows(g), weight).reshape(shape),
        lambda g: _product(_rows(g).T, _rows(x)),
        None if bias is None else lambda g: reduction.sum(_rows(g), axis=(0,), keepdims=False),
    )
