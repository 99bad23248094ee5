"""Forwards of the margin losses that are primitives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from backburner.contracts import Array


def multi_margin_loss(x: Array, target: Array, /, *, p: int, margin: float) -> Array:
    """Return ``sum_j(max(0, margin - x[t] + x[j])^p) / c`` of each row."""
    missing = missing_margin(x, target, margin)
    if p == 2:
        missing *= missing
    return np.asarray(np.add.reduce(missing, axis=1) / max(x.shape[1], 1))


@np.errstate(over="ignore", invalid="ignore")
def missing_margin(x: Array, target: Array, margin: float) -> Array:
    """Return what the right score lacks to each other one, a new array."""
    rows = np.arange(x.shape[0])
    missing = np.asarray(x - x[rows, target][:, None])
    missing += margin  # last, for it is small beside far scores
    missing[rows, target] = 0
    return np.asarray(np.maximum(missing, 0, out=missing))


def multilabel_margin_loss(x: Array, target: Array, /) -> Array:
    """Return ``sum_tj(max(0, 1 - x[t] + x[j])) / c`` of each row."""
    out = np.zeros(x.shape[0], x.dtype)
    for rows, _, missing in missing_margins(x, target):
        out[rows] += np.add.reduce(missing, axis=1)
    out /= max(x.shape[1], 1)
    return out


def missing_margins(x: Array, target: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Go through the places of ``target``: yield the rows that name a class there, it, and what its score lacks."""
    named = target >= 0
    right = np.zeros(x.shape, np.bool_)
    right[np.nonzero(named)[0], target[named]] = True
    for place in range(x.shape[1]):
        (rows,) = np.nonzero(named[:, place])
        if not rows.size:
            return
        classes = target[rows, place]
        with np.errstate(over="ignore", invalid="ignore"):
            missing = np.asarray(x[rows] - x[rows, classes][:, None])
            missing += 1
        missing[right[rows]] = 0
        yield rows, classes, np.maximum(missing, 0, out=missing)
