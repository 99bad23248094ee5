"""The elementwise part of ``Backend``. Inputs broadcast together; ``backend.py`` says what an op may rely on."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from backburner.dtype import DType

Array = np.ndarray[Any, np.dtype[Any]]


class Elementwise(Protocol):
    """The elementwise ops; ``Backend`` has them and all others."""

    def add(self, x: Array, y: Array, /) -> Array:
        """Return ``x + y``."""
        ...

    def subtract(self, x: Array, y: Array, /) -> Array:
        """Return ``x - y``."""
        ...

    def multiply(self, x: Array, y: Array, /) -> Array:
        """Return ``x * y``."""
        ...

    def divide(self, x: Array, y: Array, /) -> Array:
        """Return ``x / y`` of floats."""
        ...

    def pow(self, x: Array, y: Array, /) -> Array:
        """Return ``x ** y``; the gradient at ``x = 0`` has no NaN for ``y >= 0``."""
        ...

    def maximum(self, x: Array, y: Array, /) -> Array:
        """Return the larger of each pair; NaN wins, and ties share the gradient evenly."""
        ...

    def minimum(self, x: Array, y: Array, /) -> Array:
        """Return the smaller of each pair; NaN wins, and ties share the gradient evenly."""
        ...

    def negative(self, x: Array, /) -> Array:
        """Return ``-x``."""
        ...

    def abs(self, x: Array, /) -> Array:
        """Return ``|x|``; the gradient at 0 is 0."""
        ...

    def exp(self, x: Array, /) -> Array:
        """Return e to the ``x``, of floats."""
        ...

    def log(self, x: Array, /) -> Array:
        """Return the natural logarithm, of floats; ``-inf`` at 0."""
        ...

    def sqrt(self, x: Array, /) -> Array:
        """Return the square root, of floats; the gradient at 0 is ``inf``."""
        ...

    def square(self, x: Array, /) -> Array:
        """Return ``x * x``."""
        ...

    def tanh(self, x: Array, /) -> Array:
        """Return the hyperbolic tangent, of floats."""
        ...

    def erf(self, x: Array, /) -> Array:
        """Return the error function, of floats."""
        ...

    def erfc(self, x: Array, /) -> Array:
        """Return ``1 - erf(x)`` of floats, with all digits also where that is tiny."""
        ...

    def expm1(self, x: Array, /) -> Array:
        """Return ``exp(x) - 1`` of floats, accurate near 0."""
        ...

    def log1p(self, x: Array, /) -> Array:
        """Return ``log(1 + x)`` of floats, accurate near 0; ``-inf`` at -1, NaN below."""
        ...

    def log2(self, x: Array, /) -> Array:
        """Return the logarithm to base 2, of floats."""
        ...

    def log10(self, x: Array, /) -> Array:
        """Return the logarithm to base 10, of floats."""
        ...

    def logaddexp(self, x: Array, y: Array, /) -> Array:
        """Return ``log(exp(x) + exp(y))`` of floats without overflow; of two ``-inf`` the gradient is 0."""
        ...

    def hypot(self, x: Array, y: Array, /) -> Array:
        """Return ``sqrt(x * x + y * y)`` of floats without overflow; the gradient at the origin is 0."""
        ...

    def where(self, condition: Array, x: Array, y: Array, /) -> Array:
        """Return ``x`` where ``condition`` (bool) holds, else ``y``."""
        ...

    def clip(self, x: Array, /, *, min: Any, max: Any) -> Array:
        """Return ``x`` held between two numbers, either of them ``None``; the gradient on the closed
        interval is 1."""
        ...

    def astype(self, x: Array, /, *, dtype: DType) -> Array:
        """Return ``x`` in another dtype; a float gradient comes back in the dtype of ``x``."""
        ...

    def equal(self, x: Array, y: Array, /) -> Array:
        """Return ``x == y`` as bool. No gradient, as the five below."""
        ...

    def not_equal(self, x: Array, y: Array, /) -> Array:
        """Return ``x != y`` as bool."""
        ...

    def less(self, x: Array, y: Array, /) -> Array:
        """Return ``x < y`` as bool."""
        ...

    def less_equal(self, x: Array, y: Array, /) -> Array:
        """Return ``x <= y`` as bool."""
        ...

    def greater(self, x: Array, y: Array, /) -> Array:
        """Return ``x > y`` as bool."""
        ...

    def greater_equal(self, x: Array, y: Array, /) -> Array:
        """Return ``x >= y`` as bool."""
        ...

    def logical_not(self, x: Array, /) -> Array:
        """Return ``not x`` of bools. No gradient, as the two below."""
        ...

    def logical_and(self, x: Array, y: Array, /) -> Array:
        """Return ``x and y`` of bools."""
        ...

    def logical_or(self, x: Array, y: Array, /) -> Array:
        """Return ``x or y`` of bools."""
        ...

    # -- trigonometric: of floats ----------------------------------------------------------------------

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

    # -- rounding --------------------------------------------------------------------------------------

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

    # -- floating: what floats are made of -------------------------------------------------------------

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

    # -- bitwise: of integers and, but for the shifts, of bools. No gradient ---------------------------

    def bitwise_and(self, x: Array, y: Array, /) -> Array:
        """Return ``x & y``."""
        ...

    def bitwise_or(self, x: Array, y: Array, /) -> Array:
        """Return ``x | y``."""
        ...

    def bitwise_xor(self, x: Array, y: Array, /) -> Array:
        """Return ``x ^ y``."""
        ...

    def bitwise_invert(self, x: Array, /) -> Array:
        """Return ``~x``."""
        ...

    def bitwise_left_shift(self, x: Array, y: Array, /) -> Array:
        """Return ``x << y`` with zeros coming in; ``y`` is not negative, and may exceed the bits of ``x``."""
        ...

    def bitwise_right_shift(self, x: Array, y: Array, /) -> Array:
        """Return ``x >> y`` with the sign coming in; ``y`` as for the left shift."""
        ...
