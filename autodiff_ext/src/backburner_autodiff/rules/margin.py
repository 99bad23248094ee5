"""Backward rules of the margin losses that are primitives."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy import margin as forwards
from backburner_autodiff.rules._rule import Array, Vjp, rule


def _spread(dx: Array, g: Array) -> Array:
    """Multiply each row by its cotangent over the number of classes; 0 where that is 0, whatever the row holds."""
    dx *= (g / max(dx.shape[1], 1))[:, None]
    dx[g == 0] = 0
    return dx


@rule
def multi_margin_loss(out: Array, x: Array, target: Array, *, p: int, margin: float) -> tuple[Vjp, None]:
    def vjp(g: Array) -> Array:
        missing = forwards.missing_margin(x, target, margin)
        dx = 2 * missing if p == 2 else (missing > 0).astype(x.dtype)
        dx[np.arange(x.shape[0]), target] = -np.add.reduce(dx, axis=1)
        return _spread(dx, g)

    return vjp, None


@rule
def multilabel_margin_loss(out: Array, x: Array, target: Array) -> tuple[Vjp, None]:
    def vjp(g: Array) -> Array:
        dx = np.zeros(x.shape, x.dtype)
        for rows, classes, missing in forwards.missing_margins(x, target):
            active = missing > 0
            dx[rows] += active
            dx[rows, classes] -= np.add.reduce(active, axis=1, dtype=x.dtype)
        return _spread(dx, g)

    return vjp, None
