"""The contracts of family ``reduction``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Axes


class Reduction(Protocol):
    """The ops of family ``reduction``; ``backburner.backend`` says what they may rely on."""

    def sum(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the sum, accurate for 10^8 float32. Integers add up in int64 or uint64."""
        ...

    def mean(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the mean, of floats; NaN of nothing."""
        ...

    def max(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the largest element; ties share the gradient evenly. The reduced size is not 0."""
        ...

    def min(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the smallest element; ties share the gradient evenly. The reduced size is not 0."""
        ...

    def var(self, x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
        """Return the variance with divisor ``n - correction``, of floats, in two passes."""
        ...

    def logsumexp(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return ``log(sum(exp(x)))`` of floats; of all ``-inf``: ``-inf``, with gradient 0."""
        ...

    def argmax(self, x: Array, /, *, axis: int, keepdims: bool) -> Array:
        """Return the first index of the largest element along ``axis``, int64. No gradient."""
        ...

    def argmin(self, x: Array, /, *, axis: int, keepdims: bool) -> Array:
        """Return the first index of the smallest element along ``axis``, int64. No gradient."""
        ...

    def any(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return whether an element is not 0, as bool; of nothing False. No gradient."""
        ...

    def all(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return whether no element is 0, as bool; of nothing True. No gradient."""
        ...

    def prod(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the product, integers in int64 or uint64; the gradient is exact with zeros too."""
        ...

    def std(self, x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
        """Return the root of ``var``, of floats; where that is 0 the gradient is 0."""
        ...

    def vector_norm(self, x: Array, /, *, axis: Axes, ord: float, keepdims: bool) -> Array:
        """Return ``sum(|x|^ord)^(1/ord)`` of floats, ``ord`` finite, without overflow; for 0 how many are not 0.

        The gradient at 0 is 0: of the zero vector, and of elements that are 0.
        """
        ...

    def median(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the middle element of floats, or the mean of the two; NaN if one is.

        What equals a middle element shares its gradient evenly. The reduced size is not 0.
        """
        ...
