"""The contracts of family ``sorting``: NaN comes after all numbers, and equal elements keep their order."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Sorting(Protocol):
    """The ops of family ``sorting``; ``backburner.backend`` says what they may rely on."""

    def sort(self, x: Array, /, *, axis: int, descending: bool) -> Array:
        """Return the elements in order along ``axis``."""
        ...

    def argsort(self, x: Array, /, *, axis: int, descending: bool) -> Array:
        """Return the indices along ``axis``, int64, that ``sort`` goes by. No gradient."""
        ...

    def topk(self, x: Array, /, *, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
        """Return the ``k`` largest or smallest elements in order and their indices, int64 without gradient.

        Of equal elements the first are taken, in their order. ``k`` is at most the length of ``axis``.
        """
        ...

    def searchsorted(self, x1: Array, x2: Array, /, *, side: str) -> Array:
        """Return for each of ``x2`` its place in the sorted ``x1``, int64. No gradient.

        ``side`` says whether before (``"left"``) or after (``"right"``) what is equal to it.

        Shape:
            x1 ``[n]``, x2 ``[...]`` of the same dtype; result ``[...]`` in ``[0, n]``.
        """
        ...

    def nonzero(self, x: Array, /) -> tuple[Array, ...]:
        """Return the indices of what is not 0 along each axis, int64, in row-major order. No gradient."""
        ...

    def unique_all(self, x: Array, /) -> tuple[Array, Array, Array, Array]:
        """Return what occurs, sorted, and int64 without gradient: first indices, inverse and counts.

        Indices are into the flattened array. Each NaN is one of its own. The gradient of a value goes to the
        first that equals it.

        Shape:
            x ``[...]``; values, indices and counts ``[u]``, inverse ``[...]``.
        """
        ...
