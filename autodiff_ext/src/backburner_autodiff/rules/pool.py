"""The backward rule of average pooling."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy import pool
from backburner_autodiff.kernels.pool import avg_pool2d_scatter
from backburner_autodiff.rules._rule import Array, Vjp, rule

Pair = tuple[int, int]


@rule
def avg_pool2d(
    out: Array, x: Array,
    *, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool,
    divisor_override: int | None,
) -> tuple[Vjp]:  # fmt: skip
    shape = x.shape

    def vjp(g: Array) -> Array:
        rows, columns = pool.avg_pool2d_divisors(
            shape[2:], kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
        if pool.covers(g.shape[2:], shape[2:], kernel_size, padding):
            share = g.reshape(-1) / (rows * columns).astype(g.dtype)
            return np.asarray(share.repeat(shape[2] * shape[3]).reshape(shape))
        dx = np.zeros(shape, g.dtype)
        planes = (shape[0] * shape[1],)
        avg_pool2d_scatter(
            g.reshape(planes + g.shape[2:]), rows, columns, *kernel_size, *stride, *padding,
            dx.reshape(planes + shape[2:]),
        )  # fmt: skip
        return dx

    return (vjp,)
