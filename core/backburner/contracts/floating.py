"""The contracts of family ``floating``: what floats are made of."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Floating(Protocol):
    """The ops of family ``floating``; ``backburner.backend`` says what they may rely on."""

    def isnan(self, x: Array, /) -> Array:
        """Return whether ``x`` is NaN. No gradient, as the three below."""
        ...

    def isinf(self, x: Array, /) -> Array:
        """Return whether ``x`` is an infinity."""
        ...

    def isfinite(self, x: Array, /) -> Array:
        """Return whether ``x`` is neither an infinity nor NaN."""
        ...

    def signbit(self, x: Array, /) -> Array:
        """Return whether the sign of a float is a minus, as it is of -0.0."""
        ...

    def copysign(self, x: Array, y: Array, /) -> Array:
        """Return ``|x|`` with the sign of ``y``, of floats; the gradient at ``x = 0`` is 0, and that of ``y``."""
        ...

    def nextafter(self, x: Array, y: Array, /) -> Array:
        """Return the next float after ``x`` towards ``y``, with the gradient of ``x`` itself."""
        ...
