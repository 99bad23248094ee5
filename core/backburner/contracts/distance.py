"""The contracts of family ``distance``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Distance(Protocol):
    """The ops of family ``distance``; ``backburner.backend`` says what they may rely on."""

    def cdist(self, x1: Array, x2: Array, /, *, p: float, products: bool | None) -> Array:
        """Return the p-norms of all differences of a row of ``x1`` and one of ``x2``, of floats, ``p >= 0``.

        They are accurate for rows that lie close together, too. Where two are equal the gradient is 0.
        ``products`` says whether Euclidean ones come from a matrix product, which ``None`` leaves to the backend.

        Shape:
            x1 ``[..., n, d]``, x2 ``[..., m, d]``, with batch dimensions that broadcast; result ``[..., n, m]``.
        """
        ...
