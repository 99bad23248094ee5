"""Rows of the pooling ops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ops._row import Array, Row, ones_of, real
from ops.conv import two


def _windows(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> list[range]:
    """Return the places of the taps of each window along an axis."""
    span = dilation * (kernel - 1) + 1
    room = (size + 2 * padding - span) / stride
    count = (math.ceil(room) if ceil_mode else math.floor(room)) + 1
    starts = [i * stride - padding for i in range(count)]
    return [range(s, s + span, dilation) for s in starts if not ceil_mode or s < size]


def _pool(
    x: Array, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, reduce: Any
) -> Any:
    if x.ndim == 3:
        return _pool(x[None], kernel_size, stride, padding, dilation, ceil_mode, reduce)[0]
    steps = kernel_size if stride is None else stride
    rows, columns = (
        _windows(
            x.shape[2 + i], two(kernel_size)[i], two(steps)[i], two(padding)[i], two(dilation)[i], ceil_mode
        )
        for i in (0, 1)
    )
    out = np.empty((*x.shape[:2], len(rows), len(columns)))
    for i, j in np.ndindex(len(rows), len(columns)):
        taps = [(r, c) for r in rows[i] for c in columns[j]]
        out[:, :, i, j] = reduce(x, taps)
    return out


def _max(
    x: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:  # fmt: skip
    def reduce(x: Array, taps: Any) -> Any:
        met = [x[:, :, r, c] for r, c in taps if 0 <= r < x.shape[2] and 0 <= c < x.shape[3]]
        return np.array(met).max(axis=0)

    return _pool(x, kernel_size, stride, padding, dilation, ceil_mode, reduce)


def _avg(
    x: Array,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    def reduce(x: Array, taps: Any) -> Any:
        (h, w), (ph, pw) = x.shape[2:], two(padding)
        met = [x[:, :, r, c] for r, c in taps if 0 <= r < h and 0 <= c < w]
        if not count_include_pad:
            ph = pw = 0
        divisor = sum(-ph <= r < h + ph and -pw <= c < w + pw for r, c in taps)
        return np.sum(met, axis=0) / divisor

    return _pool(x, kernel_size, stride, padding, 1, ceil_mode, reduce)


COMMON: tuple[dict[str, Any], ...] = (
    {"kernel_size": 2},
    {"kernel_size": (3, 2), "stride": 1},
    {"kernel_size": 3, "stride": (2, 1), "padding": 1},
    {"kernel_size": (2, 3), "padding": (1, 0), "ceil_mode": True},
    {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
    {"kernel_size": 2, "stride": 3, "ceil_mode": True},
    {"kernel_size": 1},
    {"kernel_size": 1, "stride": 2},
)
SHAPES = ((2, 3, 5, 6), (3, 7, 4))

ROWS = (
    Row(
        "max_pool2d",
        (real,),
        (
            *ones_of(SHAPES, COMMON),
            *ones_of(
                [(2, 2, 6, 7)],
                [
                    {"kernel_size": 2, "dilation": 3},
                    {"kernel_size": 3, "stride": 1, "padding": 1, "dilation": (1, 2)},
                ],
            ),
            *ones_of([(1, 1, 17, 18)], [{"kernel_size": 17}]),
            *ones_of([(0, 2, 4, 4), (2, 0, 4, 4)], [{"kernel_size": 2}]),
        ),
        _max,
    ),
    Row(
        "avg_pool2d",
        (real,),
        (
            *ones_of(SHAPES, COMMON),
            *ones_of(SHAPES, [{**options, "count_include_pad": False} for options in COMMON[2:5]]),
            *ones_of([(0, 2, 4, 4), (2, 0, 4, 4)], [{"kernel_size": 2}]),
        ),
        _avg,
        exact=False,
    ),
)
