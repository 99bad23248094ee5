"""The contracts of family ``indexing``."""

from __future__ import annotations

from typing import Any, Protocol

from backburner.contracts import Array


class Indexing(Protocol):
    """The ops of family ``indexing``; ``backburner.backend`` says what they may rely on."""

    def getitem(self, x: Array, /, *, index: tuple[Any, ...]) -> Array:
        """Return ``x[index]`` of ints, slices, ``None``, ``...``, and int64 or bool arrays, in range.

        A position that is picked twice gets the sum of both gradients.
        """
        ...

    def take(self, x: Array, indices: Array, /, *, axis: int) -> Array:
        """Return the entries ``indices`` (int64 of any rank, in ``[0, n)``) along ``axis``.

        Shape:
            x ``[a..., n, b...]``, indices ``[i...]``; result ``[a..., i..., b...]``.
        """
        ...

    def take_along_axis(self, x: Array, indices: Array, /, *, axis: int) -> Array:
        """Return from each line along ``axis`` the entries that the same line of ``indices`` names.

        Shape:
            x ``[a..., n, b...]``, indices ``[a..., k, b...]`` of int64 in ``[0, n)``; result like indices.
        """
        ...

    def at(self, x: Array, values: Array, /, *, index: tuple[Any, ...], mode: str) -> Array:
        """Return a copy of ``x`` with ``values`` (of its dtype) put at ``index``, which is as for ``getitem``.

        ``mode`` is ``"set"``, where the last of several values in one place stays and alone gets the gradient,
        or ``"add"``, ``"multiply"``, ``"min"`` or ``"max"``, where every value counts and ties share.

        Shape:
            values broadcast to ``x[index]``.
        """
        ...

    def embedding(self, weight: Array, indices: Array, /, *, padding_idx: int | None) -> Array:
        """Return the rows ``indices`` of ``weight``; row ``padding_idx`` gets no gradient.

        Shape:
            weight ``[n, d]``, indices ``[...]`` of int64 in ``[0, n)``; result ``[..., d]``.
        """
        ...

    def embedding_bag(self, weight: Array, indices: Array, bounds: Array, factors: Array | None, /) -> Array:
        """Return the sum of each bag of rows of ``weight``, each times its factor; of an empty bag 0.

        Shape:
            weight ``[n, d]``, indices ``[k]`` of int64 in ``[0, n)``, bounds ``[b + 1]`` of int64, which rise from 0 to
            ``k``: bag ``i`` holds the indices from ``bounds[i]`` to ``bounds[i + 1]``; factors ``[k]``; result ``[b, d]``.
        """
        ...
