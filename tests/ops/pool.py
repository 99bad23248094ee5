"""Rows of average and power-average pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ops._pooling import PARTS, Places, adaptive, each, pooled, regular
from ops._row import Array, Row, away_from_zero, ones_of, positive, real


def _mean(count: int) -> Callable[..., Any]:
    def reference(
        x: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Any:  # fmt: skip
        space = x.shape[x.ndim - count :]
        frame = each(padding if count_include_pad else 0, count)

        def mean(x: Array, taps: Places, inside: list[int]) -> Any:
            counted = [
                t for t in taps if all(-p <= i < n + p for i, n, p in zip(t, space, frame, strict=True))
            ]
            return x[..., inside].sum(axis=-1) / (divisor_override or len(counted))

        window = (kernel_size, stride, padding, 1, ceil_mode)
        return pooled(x, count, lambda space: regular(space, *window), mean)

    return reference


def _power(count: int) -> Callable[..., Any]:
    def reference(
        x: Array, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Any:
        taps_of_all = math.prod(each(kernel_size, count))

        def norm(x: Array, taps: Places, inside: list[int]) -> Any:
            met = x[..., inside]
            if math.isinf(norm_type):
                return np.abs(met).max(axis=-1) if norm_type > 0 else np.abs(met).min(axis=-1)
            return (np.power(met, norm_type).mean(axis=-1) * taps_of_all) ** (1 / norm_type)

        window = (kernel_size, stride, 0, 1, ceil_mode)
        return pooled(x, count, lambda space: regular(space, *window), norm)

    return reference


COMMON: tuple[dict[str, Any], ...] = (
    {"kernel_size": 2},
    {"kernel_size": (3, 2), "stride": 1},
    {"kernel_size": 3, "stride": (2, 1), "padding": 1},
    {"kernel_size": (2, 3), "padding": (1, 0), "ceil_mode": True},
    {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
    {"kernel_size": 2, "stride": 3, "ceil_mode": True},
    {"kernel_size": 1, "stride": 2},
)
SHAPES = ((2, 3, 5, 6), (3, 7, 4))
LINES = (
    *ones_of([(2, 1, 7)], [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}]),
    *ones_of([(2, 6)], [{"kernel_size": 4, "stride": 3, "padding": 2, "ceil_mode": True, "count_include_pad": False}]),
)  # fmt: skip
IMAGES = (
    *ones_of(SHAPES, COMMON),
    *ones_of(SHAPES[1:], [{**options, "count_include_pad": False} for options in COMMON[2:5]]),
    *ones_of([(2, 5, 5)], [{**COMMON[4], "divisor_override": 7}, {"kernel_size": 2, "divisor_override": -1}]),
    *ones_of([(2, 1, 4, 3)], [{"kernel_size": (4, 3)}, {"kernel_size": 1}]),
)
VOLUMES = (
    *ones_of([(2, 1, 3, 4, 5)], [{"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}]),
    *ones_of([(2, 3, 4, 3)], [
        {"kernel_size": (2, 3, 1), "stride": (1, 2, 2), "padding": (1, 1, 0), "count_include_pad": False},
        {"kernel_size": 2, "stride": 2, "padding": 1, "ceil_mode": True, "divisor_override": 3},
    ]),
)  # fmt: skip
NONE = {1: (0, 2, 4), 2: (2, 0, 4, 4), 3: (0, 1, 2, 2, 4)}
POWERS: tuple[dict[str, Any], ...] = (
    {"norm_type": 2, "kernel_size": 2},
    {"norm_type": 2.0, "kernel_size": 3, "stride": 2, "ceil_mode": True},
    {"norm_type": 1, "kernel_size": 2, "stride": 1},
    {"norm_type": math.inf, "kernel_size": 2},
    {"norm_type": -math.inf, "kernel_size": 2, "stride": 1},
)
ROOTS: tuple[dict[str, Any], ...] = (
    {"norm_type": 3, "kernel_size": 2},
    {"norm_type": 4, "kernel_size": 2, "stride": 1},
    {"norm_type": 1.5, "kernel_size": 2, "stride": 1},
    {"norm_type": -1, "kernel_size": 2},
)
SMALL: dict[int, list[tuple[int, ...]]] = {1: [(2, 1, 7)], 2: [(2, 4, 5)], 3: [(1, 2, 3, 3, 4)]}

ROWS = (
    *(
        Row(
            f"avg_pool{count}d",
            (real,),
            (*usual, *ones_of([NONE[count]], [{"kernel_size": 2}])),
            _mean(count),
            exact=False,
        )
        for count, usual in ((1, LINES), (2, IMAGES), (3, VOLUMES))
    ),
    *(
        Row(
            f"adaptive_avg_pool{count}d",
            (real,),
            (*PARTS[count], *ones_of([NONE[count]], [{"output_size": 3}])),
            adaptive(count, lambda x, taps, inside: x[..., inside].mean(axis=-1)),
            exact=False,
        )
        for count in (1, 2, 3)
    ),
    *(
        Row(
            f"lp_pool{count}d",
            (away_from_zero,),
            (*ones_of(SMALL[count], POWERS), *ones_of([NONE[count]], POWERS[:1])),
            _power(count),
            exact=False,
        )
        for count in (1, 2, 3)
    ),
    *(
        Row(
            f"lp_pool{count}d",
            (positive,),
            ones_of(SMALL[count], ROOTS),
            _power(count),
            exact=False,
            name=f"lp_pool{count}d_of_positive",
        )
        for count in (1, 2, 3)
    ),
)
