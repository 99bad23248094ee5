"""The contracts of family ``scan``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Scan(Protocol):
    """The ops of family ``scan``; ``backburner.backend`` says what they may rely on."""

    def cumulative_sum(self, x: Array, /, *, axis: int) -> Array:
        """Return the sums up to each element, accurate for 10^8 float32. Integers add up as in ``sum``."""
        ...

    def cumulative_prod(self, x: Array, /, *, axis: int) -> Array:
        """Return the products up to each element, integers as in ``prod``; the gradient is exact with zeros."""
        ...

    def cummax(self, x: Array, /, *, axis: int) -> tuple[Array, Array]:
        """Return the largest element up to each place and its last index, which alone gets the gradient.

        NaN counts as the largest. The index, int64, has no gradient.
        """
        ...

    def cummin(self, x: Array, /, *, axis: int) -> tuple[Array, Array]:
        """Return the smallest element up to each place and its last index, which alone gets the gradient.

        NaN counts as the smallest. The index, int64, has no gradient.
        """
        ...
