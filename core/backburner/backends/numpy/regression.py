"""Forward of huber_loss, which smooth_l1_loss is too."""

from __future__ import annotations

import numpy as np

from backburner.contracts import Array


@np.errstate(over="ignore", invalid="ignore")
def huber_loss(x: Array, target: Array, /, *, delta: float, divisor: float) -> Array:
    """Return ``a * (d - a / 2) / divisor`` of the absolute difference ``d`` and ``a = min(d, delta)``."""
    d = np.subtract(x, target, out=np.empty_like(x))
    np.abs(d, out=d)
    bound = np.asarray(delta, x.dtype)
    a = np.minimum(d, bound)
    if np.isposinf(bound):  # an infinite difference less its half would be NaN
        d *= 0.5
    else:
        d -= 0.5 * a
    if divisor != 1:
        a /= np.asarray(divisor, x.dtype)
    d *= a
    return d
