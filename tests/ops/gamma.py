"""Rows of the gamma function's logarithm and its derivative."""

from __future__ import annotations

import math

import numpy as np

from ops._pointwise import mapped, unary
from ops._row import Array, Shape


def around(rng: np.random.Generator, shape: Shape) -> Array:
    """Draw floats of both signs that keep away from the poles."""
    return np.asarray(rng.integers(-4, 12, shape) + rng.uniform(0.3, 0.7, shape))


def _digamma(x: float) -> float:
    """Sum up to where four terms of the asymptotic series do."""
    total = 0.0
    while x < 40:
        total -= 1 / x
        x += 1
    return total + math.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)


ROWS = (
    unary("lgamma", around, mapped(math.lgamma), exact=False),
    unary("digamma", around, mapped(_digamma), exact=False),
)
