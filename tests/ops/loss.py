"""Rows of the losses."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ops._row import Array, Row, indices, positive, real, spread, sweep

scores = spread(-3, 3)


def _cross_entropy(
    x: Array,
    target: Array,
    weight: Array | None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Go row by row: weigh the negative log probabilities by a smoothed distribution."""
    c = x.shape[0 if x.ndim == 1 else 1]
    rows = np.moveaxis(x, 0 if x.ndim == 1 else 1, -1).reshape(target.size, c)
    w = np.ones(c) if weight is None else weight
    losses, divisor = [], 0.0
    for row, t in zip(rows, target.ravel(), strict=True):
        if t == ignore_index:
            losses.append(0.0)
            continue
        nll = math.log(math.fsum(np.exp(row))) - row
        goal = [label_smoothing / c + (1 - label_smoothing) * (j == t) for j in range(c)]
        losses.append(math.fsum(goal[j] * w[j] * nll[j] for j in range(c)))
        divisor += w[t]
    if reduction == "none":
        return np.array(losses).reshape(target.shape)
    total = math.fsum(losses)
    return total if reduction == "sum" else total / divisor if divisor else math.nan


def _mse(x: Array, y: Array, reduction: str = "mean") -> Any:
    squares = (x - y) ** 2
    total = math.fsum(squares.ravel())
    mean = total / x.size if x.size else math.nan
    return {"none": squares, "sum": total, "mean": mean}[reduction]


OPTIONS = [
    {"reduction": reduction, "label_smoothing": smoothing, "ignore_index": ignored}
    for reduction, smoothing, ignored in itertools.product(("mean", "sum", "none"), (0.0, 0.3), (-100, 1))
]

ROWS = (
    Row(
        "cross_entropy",
        (scores, indices(0, 4), positive),
        (
            *sweep([((6, 4), (6,), None), ((6, 4), (6,), (4,))], OPTIONS),
            *sweep([((2, 4, 3), (2, 3), (4,)), ((4,), (), None), ((70, 4), (70,), None)], [{}, OPTIONS[-2]]),
            *sweep([((0, 4), (0,), (4,))], [{"reduction": "sum"}, {"reduction": "none"}, {}]),
        ),
        _cross_entropy,
        differentiable=(0,),
        exact=False,
    ),
    Row(
        "mse_loss",
        (real, real),
        (
            *sweep([((2, 3), (2, 3)), ((), ())], [{}, {"reduction": "sum"}, {"reduction": "none"}]),
            *sweep([((0, 3), (0, 3))], [{"reduction": "sum"}, {"reduction": "none"}, {}]),
        ),
        _mse,
        exact=False,
    ),
)
