"""Backward rule of cross_entropy, and the forward that training uses in place of the core's."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from backburner_autodiff.kernels import loss as kernels
from backburner_autodiff.rules._rule import Array, rule


class Softmax(NamedTuple):
    """What the softmax of each row is made of, ``exp(x - highest) * scale``, and the divisor of the mean."""

    highest: Array
    scale: Array
    divisor: float


def _weights(x: Array, weight: Array | None) -> tuple[Array, float]:
    """Return the weights of the classes, ones where there are none, and their sum."""
    if weight is None:
        return np.ones(x.shape[1], x.dtype), float(x.shape[1])
    return weight, float(np.add.reduce(weight, dtype=np.float64))


def cross_entropy_forward(
    x: Array, target: Array, weight: Array | None, /,
    *, ignore_index: int, label_smoothing: float, reduction: str,
) -> tuple[Array, Softmax]:  # fmt: skip
    loss, highest, scale = np.empty((3, x.shape[0]), x.dtype)
    totals = np.empty(2)
    weights, total = _weights(x, weight)
    kernels.cross_entropy_forward(
        x, target, weights, ignore_index, label_smoothing, total, loss, highest, scale, totals
    )
    if reduction == "none":
        return loss, Softmax(highest, scale, 1.0)
    value, divisor = totals.tolist()
    if reduction == "sum":
        divisor = 1.0
    return np.array(value / divisor if divisor else np.nan, x.dtype), Softmax(highest, scale, divisor)


@rule(forward=cross_entropy_forward, compute_bound=True)
def cross_entropy(
    out: Array, x: Array, target: Array, weight: Array | None,
    *, ignore_index: int, label_smoothing: float, reduction: str, residuals: Softmax,
) -> Callable[[Array, tuple[bool, ...]], tuple[Array, None, None]]:  # fmt: skip
    highest, scale, divisor = residuals

    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array, None, None]:
        weights, total = _weights(x, weight)
        dx = np.empty(x.shape, x.dtype)
        rows = g if reduction == "none" else np.full(x.shape[0], g / divisor if divisor else 0, x.dtype)
        kernels.cross_entropy_backward(
            x, rows, target, weights, ignore_index, label_smoothing, total, highest, scale, dx
        )
        return dx, None, None

    return vjp
