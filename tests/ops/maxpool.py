"""Rows of the max pooling ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional as F
from ops._pooling import PARTS, adaptive, each, largest, place_of_largest, pooled, regular
from ops._row import Array, Row, ones_of, real, sweep, tied


def _of(count: int, reduce: Any, dtype: Any = float) -> Callable[..., Any]:
    def reference(
        x: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Any:  # fmt: skip
        window = (kernel_size, stride, padding, dilation, ceil_mode)
        return pooled(x, count, lambda space: regular(space, *window), reduce, dtype)

    return reference


def _fractional(count: int, reduce: Any, dtype: Any = float) -> Callable[..., Any]:
    def windows(space: Sequence[int], u: Array, kernel_size: Any, sizes: Sequence[int]) -> Any:
        found = []
        numbers = u[::-1] if count == 2 else u
        for n, k, o, v in zip(space, each(kernel_size, count), sizes, numbers, strict=True):
            step = (n - k) / max(o - 1, 1)
            starts = [int((i + v) * step) - int(v * step) for i in range(o - 1)] + [n - k]
            found.append([range(s, s + k) for s in starts])
        return found

    def reference(
        x: Array, samples: Array, kernel_size: Any, output_size: Any = None, output_ratio: Any = None
    ) -> Any:
        before, space = x.shape[: x.ndim - count], x.shape[x.ndim - count :]
        sizes = each(output_size, count)
        if output_size is None:
            sizes = tuple(int(n * r) for n, r in zip(space, each(output_ratio, count), strict=True))
        planes = [
            pooled(x[place], count, lambda space, u=u: windows(space, u, kernel_size, sizes), reduce, dtype)
            for place, u in zip(np.ndindex(*before), samples.reshape(-1, count), strict=True)
        ]
        return np.array(planes, dtype).reshape(*before, *sizes)

    return reference


def _samples(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.random(shape)


def _indices(op: str) -> Callable[..., bb.Tensor]:
    def call(x: bb.Tensor, *samples: bb.Tensor, **options: Any) -> bb.Tensor:
        if samples:
            options["_random_samples"] = samples[0]
        found: bb.Tensor = getattr(F, op)(x, return_indices=True, **options)[1]
        return found

    return call


def _drawn(op: str) -> Callable[..., bb.Tensor]:
    return lambda x, samples, **options: getattr(F, op)(x, _random_samples=samples, **options)


LINES = (
    *ones_of(
        [(2, 1, 7)], [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}]
    ),
    *ones_of([(2, 9)], [{"kernel_size": 3, "stride": 1, "padding": 1, "dilation": 2}, {"kernel_size": 9}]),
)
COMMON: tuple[dict[str, Any], ...] = (
    {"kernel_size": 2},
    {"kernel_size": (3, 2), "stride": 1},
    {"kernel_size": 3, "stride": (2, 1), "padding": 1},
    {"kernel_size": (2, 3), "padding": (1, 0), "ceil_mode": True},
    {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
    {"kernel_size": 2, "stride": 3, "ceil_mode": True},
    {"kernel_size": 1, "stride": 2},
)
IMAGES = (
    *ones_of([(2, 3, 5, 6), (3, 7, 4)], COMMON),
    *ones_of(
        [(2, 2, 6, 7)],
        [
            {"kernel_size": 2, "dilation": 3},
            {"kernel_size": 3, "stride": 1, "padding": 1, "dilation": (1, 2)},
            {"kernel_size": 1},
            {"kernel_size": (8, 6), "stride": (3, 2), "padding": (1, 2), "ceil_mode": True},
        ],
    ),
    *ones_of([(1, 1, 17, 18)], [{"kernel_size": 17}]),
)
VOLUMES = (
    *ones_of([(2, 1, 3, 4, 5)], [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}]),
    *ones_of([(2, 4, 5, 4)], [{"kernel_size": (2, 3, 1), "stride": (1, 2, 3), "padding": (1, 1, 0), "dilation": (2, 1, 1)}]),
)  # fmt: skip
RANDOM = {
    2: (
        *sweep([((2, 2, 6, 7), (2, 2, 2))], [{"kernel_size": 2, "output_size": (3, 4)}, {"kernel_size": (3, 1), "output_ratio": (0.5, 0.5)}]),
        *sweep([((2, 5, 5), (1, 2, 2))], [{"kernel_size": (2, 3), "output_size": (4, 1)}]),
    ),
    3: (
        *sweep([((2, 1, 5, 6, 5), (2, 1, 3))], [{"kernel_size": 2, "output_size": (2, 3, 1)}]),
        *sweep([((2, 5, 4, 6), (1, 2, 3))], [{"kernel_size": (1, 2, 2), "output_ratio": (0.5, 0.6, 0.5)}]),
    ),
}  # fmt: skip
NONE = {1: (0, 2, 4), 2: (2, 0, 4, 4), 3: (0, 1, 2, 2, 4)}


def _rows() -> tuple[Row, ...]:
    rows = []
    for count, usual in ((1, LINES), (2, IMAGES), (3, VOLUMES)):
        none = ones_of([NONE[count]], [{"kernel_size": 2}])
        op = f"max_pool{count}d"
        rows += [
            Row(op, (real,), (*usual, *none), _of(count, largest)),
            Row(op, (tied,), (*usual, *none), _of(count, place_of_largest, np.int64), call=_indices(op),
                differentiable=(), result="int64", name=f"{op}_indices"),
        ]  # fmt: skip
        none = ones_of([NONE[count]], [{"output_size": 3}])
        op = f"adaptive_max_pool{count}d"
        rows += [
            Row(op, (real,), (*PARTS[count], *none), adaptive(count, largest)),
            Row(op, (tied,), (*PARTS[count], *none), adaptive(count, place_of_largest, np.int64), call=_indices(op),
                differentiable=(), result="int64", name=f"{op}_indices"),
        ]  # fmt: skip
    for count, drawn in RANDOM.items():
        shape = NONE[count]
        samples = (*shape[:2], count)
        op, none = (
            f"fractional_max_pool{count}d",
            sweep([(shape, samples)], [{"kernel_size": 2, "output_size": 1}]),
        )
        rows += [
            Row(op, (real, _samples), (*drawn, *none), _fractional(count, largest), call=_drawn(op), differentiable=(0,)),
            Row(op, (tied, _samples), drawn, _fractional(count, place_of_largest, np.int64), call=_indices(op),
                differentiable=(), result="int64", name=f"{op}_indices"),
        ]  # fmt: skip
    return tuple(rows)


ROWS = _rows()
