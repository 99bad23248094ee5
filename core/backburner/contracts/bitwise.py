"""The contracts of family ``bitwise``: of integers and, but for the shifts, of bools. No gradient."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


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
