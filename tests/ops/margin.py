"""Rows of the margin losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional as F
from ops._row import Array, Row, indices, positive, real, spread, sweep
from ops.regression import REDUCTIONS, reduce

SAME = ((3, 4), (3, 4))
TRIPLES = ((3, 4), (3, 4), (3, 4))


def signs(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw 1 and -1, as integers."""
    return np.asarray(rng.choice([-1, 1], shape))


def uneven(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw numbers whose differences are no round ones."""
    return np.asarray(rng.uniform(-2, 2, shape))


def _multilabel_soft_margin(x: Array, y: Array, weight: Array | None, reduction: str = "mean") -> Any:
    p = (1 + np.tanh(x / 2)) / 2
    losses = -(y * np.log(p) + (1 - y) * np.log(1 - p)) * (1 if weight is None else weight)
    return reduce(losses.mean(axis=-1), reduction)


def _hinge(x: Array, y: Array, margin: float = 1.0, reduction: str = "mean") -> Any:
    return reduce(np.where(y == 1, x, np.maximum(0, margin - x)), reduction)


def _cosine(x: Array, y: Array, target: Array, margin: float = 0.0, reduction: str = "mean") -> Any:
    cosines = np.vectorize(
        lambda a, b: a @ b / math.sqrt((a @ a + 1e-12) * (b @ b + 1e-12)), signature="(d),(d)->()"
    )(x, y) if x.size else np.zeros(target.shape)  # fmt: skip
    return reduce(np.where(target == 1, 1 - cosines, np.maximum(0, cosines - margin)), reduction)


def _multi_margin(
    x: Array, target: Array, weight: Array | None, p: int = 1, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    losses = np.zeros(target.shape)
    for place in np.ndindex(target.shape):
        row, t = x[place], target[place]
        lacking = [max(0, margin - row[t] + score) ** p for j, score in enumerate(row) if j != t]
        losses[place] = math.fsum(lacking) / len(row) * (1 if weight is None else weight[t])
    return reduce(losses, reduction)


def _multilabel_margin(x: Array, target: Array, reduction: str = "mean") -> Any:
    losses = np.zeros(x.shape[:-1])
    for place in np.ndindex(losses.shape):
        row = x[place]
        right = [int(t) for t in target[place]]
        right = right[: right.index(-1)] if -1 in right else right
        wrong = set(range(len(row))) - set(right)
        losses[place] = math.fsum(max(0, 1 - row[t] + row[j]) for t in right for j in wrong) / len(row)
    return reduce(losses, reduction)


def _triplet(
    a: Array,
    b: Array,
    c: Array,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    def distance(x: Array, y: Array) -> Any:
        d = np.abs(x - y + eps)
        return d.max(axis=-1) if math.isinf(p) else (d**p).sum(axis=-1) ** (1 / p)

    far = np.minimum(distance(a, c), distance(b, c)) if swap else distance(a, c)
    return reduce(np.maximum(0, margin + distance(a, b) - far), reduction)


def _taxicab(x: bb.Tensor, y: bb.Tensor) -> bb.Tensor:
    return bb.abs(x - y).sum(axis=-1)


ROWS = (
    Row(
        "soft_margin_loss",
        (spread(-6, 6), signs),
        (*sweep([SAME], REDUCTIONS), *sweep([((), ()), ((0, 3), (0, 3))], [{"reduction": "sum"}])),
        lambda x, y, reduction="mean": reduce(np.log(1 + np.exp(-y * x)), reduction),
        exact=False,
    ),
    Row(
        "multilabel_soft_margin_loss",
        (spread(-6, 6), spread(0, 1), positive),
        (
            *sweep([(*SAME, None), (*SAME, (4,))], [{}, {"reduction": "none"}]),
            *sweep([((2, 1, 3), (2, 1, 3), None), ((4,), (4,), None), ((0, 3), (0, 3), None)], [{"reduction": "sum"}]),
        ),
        _multilabel_soft_margin,
        exact=False,
    ),
    Row(
        "hinge_embedding_loss",
        (spread(0, 2), signs),
        (
            *sweep([SAME], [{}, {"margin": 0.7, "reduction": "none"}, {"margin": 1.7, "reduction": "sum"}]),
            *sweep([((), ()), ((0, 3), (0, 3))], [{}]),
        ),
        _hinge,
        exact=False,
    ),
    Row(
        "cosine_embedding_loss",
        (real, real, signs),
        (
            *sweep([(*SAME, (3,))], [{}, {"margin": -0.3, "reduction": "none"}, {"margin": 0.2, "reduction": "sum"}]),
            *sweep([((4,), (4,), ()), ((0, 3), (0, 3), (0,)), ((2, 0), (2, 0), (2,))], [{}]),
        ),
        _cosine,
        exact=False,
    ),
    Row(
        "margin_ranking_loss",
        (real, real, signs),
        (
            *sweep([(*SAME, (3, 4))], [{}, {"margin": 0.7, "reduction": "none"}, {"margin": -0.2, "reduction": "sum"}]),
            *sweep([((), (), ()), ((0, 3), (0, 3), (0, 3))], [{}]),
        ),
        lambda x, y, t, margin=0.0, reduction="mean": reduce(np.maximum(0, margin - t * (x - y)), reduction),
        exact=False,
    ),
    Row(
        "multi_margin_loss",
        (uneven, indices(0, 4), positive),
        (
            *sweep([((3, 4), (3,), None), ((3, 4), (3,), (4,))], [{}, {"p": 2, "margin": 0.6, "reduction": "none"}]),
            *sweep([((4,), (), (4,)), ((0, 4), (0,), None)], [{"reduction": "sum"}]),
        ),
        _multi_margin,
        call=lambda x, t, w, **options: F.multi_margin_loss(x, t, weight=w, **options),
        differentiable=(0,),
        exact=False,
    ),
    Row(
        "multilabel_margin_loss",
        (uneven, indices(-1, 4)),
        (*sweep([SAME], REDUCTIONS), *sweep([((4,), (4,)), ((0, 3), (0, 3))], [{}])),
        _multilabel_margin,
        exact=False,
    ),
    Row(
        "triplet_margin_loss",
        (real, real, real),
        (
            *sweep([TRIPLES], [{}, {"swap": True, "reduction": "none"}, {"p": 1, "margin": 3, "reduction": "sum"}]),
            *sweep([TRIPLES, ((4,), (4,), (4,)), ((3, 2, 4), (1, 2, 4), (3, 1, 4))],
                   [{"p": math.inf, "eps": 0.1, "swap": True, "margin": 2, "reduction": "none"}]),
            *sweep([((0, 3), (0, 3), (0, 3))], [{"p": 3}]),
        ),
        _triplet,
        exact=False,
    ),
    Row(
        "triplet_margin_with_distance_loss",
        (real, real, real),
        (
            *sweep([TRIPLES], [{}, {"swap": True, "margin": 3.0, "reduction": "none"}]),
            *sweep([((0, 3), (0, 3), (0, 3))], [{"reduction": "sum"}]),
        ),
        _triplet,
        exact=False,
    ),
    Row(
        "triplet_margin_with_distance_loss",
        (real, real, real),
        sweep([TRIPLES], [{"swap": True, "margin": 2.0, "reduction": "none"}]),
        lambda a, b, c, **options: _triplet(a, b, c, p=1, eps=0, **options),
        call=lambda a, b, c, **options: F.triplet_margin_with_distance_loss(
            a, b, c, distance_function=_taxicab, **options
        ),
        exact=False,
        name="triplet_margin_with_another_distance",
    ),
)  # fmt: skip
