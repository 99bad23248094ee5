"""Backward rule of huber_loss, which smooth_l1_loss is too."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.rules._rule import Array, Vjp, rule


@rule(singular=True)
def huber_loss(out: Array, x: Array, target: Array, *, delta: float, divisor: float) -> tuple[Vjp, Vjp]:
    def vjp(g: Array, sign: int) -> Array:
        bound = np.asarray(delta, x.dtype)
        slope = np.subtract(x, target, out=np.empty_like(x))
        np.clip(slope, -bound, bound, out=slope)
        if divisor != sign:
            slope /= np.asarray(sign * divisor, x.dtype)
        slope *= g
        return slope

    return lambda g: vjp(g, 1), lambda g: vjp(g, -1)
