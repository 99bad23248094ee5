"""The contracts of family ``rounding``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Rounding(Protocol):
    """The ops of family ``rounding``; ``backburner.backend`` says what they may rely on."""

    def sign(self, x: Array, /) -> Array:
        """Return -1, 0 or 1, or NaN of NaN; the gradient is 0."""
        ...

    def floor(self, x: Array, /) -> Array:
        """Return the largest integer not above ``x``, as a float; the gradient is 0, as of the three below."""
        ...

    def ceil(self, x: Array, /) -> Array:
        """Return the smallest integer not below ``x``, as a float."""
        ...

    def round(self, x: Array, /) -> Array:
        """Return the nearest integer as a float, the even one of two."""
        ...

    def trunc(self, x: Array, /) -> Array:
        """Return ``x`` without its fraction, as a float."""
        ...

    def floor_divide(self, x: Array, y: Array, /) -> Array:
        """Return the floor of ``x / y``, of integers where ``y`` is never 0; the gradient is 0."""
        ...

    def remainder(self, x: Array, y: Array, /) -> Array:
        """Return ``x - y * floor(x / y)``, of the sign of ``y``; of integers where ``y`` is never 0."""
        ...
