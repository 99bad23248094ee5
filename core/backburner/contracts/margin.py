"""The contracts of family ``margin``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Margin(Protocol):
    """The ops of family ``margin``; ``backburner.backend`` says what they may rely on."""

    def multi_margin_loss(self, x: Array, target: Array, /, *, p: int, margin: float) -> Array:
        """Return ``sum_j(max(0, margin - x[t] + x[j])^p) / c`` of each row and all ``j`` but its target ``t``.

        At the kink the gradient is 0.

        Shape:
            x ``[n, c]``, target ``[n]`` of int64 in ``[0, c)``; result ``[n]``.
        """
        ...

    def multilabel_margin_loss(self, x: Array, target: Array, /) -> Array:
        """Return ``sum_tj(max(0, 1 - x[t] + x[j])) / c`` of each row, its targets ``t`` and all ``j`` that are none.

        At the kink the gradient is 0.

        Shape:
            x ``[n, c]``, target ``[n, c]`` of int64 in ``[-1, c)``, -1 after the last of a row; result ``[n]``.
        """
        ...
