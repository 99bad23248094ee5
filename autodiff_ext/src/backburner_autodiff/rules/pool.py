"""Backward rules of the pooling ops."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy import pool
from backburner_autodiff.kernels.pool import (
    FEW_TAPS,
    avg_pool2d_scatter,
    max_pool2d_scatter,
    max_pool2d_scatter_of_many,
    max_pool2d_taps,
    max_pool2d_taps_of_many,
)
from backburner_autodiff.rules._rule import Array, Vjp, rule

Pair = tuple[int, int]


def _planes(x: Array) -> Array:
    """Return ``[n, c, h, w]`` as ``[n * c, h, w]``, a view if it is contiguous."""
    return x.reshape(x.shape[0] * x.shape[1], *x.shape[2:])


def max_pool2d_forward(
    x: Array, /, *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool
) -> tuple[Array, Array]:
    """Return what the core returns, and which tap of each window it is: mostly one byte each."""
    out = pool.max_pool2d(
        x, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode
    )
    few = kernel_size[0] * kernel_size[1] < FEW_TAPS
    taps = np.empty(out.shape, np.uint8 if few else np.int64)
    find = max_pool2d_taps if few else max_pool2d_taps_of_many
    find(_planes(x), _planes(out), *kernel_size, *stride, *padding, *dilation, _planes(taps))
    return out, taps


@rule(forward=max_pool2d_forward, compute_bound=True)
def max_pool2d(
    out: Array, x: Array, *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool,
    residuals: Array,
) -> tuple[Vjp]:  # fmt: skip
    shape = x.shape

    def vjp(g: Array) -> Array:
        dx = np.zeros(shape, g.dtype)
        rows, columns = (np.arange(kernel_size[i]) * dilation[i] for i in (0, 1))
        offsets = np.add.outer(rows * shape[3], columns).ravel()
        scatter = max_pool2d_scatter if residuals.dtype == np.uint8 else max_pool2d_scatter_of_many
        flat = dx.reshape(shape[0] * shape[1], shape[2] * shape[3])
        scatter(_planes(g), _planes(residuals), offsets, shape[3], *stride, *padding, flat)
        return dx

    return (vjp,)


@rule
def avg_pool2d(
    out: Array, x: Array,
    *, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool,
) -> tuple[Vjp]:  # fmt: skip
    shape = x.shape

    def vjp(g: Array) -> Array:
        dx = np.zeros(shape, g.dtype)
        rows, columns = pool.avg_pool2d_divisors(
            shape[2:], kernel_size, stride, padding, ceil_mode, count_include_pad
        )
        avg_pool2d_scatter(_planes(g), rows, columns, *kernel_size, *stride, *padding, _planes(dx))
        return dx

    return (vjp,)
