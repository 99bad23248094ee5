"""The contracts of family ``elementwise``: inputs broadcast together."""

from __future__ import annotations

from typing import Any, Protocol

from backburner.contracts import Array
from backburner.dtype import DType


class Elementwise(Protocol):
    """The ops of family ``elementwise``; ``backburner.backend`` says what they may rely on."""

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

    def erfinv(self, x: Array, /) -> Array:
        """Return the inverse of ``erf``: infinite at -1 and 1, NaN outside."""
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
