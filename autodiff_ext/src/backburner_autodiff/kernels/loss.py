"""Kernels of cross_entropy."""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange
from backburner_autodiff.kernels._strict import difference
from backburner_autodiff.kernels.math import exp, log, max_of


@kernel("x[:,:], int[:], x[:], int, x, x -> x[:], x[:], x[:], x[:]", cost=2, fastmath=True)
def cross_entropy_forward(
    x: Any, target: Any, weight: Any, ignore_index: Any, smoothing: Any, weights: Any,
    loss: Any, row_weight: Any, highest: Any, scale: Any,
) -> None:  # fmt: skip
    """Return the loss and the weight of each row, and what its softmax is made of: ``exp(x - highest) * scale``.

    Shape:
        x ``[n, c]``, weight ``[c]`` with the sum ``weights``; the others ``[n]``.
    """
    n, c = x.shape
    zero, one = x.dtype.type(0), x.dtype.type(1)
    share = smoothing / x.dtype.type(c)
    for i in prange(n):
        t = target[i]
        if t == ignore_index:  # often -100, which must not index
            loss[i] = zero
            row_weight[i] = zero
        else:
            h = max_of(x[i])
            total = zero
            for j in range(c):
                total += exp(difference(x[i, j], h))
            log_total = log(total)
            value = (one - smoothing) * weight[t] * difference(log_total, difference(x[i, t], h))
            if smoothing > zero:
                spread = zero
                for j in range(c):
                    spread += weight[j] * difference(x[i, j], h)
                value += share * (weights * log_total - spread)
            loss[i] = value
            row_weight[i] = weight[t]
            highest[i] = h
            scale[i] = one / total


@kernel("x[:,:], x[:], int[:], x[:], int, x, x, x[:], x[:] -> x[:,:]", cost=2, fastmath=True)
def cross_entropy_backward(
    x: Any, g: Any, target: Any, weight: Any, ignore_index: Any, smoothing: Any, weights: Any,
    highest: Any, scale: Any, dx: Any,
) -> None:  # fmt: skip
    """Return ``g * (softmax - target distribution)`` of each row, both weighted; 0 where ``g`` is 0 or ignored.

    Shape:
        x and dx ``[n, c]``, weight ``[c]``; the others ``[n]``.
    """
    n, c = x.shape
    zero, one = x.dtype.type(0), x.dtype.type(1)
    share = smoothing / x.dtype.type(c)
    for i in prange(n):
        t = target[i]
        if t == ignore_index or g[i] == zero:
            for j in range(c):
                dx[i, j] = zero
        else:
            h = highest[i]
            hit = (one - smoothing) * weight[t]
            factor = g[i] * (hit + share * weights) * scale[i]
            if smoothing > zero:
                spread = g[i] * share
                for j in range(c):
                    dx[i, j] = exp(difference(x[i, j], h)) * factor - spread * weight[j]
            else:
                for j in range(c):
                    dx[i, j] = exp(difference(x[i, j], h)) * factor
            dx[i, t] -= g[i] * hit
