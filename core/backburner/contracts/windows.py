"""The contracts of family ``windows``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Windows(Protocol):
    """The ops of family ``windows``; ``backburner.backend`` says what they may rely on."""

    def sliding_windows(self, x: Array, /, *, axis: int, size: int, step: int) -> Array:
        """Return all windows of ``size`` entries, ``step`` apart, along ``axis``; their entries are a new last axis.

        Shape:
            x ``[a..., n, b...]`` with ``n >= size``; result ``[a..., (n - size) // step + 1, b..., size]``.
        """
        ...
