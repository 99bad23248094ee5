"""Kernels of huber_loss, which mse_loss and smooth_l1_loss are too."""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange


@kernel("x[...], x[...], x, x -> x[...]")
def huber_loss_forward(x: Any, target: Any, delta: Any, divisor: Any, out: Any) -> None:
    """Return ``a * (d - a / 2) / divisor`` of the absolute difference ``d`` and ``a = min(d, delta)``."""
    half = x.dtype.type(0.5)
    for i in prange(x.size):
        d = abs(x[i] - target[i])
        near = d <= delta
        a = d if near else delta
        # not d - a / 2, which is NaN for infinite ones
        out[i] = a / divisor * (half * d if near else d - half * delta)


@kernel("x[...], x[...], x, x -> x[...]")
def huber_loss_backward(x: Any, target: Any, delta: Any, divisor: Any, dx: Any) -> None:
    """Return the difference, held between ``-delta`` and ``delta``, over ``divisor``."""
    for i in prange(x.size):
        d = x[i] - target[i]
        d = delta if d > delta else d
        dx[i] = (-delta if d < -delta else d) / divisor
