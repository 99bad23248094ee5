"""Backward rule of huber_loss, which mse_loss and smooth_l1_loss are too, and the forward that training uses."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.kernels import regression as kernels
from backburner_autodiff.rules._rule import Array, Vjp, rule


def huber_loss_forward(x: Array, target: Array, /, *, delta: float, divisor: float) -> tuple[Array, None]:
    out = np.empty(x.shape, x.dtype)
    kernels.huber_loss_forward(x, target, delta, divisor, out)
    return out, None


@rule(singular=True, forward=huber_loss_forward)
def huber_loss(
    out: Array, x: Array, target: Array, *, delta: float, divisor: float, residuals: None
) -> tuple[Vjp, Vjp]:
    def vjp(g: Array, sign: float) -> Array:
        dx = np.empty(x.shape, x.dtype)
        if any(g.strides) or not g.size:
            kernels.huber_loss_backward(x, target, delta, sign * divisor, dx)
            dx *= g
            return dx
        one = float(g[(0,) * g.ndim])  # the same cotangent for all, as of a sum, is a factor of the divisor
        if one == 0:
            return np.zeros_like(dx)
        kernels.huber_loss_backward(x, target, delta, sign * divisor / one, dx)
        return dx

    return lambda g: vjp(g, 1), lambda g: vjp(g, -1)
