"""Kernels of cross_entropy.

Sums over a row run in the dtype of the data over at most ``CHUNK`` classes, and from there in float64; few classes
have loops of their own, without the slices that would slow them down.
"""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange, subroutine
from backburner_autodiff.kernels._strict import difference
from backburner_autodiff.kernels.math import exp, log, max_of

CHUNK = 1024


@subroutine
def smoothed_loss(hit: Any, nll: Any, share: Any, weights: Any, log_total: Any, spread: Any) -> Any:
    """Return the loss of a row: of its target, and of all classes."""
    return hit * nll + share * (weights * log_total - spread)


@subroutine
def softmax_factor(g: Any, hit: Any, share: Any, weights: Any, scale: Any) -> Any:
    """Return what takes ``exp(x - highest)`` to its part of the gradient."""
    return g * (hit + share * weights) * scale


@kernel("x[:,:], int[:], x[:], int, x, x -> x[:], x[:], x[:], float[:]", cost=2, fastmath=True)
def cross_entropy_forward(
    x: Any, target: Any, weight: Any, ignore_index: Any, smoothing: Any, weights: Any,
    loss: Any, highest: Any, scale: Any, totals: Any,
) -> None:  # fmt: skip
    """Return the loss of each row, and what its softmax is made of: ``exp(x - highest) * scale``.

    Shape:
        x ``[n, c]``, weight ``[c]`` with the sum ``weights``; totals ``[2]``, of the losses and the weights of their
        rows; the others ``[n]``.
    """
    n, c = x.shape
    zero, one = x.dtype.type(0), x.dtype.type(1)
    share = smoothing / x.dtype.type(c)
    for i in prange(n):
        t = target[i]
        if t == ignore_index:  # often -100, which must not index
            loss[i] = zero
        else:
            h = max_of(x[i])
            if c <= CHUNK:
                total = zero
                for j in range(c):
                    total += exp(difference(x[i, j], h))
            else:
                whole = 0.0
                for start in range(0, c, CHUNK):
                    part = zero
                    xs = x[i, start : start + CHUNK]
                    for j in range(xs.size):
                        part += exp(difference(xs[j], h))
                    whole += part
                total = x.dtype.type(whole)
            log_total = log(total)
            nll = difference(log_total, difference(x[i, t], h))
            hit = (one - smoothing) * weight[t]
            if smoothing > zero:
                if c <= CHUNK:
                    spread = zero
                    for j in range(c):
                        spread += weight[j] * difference(x[i, j], h)
                else:
                    whole = 0.0
                    for start in range(0, c, CHUNK):
                        part = zero
                        xs, ws = x[i, start : start + CHUNK], weight[start : start + CHUNK]
                        for j in range(xs.size):
                            part += ws[j] * difference(xs[j], h)
                        whole += part
                    spread = x.dtype.type(whole)
                loss[i] = smoothed_loss(hit, nll, share, weights, log_total, spread)
            else:
                loss[i] = hit * nll
            highest[i] = h
            scale[i] = one / total
    sum_loss, sum_weight = 0.0, 0.0
    for k in range(n):
        if target[k] != ignore_index:
            sum_loss += loss[k]
            sum_weight += weight[target[k]]
    totals[0], totals[1] = sum_loss, sum_weight


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
            factor = softmax_factor(g[i], hit, share, weights, scale[i])
            if smoothing > zero:
                spread = g[i] * share
                for j in range(c):
                    dx[i, j] = difference(exp(difference(x[i, j], h)) * factor, spread * weight[j])
            else:
                for j in range(c):
                    dx[i, j] = exp(difference(x[i, j], h)) * factor
            dx[i, t] = difference(dx[i, t], g[i] * hit)
