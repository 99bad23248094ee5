"""The contracts of family ``regression``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Regression(Protocol):
    """The ops of family ``regression``; ``backburner.backend`` says what they may rely on."""

    def huber_loss(self, x: Array, target: Array, /, *, delta: float, divisor: float) -> Array:
        """Return ``a * (d - a / 2) / divisor`` of the absolute difference ``d`` and ``a = min(d, delta)``.

        That is a parabola up to ``delta``, which is positive and may be infinite, and a line beyond it. The losses by
        name are it with ``(delta, divisor)``: ``huber_loss`` ``(delta, 1)``, ``smooth_l1_loss`` ``(beta, beta)``,
        ``mse_loss`` ``(inf, 0.5)``.

        Shape:
            x, target and the result have one shape.
        """
        ...
