"""Where the members of an ensemble start: half from the best linear models, half from nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from backburner.models._columns import Rows
from backburner_autodiff._rule import Array
from backburner_autodiff.train._folds import Folds
from backburner_autodiff.train._linear import logistic, losses, ridge

PENALTIES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
FIRM = 3.0  # with a smaller penalty a start leaves a small network nothing to mend
ROWS = 20_000  # that a linear model is fitted to
NUMBERS = 20_000_000  # and those in them, which bounds memory and time
WIDEST = 2000  # features; and times classes
MOST_WEIGHTS = 100_000


class Linear(NamedTuple):
    """A linear model for each member, judged by the rows that the member does not learn from.

    Attributes:
        weights: of each member.
        biases: of each member.
        answers: to the rows that judge it, of each member.
        loss: the mean over all those rows.

    Shape:
        weights ``[members, inputs, outputs]``, biases ``[members, 1, outputs]``, answers ``[n, outputs]`` each.
    """

    weights: Array
    biases: Array
    answers: tuple[Array, ...]
    loss: float


def linear(rows: Rows, y: Array, classes: int, folds: Folds) -> tuple[Linear, Linear] | None:
    """Return the linear models with the penalty that does best, and those with the best firm one.

    ``None`` where there are too many features for one.

    Args:
        rows: the features.
        y: the targets, integers below ``classes`` or floats.
        classes: how many; 0 for a regression.
        folds: which rows are whose.
    """
    if rows.width > WIDEST or rows.width * max(classes, 1) > MOST_WEIGHTS:
        return None
    most = max(1, min(ROWS, NUMBERS // max(rows.width, 1)))
    found = []
    for penalty in PENALTIES:
        weights, biases, answers, total, count = [], [], [], 0.0, 0
        for member in range(1 if folds.shared else folds.members):
            train, held_out = folds.train[member], folds.held_out[member]
            chosen = train[:: -(-len(train) // most)]
            x = rows[chosen].astype(np.float64)
            target = np.eye(classes)[y[chosen]] if classes else y[chosen, None].astype(np.float64)
            w, b = (logistic if classes else ridge)(x, target, penalty)
            z = rows[held_out] @ w.astype(np.float32) + b.astype(np.float32)
            each = losses(z, y[held_out])
            total, count = total + float(each.sum()), count + len(each)
            weights.append(w)
            biases.append(b[None])
            answers.append(z)
        times = folds.members // len(weights)
        found.append(Linear(
            np.stack(weights * times).astype(np.float32), np.stack(biases * times).astype(np.float32),
            tuple(answers * times), total / count,
        ))  # fmt: skip
    best = min(found, key=lambda model: model.loss)
    firm = min(
        (model for model, penalty in zip(found, PENALTIES, strict=True) if penalty >= FIRM),
        key=lambda m: m.loss,
    )
    return best, firm
