"""Ops that pick elements."""

from __future__ import annotations

from typing import Any

from backburner.backend import Array


def getitem(x: Array, /, *, index: tuple[Any, ...]) -> Array:
    """Return ``x[index]``, a view for ints and slices."""
    picked: Array = x[index]
    return picked


def take(x: Array, indices: Array, /, *, axis: int) -> Array:
    """Return the entries ``indices`` along ``axis``."""
    return x.take(indices, axis)


def embedding(weight: Array, indices: Array, /, *, padding_idx: int | None) -> Array:
    """Return the rows ``indices`` of ``weight``; ``padding_idx`` matters to the gradient only."""
    return weight.take(indices, 0)
