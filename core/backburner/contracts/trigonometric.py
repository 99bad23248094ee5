"""The contracts of family ``trigonometric``: of floats."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Trigonometric(Protocol):
    """The ops of family ``trigonometric``; ``backburner.backend`` says what they may rely on."""

    def sin(self, x: Array, /) -> Array:
        """Return the sine of radians."""
        ...

    def cos(self, x: Array, /) -> Array:
        """Return the cosine of radians."""
        ...

    def tan(self, x: Array, /) -> Array:
        """Return the tangent of radians."""
        ...

    def asin(self, x: Array, /) -> Array:
        """Return the arc sine in radians, NaN outside [-1, 1]."""
        ...

    def acos(self, x: Array, /) -> Array:
        """Return the arc cosine in radians, NaN outside [-1, 1]."""
        ...

    def atan(self, x: Array, /) -> Array:
        """Return the arc tangent in radians."""
        ...

    def atan2(self, x: Array, y: Array, /) -> Array:
        """Return the angle of the point with ordinate ``x`` and abscissa ``y``; the gradient at the origin is 0."""
        ...

    def sinh(self, x: Array, /) -> Array:
        """Return the hyperbolic sine."""
        ...

    def cosh(self, x: Array, /) -> Array:
        """Return the hyperbolic cosine."""
        ...

    def asinh(self, x: Array, /) -> Array:
        """Return the inverse hyperbolic sine."""
        ...

    def acosh(self, x: Array, /) -> Array:
        """Return the inverse hyperbolic cosine, NaN below 1."""
        ...

    def atanh(self, x: Array, /) -> Array:
        """Return the inverse hyperbolic tangent, NaN outside [-1, 1]."""
        ...
