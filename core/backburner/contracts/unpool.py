"""The contracts of family ``unpool``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Pair


class Unpool(Protocol):
    """The ops of family ``unpool``; ``backburner.backend`` says what they may rely on."""

    def max_unpool2d(self, x: Array, indices: Array, /, *, size: Pair) -> Array:
        """Return planes of ``size`` with the elements of ``x`` at their indices, and 0 elsewhere.

        Of several with one index the last stays, which alone gets the gradient.

        Shape:
            x ``[n, c, h, w]``, indices the same, in ``[0, size[0] * size[1])``; result ``[n, c, *size]``.
        """
        ...
