"""The contracts of family ``piecewise``: activations made of two lines and what lies between them."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array

Line = tuple[float, float]
Parabola = tuple[float, float, float]


class Piecewise(Protocol):
    """The ops of family ``piecewise``; ``backburner.backend`` says what they may rely on."""

    def piecewise(
        self, x: Array, /, *, low: float, high: float, left: Line, middle: Parabola, right: Line
    ) -> Array:
        """Return one of three polynomials of floats: by ``x < low``, by ``x > high``, and between them.

        ``left`` and ``right`` are ``(slope, offset)``, ``middle`` is ``(a, b, c)`` of ``a x^2 + b x + c``. The bounds,
        exact in the dtype, belong to the middle, in value and gradient. A line of slope 0 is its offset at infinity
        too; NaN stays NaN.
        """
        ...

    def prelu(self, x: Array, weight: Array, /) -> Array:
        """Return ``x`` from 0 on, where the slope is 1, else ``weight * x``.

        Shape:
            x ``[n, c, ...]`` and weight ``[c]``, or x ``[...]`` and weight ``[]``.
        """
        ...
