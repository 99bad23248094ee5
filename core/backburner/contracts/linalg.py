"""The contracts of family ``linalg``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Linalg(Protocol):
    """The ops of family ``linalg``; ``backburner.backend`` says what they may rely on."""

    def matmul(self, x: Array, y: Array, /) -> Array:
        """Return the matrix product, with batch dimensions broadcast and vectors as in NumPy.

        Shape:
            x ``[..., n, k]`` or ``[k]``, y ``[..., k, m]`` or ``[k]``.
        """
        ...

    def linear(self, x: Array, weight: Array, bias: Array | None, /) -> Array:
        """Return ``x @ weight.T + bias``.

        Shape:
            x ``[..., i]``, weight ``[o, i]``, bias ``[o]``; result ``[..., o]``.
        """
        ...
