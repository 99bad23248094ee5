"""Rows of the losses of numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.nn import functional as F
from ops._row import Array, Row, positive, real, spread, sweep

SAME = ((2, 3), (2, 3))
EMPTY = ((0, 3), (0, 3))
REDUCTIONS: list[dict[str, Any]] = [{}, {"reduction": "sum"}, {"reduction": "none"}]


def reduce(losses: Array, reduction: str, divisor: float | None = None) -> Any:
    """Return losses as they are, their exact sum, or that over a divisor, their number by default."""
    if reduction == "none":
        return losses
    total = math.fsum(losses.ravel())
    n = losses.size if divisor is None else divisor
    return total if reduction == "sum" else total / n if n else math.nan


def _weighted(losses: Array, weight: Array | None, reduction: str) -> Any:
    if weight is None:
        return reduce(losses, reduction)
    return reduce(losses * weight, reduction, math.fsum(weight.ravel()))


def _huber(x: Array, y: Array, w: Array | None = None, reduction: str = "mean", delta: float = 1.0) -> Any:
    d = np.abs(x - y)
    losses = np.where(d < delta, d * d / 2, delta * d - delta**2 / 2)
    return reduce(losses if w is None else losses * w, reduction)


def _smooth_l1(x: Array, y: Array, reduction: str = "mean", beta: float = 1.0) -> Any:
    d = np.abs(x - y)
    return reduce(np.where(d < beta, d * d / (2 * beta or 1), d - beta / 2), reduction)


def _poisson(
    x: Array, y: Array, reduction: str = "mean", log_input: bool = True, full: bool = False, eps: float = 1e-8
) -> Any:
    rate, log_rate = (np.exp(x), x) if log_input else (x, np.log(x + eps))
    losses = rate - y * log_rate
    for place in np.ndindex(y.shape):
        n = y[place]
        if full and n > 1:
            losses[place] += n * math.log(n) - n + math.log(2 * math.pi * n) / 2
    return reduce(losses, reduction)


def _gaussian(
    x: Array, y: Array, var: Array, reduction: str = "mean", full: bool = False, eps: float = 1e-6
) -> Any:
    if var.ndim and var.ndim < x.ndim:
        var = var[..., None]
    sigma = np.sqrt(np.broadcast_to(np.maximum(var, eps), x.shape))
    density = np.exp(-(((x - y) / sigma) ** 2) / 2) / sigma / (math.sqrt(2 * math.pi) if full else 1)
    return reduce(-np.log(density), reduction)


ROWS = (
    *(
        Row(
            op,
            (real, real, positive),
            (
                *sweep([(*SAME, None), (*SAME, (2, 3)), (*EMPTY, None)], REDUCTIONS),
                *sweep([((), (), None)], [{}]),
            ),
            lambda x, y, w, reduction="mean", power=power: _weighted(np.abs(x - y) ** power, w, reduction),
            call=lambda x, y, w, op=op, **options: getattr(F, op)(x, y, weight=w, **options),
            exact=False,
        )
        for op, power in (("mse_loss", 2), ("l1_loss", 1))
    ),
    Row(
        "huber_loss",
        (real, real, positive),
        (
            *sweep([(*SAME, None), (*SAME, (2, 3))], [{}, {"reduction": "none", "delta": 0.7}]),
            *sweep([(*SAME, None)], [{"reduction": "sum", "delta": math.inf}]),
            *sweep([((), (), None), (*EMPTY, None)], [{"reduction": "sum", "delta": 2.5}]),
        ),
        _huber,
        call=lambda x, y, w, **options: F.huber_loss(x, y, weight=w, **options),
        exact=False,
    ),
    Row(
        "smooth_l1_loss",
        (real, real),
        (
            *sweep([SAME], [{}, {"reduction": "none", "beta": 0.3}, {"reduction": "sum", "beta": 0}]),
            *sweep([((), ()), EMPTY], [{"reduction": "sum", "beta": 2.5}]),
        ),
        _smooth_l1,
        exact=False,
    ),
    Row(
        "poisson_nll_loss",
        (positive, spread(0, 4)),
        (
            *sweep([SAME], [{}, {"full": True, "reduction": "none"}, {"log_input": False, "reduction": "sum"}]),
            *sweep([SAME, EMPTY], [{"log_input": False, "full": True, "eps": 0.1}]),
            *sweep([((), ())], [{}]),
        ),
        _poisson,
        exact=False,
    ),
    Row(
        "gaussian_nll_loss",
        (real, real, positive),
        (
            *sweep([(*SAME, (2, 3))], [{}, {"full": True, "reduction": "sum"}]),
            *sweep([(*SAME, (2, 1)), (*SAME, (1, 3)), (*SAME, (2,))], [{"full": True, "reduction": "none"}]),
            *sweep([(*EMPTY, (0, 1)), (*EMPTY, (0, 3)), ((3,), (3,), ())], [{"eps": 0.1}]),
        ),
        _gaussian,
        exact=False,
    ),
)  # fmt: skip
