"""Rows of the losses."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from backburner.nn import functional
from ops._row import Array, Row, indices, positive, spread, sweep
from ops.regression import SAME, reduce

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


def _cross_entropy_of_probabilities(
    x: Array, target: Array, weight: Array | None, reduction: str = "mean", label_smoothing: float = 0.0
) -> Any:
    """Go class by class."""
    c, axis = x.shape[0 if x.ndim == 1 else 1], 0 if x.ndim == 1 else 1
    nll = np.log(np.exp(x).sum(axis=axis, keepdims=True)) - x
    losses = np.zeros(x.sum(axis=axis).shape)
    for j in range(c):
        share = (1 - label_smoothing) * target.take(j, axis) + label_smoothing / c
        losses += share * nll.take(j, axis) * (1 if weight is None else weight[j])
    return reduce(losses, reduction)


def _nll(
    x: Array, target: Array, weight: Array | None, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    losses, divisor = np.zeros(target.shape), 0.0
    for place in np.ndindex(target.shape):
        t = target[place]
        if t != ignore_index:
            w = 1 if weight is None else weight[t]
            losses[place] = -w * (x[t] if x.ndim == 1 else x[(place[0], t, *place[1:])])
            divisor += w
    return reduce(losses, reduction, divisor)


def _bce(x: Array, target: Array, weight: Array | None, reduction: str = "mean") -> Any:
    losses = -(target * np.log(x) + (1 - target) * np.log1p(-x))
    return reduce(losses if weight is None else losses * weight, reduction)


def _bce_with_logits(
    x: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: str = "mean"
) -> Any:
    p = (1 + np.tanh(x / 2)) / 2
    losses = -(target * np.log(p) * (1 if pos_weight is None else pos_weight) + (1 - target) * np.log(1 - p))
    return reduce(losses if weight is None else losses * weight, reduction)


def _kl(x: Array, target: Array, reduction: str = "mean", log_target: bool = False) -> Any:
    logs = target if log_target else np.log(target)
    losses = np.exp(logs) * (logs - x)
    if reduction == "batchmean":
        return reduce(losses, "mean", len(x) if x.ndim else 1)
    return reduce(losses, reduction)


OPTIONS = [
    {"reduction": reduction, "label_smoothing": smoothing, "ignore_index": ignored}
    for reduction, smoothing, ignored in itertools.product(("mean", "sum", "none"), (0.0, 0.3), (-100, 1))
]

SMOOTHED: list[dict[str, Any]] = [
    {"reduction": reduction, "label_smoothing": smoothing}
    for reduction, smoothing in (("mean", 0.0), ("none", 0.3), ("mean", 0.3), ("sum", 0.0))
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
        "cross_entropy",
        (scores, positive, positive),
        (
            *sweep([((6, 4), (6, 4), (4,)), ((2, 4, 3), (2, 4, 3), None)], SMOOTHED),
            *sweep([((4,), (4,), None), ((0, 4), (0, 4), (4,))], [{"reduction": "sum"}]),
        ),
        _cross_entropy_of_probabilities,
        differentiable=(0, 1),
        exact=False,
        name="cross_entropy_of_probabilities",
    ),
    Row(
        "nll_loss",
        (scores, indices(0, 4), positive),
        (
            *sweep([((6, 4), (6,), (4,))], [{}, {"reduction": "sum"}, {"reduction": "none", "ignore_index": 1}]),
            *sweep([((2, 4, 3), (2, 3), None), ((2, 4, 1, 2), (2, 1, 2), (4,))], [{}, {"ignore_index": 2}]),
            *sweep([((4,), (), None), ((0, 4), (0,), (4,))], [{}, {"reduction": "none"}]),
        ),
        _nll,
        differentiable=(0,),
        exact=False,
    ),
    Row(
        "binary_cross_entropy",
        (spread(0, 1), spread(0, 1), positive),
        (
            *sweep([(*SAME, None), (*SAME, (3,))], [{}, {"reduction": "none"}]),
            *sweep([((), (), None), ((0, 3), (0, 3), None)], [{"reduction": "sum"}]),
        ),
        _bce,
        differentiable=(0, 1),
        exact=False,
    ),
    Row(
        "binary_cross_entropy_with_logits",
        (spread(-6, 6), spread(0, 1), positive, positive),
        (
            *sweep([(*SAME, None, None), (*SAME, (3,), (2, 1)), (*SAME, None, (3,))], [{}, {"reduction": "none"}]),
            *sweep([((), (), None, None), ((0, 3), (0, 3), (3,), (3,)), ((9, 41), (9, 41), None, None)],
                   [{"reduction": "sum"}]),
        ),
        _bce_with_logits,
        call=lambda x, t, w, p, **options: functional.binary_cross_entropy_with_logits(x, t, w, pos_weight=p, **options),
        differentiable=(0, 1),
        exact=False,
    ),
    Row(
        "binary_cross_entropy_with_logits",
        (spread(-6, 6), spread(0, 1), positive, positive),
        sweep([(*SAME, (3,), (2, 1)), ((0, 3), (0, 3), (3,), (3,))], [{"reduction": "sum"}]),
        _bce_with_logits,
        call=lambda x, t, w, p, **options: functional.binary_cross_entropy_with_logits(x, t, w, pos_weight=p, **options),
        differentiable=(2, 3),
        exact=False,
        name="weights_of_binary_cross_entropy_with_logits",  # for which PyTorch has no gradient
    ),
    Row(
        "kl_div",
        (scores, positive),
        (
            *sweep([SAME, ((), ()), ((0, 3), (0, 3))], [{}, {"reduction": "batchmean", "log_target": True}]),
            *sweep([SAME], [{"reduction": "none"}, {"reduction": "sum", "log_target": True}, {"reduction": "batchmean"}]),
        ),
        _kl,
        exact=False,
    ),
)  # fmt: skip
