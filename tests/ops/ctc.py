"""Rows of ctc_loss."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional as F
from ops._row import Array, Row, spread, sweep
from ops.regression import reduce

INPUT_LENGTHS, TARGET_LENGTHS = (5, 4, 3), (2, 0, 1)


def _targets(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw classes of which the first two are the same."""
    return np.full(shape, 1) if len(shape) == 1 else np.asarray([[1, 1], [2, 1], [2, 2]])[: shape[0]]


def _lengths(x: Any, targets: Any) -> tuple[Any, Any]:
    if x.ndim == 2:
        return len(x), targets.shape[0]
    n = x.shape[1]
    return list(INPUT_LENGTHS[:n]), list(TARGET_LENGTHS[:n])


def _call(x: bb.Tensor, targets: bb.Tensor, packed: bool = False, **options: Any) -> bb.Tensor:
    steps, counts = _lengths(x, targets)
    if packed:
        targets = bb.concat([row[:k] for row, k in zip(targets, counts, strict=True)])
    return F.ctc_loss(x, targets, steps, counts, **options)


def _collapsed(path: tuple[int, ...], blank: int) -> list[int]:
    return [k for k, _ in itertools.groupby(path) if k != blank]


def _every_path(
    x: Array,
    targets: Array,
    packed: bool = False,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Add up the probabilities of all paths that read as the target."""
    steps, counts = _lengths(x, targets)
    if x.ndim == 2:
        x, targets, steps, counts, shape = x[:, None], targets[None], [steps], [counts], ()
    else:
        shape = (x.shape[1],)
    losses = np.zeros(x.shape[1])
    for i, (t, s) in enumerate(zip(steps, counts, strict=True)):
        chances = [
            math.exp(math.fsum(x[step, i, k] for step, k in enumerate(path)))
            for path in itertools.product(range(x.shape[2]), repeat=t)
            if _collapsed(path, blank) == list(targets[i, :s])
        ]
        losses[i] = -math.log(math.fsum(chances)) if chances else math.inf
        losses[i] = 0 if zero_infinity and math.isinf(losses[i]) else losses[i]
        if reduction == "mean":
            losses[i] /= max(s, 1)
    return reduce(losses.reshape(shape), reduction)


SHAPES = (((5, 3, 3), (3, 2)),)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"packed": True, "reduction": "sum"},
    {"reduction": "none", "zero_infinity": True},
]

ROWS = (
    Row(
        "ctc_loss",
        (spread(-3, 1), _targets),
        (
            *sweep(SHAPES, OPTIONS),
            *sweep([((5, 3), (2,))], [{}, {"blank": 2, "reduction": "none"}]),
            *sweep([((2, 2), (2,))], [{"zero_infinity": True}]),
            *sweep([((5, 0, 3), (0, 2)), ((0, 0, 3), (0, 2))], [{}, {"reduction": "sum"}]),
        ),
        _every_path,
        call=_call,
        exact=False,
    ),
    Row(
        "ctc_loss",
        (spread(-3, 3), _targets),
        sweep(SHAPES, OPTIONS),
        lambda x, targets, **options: _every_path(
            x - np.log(np.exp(x).sum(axis=-1, keepdims=True)), targets, **options
        ),
        call=lambda x, targets, **options: _call(F.log_softmax(x, -1), targets, **options),
        exact=False,
        name="ctc_loss_of_log_softmax",
    ),
)
