"""Backward rules of the ops on what floats are made of."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.rules._rule import Array, Vjp, rule


@rule
def copysign(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    def vjp(g: Array) -> Array:
        return np.where(x == 0, 0, np.where(np.signbit(x) == np.signbit(out), g, -g))

    return vjp, lambda g: np.zeros_like(g)


@rule
def nextafter(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    return lambda g: g, lambda g: np.zeros_like(g)
