"""The contracts of family ``shape``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Axes, Pair, Shape


class ShapeOps(Protocol):
    """The ops of family ``shape``; ``backburner.backend`` says what they may rely on."""

    def reshape(self, x: Array, /, *, shape: Shape) -> Array:
        """Return the elements in row-major order under another shape, of no ``-1``."""
        ...

    def permute_dims(self, x: Array, /, *, axes: Axes) -> Array:
        """Return a view with its axes in the order of ``axes``, a permutation."""
        ...

    def broadcast_to(self, x: Array, /, *, shape: Shape) -> Array:
        """Return a view repeated along dimensions of size 1 and new leading ones."""
        ...

    def concat(self, *xs: Array, axis: int) -> Array:
        """Return the arrays joined along an axis they have."""
        ...

    def stack(self, *xs: Array, axis: int) -> Array:
        """Return equally shaped arrays joined along a new axis."""
        ...

    def split(self, x: Array, /, *, sizes: tuple[int, ...], axis: int) -> tuple[Array, ...]:
        """Return views of ``sizes[i]`` entries each along ``axis``; the sizes add up to its length."""
        ...

    def pad(self, x: Array, /, *, pad_width: tuple[Pair, ...], value: float, mode: str = "constant") -> Array:
        """Return ``x`` in a frame, ``(before, after)`` entries wide on each axis, none negative.

        ``mode`` is ``"constant"``, for a frame of ``value``, or as in NumPy ``"edge"``, ``"reflect"``,
        ``"symmetric"`` or ``"wrap"``; then an axis that is empty is not padded.
        """
        ...
