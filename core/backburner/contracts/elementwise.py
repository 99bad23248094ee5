"""The contracts of what goes by elements: arithmetic, comparisons, bits, functions, activations."""

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


class Activation(Protocol):
    """The ops of family ``activation``; ``backburner.backend`` says what they may rely on."""

    def relu(self, x: Array, /) -> Array:
        """Return ``max(x, 0)``; the gradient at 0 is 0, and NaN stays NaN."""
        ...

    def sigmoid(self, x: Array, /) -> Array:
        """Return ``1 / (1 + exp(-x))`` without overflow."""
        ...

    def gelu(self, x: Array, /, *, approximate: str) -> Array:
        """Return ``x * Phi(x)``: with erf for ``"none"``, by tanh for ``"tanh"``."""
        ...

    def silu(self, x: Array, /) -> Array:
        """Return ``x / (1 + exp(-x))``: 0 at ``-inf``, with gradient 0."""
        ...

    def elu(self, x: Array, /, *, alpha: float, scale: float, input_scale: float) -> Array:
        """Return ``scale * x`` above 0, else ``scale * alpha * (exp(input_scale * x) - 1)``, whose slope holds at 0."""
        ...

    def softplus(self, x: Array, /, *, beta: float, threshold: float) -> Array:
        """Return ``log(1 + exp(beta * x)) / beta``, and ``x`` itself where ``beta * x`` is above ``threshold``.

        ``beta`` may be negative: -1 gives the logarithm of the sigmoid.
        """
        ...

    def mish(self, x: Array, /) -> Array:
        """Return ``x * tanh(softplus(x))``: 0 at ``-inf``, with gradient 0."""
        ...

    def softsign(self, x: Array, /) -> Array:
        """Return ``x / (1 + |x|)``: of infinities 1 and -1."""
        ...

    def glu(self, x: Array, /, *, axis: int) -> Array:
        """Return the first half along ``axis``, which is even, times the sigmoid of the second.

        Shape:
            x ``[a..., 2 n, b...]``; result ``[a..., n, b...]``.
        """
        ...

    def softmax(self, x: Array, /, *, axis: int) -> Array:
        """Return ``exp(x) / sum(exp(x))`` along ``axis``. An axis that is all ``-inf`` gives NaN."""
        ...

    def log_softmax(self, x: Array, /, *, axis: int) -> Array:
        """Return ``x - logsumexp(x)`` along ``axis``."""
        ...


class Bitwise(Protocol):
    """The ops of family ``bitwise``; ``backburner.backend`` says what they may rely on."""

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


class Comparison(Protocol):
    """The ops of family ``comparison``; ``backburner.backend`` says what they may rely on."""

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


class Gamma(Protocol):
    """The ops of family ``gamma``; ``backburner.backend`` says what they may rely on."""

    def lgamma(self, x: Array, /) -> Array:
        """Return ``log(|Gamma(x)|)``: ``inf`` at 0, the negative integers and both infinities."""
        ...

    def digamma(self, x: Array, /) -> Array:
        """Return the derivative of ``lgamma``: ``-inf`` at 0, ``inf`` at -0, NaN at the negative integers."""
        ...


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
