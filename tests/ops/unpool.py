"""Rows of unpooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ops._pooling import each
from ops._row import Array, Row, real, sweep


def _unpool(count: int) -> Callable[..., Any]:
    def reference(
        x: Array,
        indices: Array,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        output_size: Any = None,
    ) -> Any:
        space = x.shape[x.ndim - count :]
        steps = each(kernel_size if stride is None else stride, count)
        size = [
            (n - 1) * s + k - 2 * p
            for n, s, k, p in zip(space, steps, each(kernel_size, count), each(padding, count), strict=True)
        ]
        if output_size is not None:
            size = list(output_size[-count:])
        planes = np.zeros((math.prod(x.shape[: x.ndim - count]), math.prod(size)))
        flat = (len(planes), math.prod(space))
        for plane, values, places in zip(planes, x.reshape(flat), indices.reshape(flat), strict=True):
            for value, place in zip(values, places, strict=True):
                plane[place] = value
        return planes.reshape(*x.shape[: x.ndim - count], *size)

    return reference


def _places(count: int, size: int) -> Any:
    """Draw for each plane, of ``count`` axes, indices below ``size`` that all differ."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        planes, elements = math.prod(shape[:-count]), math.prod(shape[-count:])
        found = [rng.permutation(size)[:elements] for _ in range(planes)]
        return np.array(found, np.int64).reshape(shape)

    return draw


def _row(count: int, size: int, shapes: Any, options: Any) -> Row:
    cases = sweep([(shape, shape) for shape in shapes], options)
    return Row(
        f"max_unpool{count}d", (real, _places(count, size)), cases, _unpool(count), differentiable=(0,)
    )


ROWS = (
    _row(1, 6, [(2, 2, 3), (2, 3), (0, 2, 3)], [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "output_size": (6,)}]),
    _row(2, 15, [(2, 1, 2, 3), (1, 2, 3), (1, 0, 2, 3)], [
        {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 2, "output_size": (9, 9, 5, 5)},
    ]),
    _row(3, 16, [(1, 2, 1, 2, 2), (2, 2, 1, 2), (0, 1, 1, 1, 2)], [{"kernel_size": (2, 2, 3)}]),
)  # fmt: skip
