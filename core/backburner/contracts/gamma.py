"""The contracts of family ``gamma``: of floats."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Gamma(Protocol):
    """The ops of family ``gamma``; ``backburner.backend`` says what they may rely on."""

    def lgamma(self, x: Array, /) -> Array:
        """Return ``log(|Gamma(x)|)``: ``inf`` at 0, the negative integers and both infinities."""
        ...

    def digamma(self, x: Array, /) -> Array:
        """Return the derivative of ``lgamma``: ``-inf`` at 0, ``inf`` at -0, NaN at the negative integers."""
        ...
