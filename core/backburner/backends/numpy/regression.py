"""Forward of huber_loss, which mse_loss and smooth_l1_loss are too."""

from __future__ import annotations

import numpy as np

from backburner.contracts import Array


@np.errstate(over="ignore", invalid="ignore")
def huber_loss(x: Array, target: Array, /, *, delta: float, divisor: float) -> Array:
    """Return ``a * (d - a / 2) / divisor`` of the absolute difference ``d`` and ``a = min(d, delta)``."""
    d = np.subtract(x, target, out=np.empty_like(x))
    bound = np.asarray(delta, x.dtype)
    if np.isposinf(bound):  # where d - a / 2 is NaN for infinite ones
        d *= d
        return d if divisor == 0.5 else np.divide(d, np.asarray(2 * divisor, x.dtype), out=d)
    np.abs(d, out=d)
    a = np.minimum(d, bound)
    d -= 0.5 * a
    if divisor != 1:
        a /= np.asarray(divisor, x.dtype)
    d *= a
    return d
