"""The contract of family ``dropout``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Dropout(Protocol):
    """The op of family ``dropout``; ``backburner.backend`` says what it may rely on."""

    def dropout(self, x: Array, /, *, p: float, seed: int) -> Array:
        """Zero each element with probability ``p`` and scale the rest by ``1 / (1 - p)``.

        A pure function: ``seed`` decides the mask, so that a recomputation draws the same one.
        """
        ...
