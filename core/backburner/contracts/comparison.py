"""The contracts of family ``comparison``: inputs broadcast together, and no result has a gradient."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


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
