"""Windows of the pooling ops, one by one: what their rows are compared with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ops._row import Array, ones_of

Places = list[tuple[int, ...]]
UNBATCHED = {2: 1, 3: 2, 4: 3}


def each(value: Any, count: int) -> tuple[Any, ...]:
    """Return an option for each of ``count`` axes."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count


def regular(
    space: Sequence[int], kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> list[list[range]]:
    """Return for each axis the places of the taps of each window, those outside of the input too."""
    count = len(space)
    found = []
    for n, k, s, p, d in zip(
        space,
        each(kernel_size, count),
        each(kernel_size if stride is None else stride, count),
        each(padding, count),
        each(dilation, count),
        strict=True,
    ):
        span = d * (k - 1) + 1
        room = (n + 2 * p - span) / s
        starts = [i * s - p for i in range((math.ceil(room) if ceil_mode else math.floor(room)) + 1)]
        found.append([range(i, i + span, d) for i in starts if not ceil_mode or i < n])
    return found


def pooled(
    x: Array,
    count: int,
    windows: Callable[[Sequence[int]], Any],
    reduce: Callable[..., Any],
    dtype: Any = float,
) -> Any:
    """Return ``reduce(x, taps, inside)`` of each window of ``[n, c, ...]`` or ``[c, ...]``.

    Args:
        x: the input.
        count: of its spatial axes.
        windows: gives for each axis the windows, each as the places of its taps.
        reduce: takes the input as ``[..., elements]``, the places of all taps and the numbers of those inside.
        dtype: of the result.
    """
    space = x.shape[x.ndim - count :]
    axes = windows(space)
    flat = x.reshape(*x.shape[: x.ndim - count], math.prod(space))
    out = np.empty((*x.shape[: x.ndim - count], *map(len, axes)), dtype)
    for place in np.ndindex(*map(len, axes)):
        taps: Places = list(itertools.product(*(axis[i] for axis, i in zip(axes, place, strict=True))))
        inside = [t for t in taps if all(0 <= i < n for i, n in zip(t, space, strict=True))]
        numbers = [int(np.ravel_multi_index(t, tuple(space))) for t in inside]
        out[(..., *place)] = reduce(flat, taps, numbers)
    return out


def adaptive(count: int, reduce: Any, dtype: Any = float) -> Callable[..., Any]:
    """Return the reference of an adaptive op."""

    def windows(space: Sequence[int], output_size: Any) -> Any:
        sizes = [n if o is None else o for o, n in zip(each(output_size, count), space, strict=True)]
        return [
            [range(i * n // o, -(-(i + 1) * n // o)) for i in range(o)]
            for n, o in zip(space, sizes, strict=True)
        ]

    return lambda x, output_size: pooled(x, count, lambda space: windows(space, output_size), reduce, dtype)


def largest(x: Array, taps: Places, inside: list[int]) -> Any:
    """Return the largest element."""
    return x[..., inside].max(axis=-1)


def place_of_largest(x: Array, taps: Places, inside: list[int]) -> Any:
    """Return the number of the first of the largest elements."""
    return np.array(inside)[x[..., inside].argmax(axis=-1)]


PARTS = {
    1: (
        *ones_of([(2, 1, 7)], [{"output_size": 3}, {"output_size": 9}]),
        *ones_of([(2, 6)], [{"output_size": 2}]),
    ),
    2: (
        *ones_of([(2, 2, 6, 8)], [{"output_size": (3, 2)}, {"output_size": (4, None)}, {"output_size": 1}]),
        *ones_of([(2, 5, 7)], [{"output_size": 3}, {"output_size": (7, 2)}]),
    ),
    3: (
        *ones_of([(1, 2, 3, 4, 5)], [{"output_size": 2}, {"output_size": (None, 2, 1)}]),
        *ones_of([(2, 3, 2, 4)], [{"output_size": (2, 3, 3)}]),
    ),
}
