"""The backward rule of max pooling."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy.maxpool import indices_of_taps, offsets_of_taps
from backburner.backends.numpy.pool import pool2d_size
from backburner_autodiff.kernels.maxpool import (
    FEW_TAPS,
    max_pool2d_fours,
    max_pool2d_indices,
    max_pool2d_scatter,
    max_pool2d_scatter_taps,
    max_pool2d_taps,
)
from backburner_autodiff.rules._parts import in_parts
from backburner_autodiff.rules._rule import Array, Vjp, rule

Pair = tuple[int, int]


def max_pool2d_forward(
    x: Array, /,
    *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool, return_indices: bool,
) -> tuple[tuple[Array, Array | None], Array]:  # fmt: skip
    """Return what the core returns, and where it is: mostly one byte for each window, the number of its tap."""
    n, c, h, w = x.shape
    oh, ow = pool2d_size((h, w), kernel_size, stride, padding, dilation, ceil_mode)
    few = kernel_size[0] * kernel_size[1] < FEW_TAPS
    out = np.empty((n * c, oh, ow), x.dtype)
    places = np.empty(out.shape, np.uint8 if few else np.int64)
    search = max_pool2d_taps if few else max_pool2d_indices
    options: tuple[int, ...] = (*kernel_size, *stride, *padding, *dilation)
    if options == (2, 2, 2, 2, 0, 0, 1, 1) and 2 * oh <= h and 2 * ow <= w:
        search, options = max_pool2d_fours, ()
    planes = x.reshape(n * c, h, w)

    def run(a: int, b: int) -> None:
        search.serial(planes[a:b], *options, out[a:b], places[a:b])

    in_parts(run, n * c, 3 * x.size)
    shape = (n, c, oh, ow)
    if not return_indices:
        return (out.reshape(shape), None), places
    indices = indices_of_taps(places, w, kernel_size, stride, padding, dilation) if few else places
    return (out.reshape(shape), indices.reshape(shape)), places


@rule(forward=max_pool2d_forward, compute_bound=True, outputs=(0,))
def max_pool2d(
    out: tuple[Array, Array | None], x: Array,
    *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool, return_indices: bool,
    residuals: Array,
) -> tuple[Vjp]:  # fmt: skip
    shape = x.shape

    def vjp(g: Array) -> Array:
        n, c, h, w = shape
        dx = np.zeros((n * c, h * w), g.dtype)
        if residuals.dtype == np.uint8:
            offsets = offsets_of_taps(w, kernel_size, dilation)
            cotangent = g.reshape(residuals.shape)

            def run(a: int, b: int) -> None:
                max_pool2d_scatter_taps.serial(
                    cotangent[a:b], residuals[a:b], offsets, w, *stride, *padding, dx[a:b]
                )

            in_parts(run, n * c, 3 * g.size)
        else:
            flat = (n * c, residuals.shape[1] * residuals.shape[2])
            max_pool2d_scatter(g.reshape(flat), residuals.reshape(flat), dx)
        return dx.reshape(shape)

    return (vjp,)
