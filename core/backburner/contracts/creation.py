"""The contracts of family ``creation``: no gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from backburner.contracts import Array, Shape
from backburner.dtype import DType


class Creation(Protocol):
    """The ops of family ``creation``; ``backburner.backend`` says what they may rely on."""

    def full(self, *, shape: Shape, value: Any, dtype: DType) -> Array:
        """Return an array of one value."""
        ...

    def arange(self, *, start: float, stop: float, step: float, dtype: DType) -> Array:
        """Return ``start, start + step, ...`` up to before ``stop``."""
        ...

    def linspace(self, *, start: float, stop: float, num: int, dtype: DType, endpoint: bool) -> Array:
        """Return ``num`` evenly spaced values."""
        ...

    def eye(self, *, rows: int, columns: int, k: int, dtype: DType) -> Array:
        """Return ones on the ``k``-th diagonal and zeros elsewhere."""
        ...

    def random(
        self, *, distribution: str, shape: Shape, dtype: DType, options: Sequence[Any], seed: int
    ) -> Array:
        """Return draws that ``seed`` decides.

        ``distribution`` is ``"uniform"`` with options ``(low, high)``, ``"normal"`` with ``(mean, std)``,
        ``"integers"`` with ``(low, high)`` of the half-open range, ``"bernoulli"`` with ``(p,)``, a number or
        an array that broadcasts to ``shape``, ``"permutation"`` with ``(n,)``, ``"trunc_normal"`` with
        ``(mean, std, low, high)``, ``"multinomial"`` with ``(probabilities, replacement)``, float64 rows for
        ``shape[:-1]``, or ``"dirichlet"`` with ``(concentration,)``, float64 that broadcasts to ``shape``.
        """
        ...
