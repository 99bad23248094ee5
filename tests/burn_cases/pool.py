"""Pooling and resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner.nn import functional as F
from burn_cases._case import Case, ramp

LINE = [
    [0.5388, 0.0676, 0.7122, 0.8316, 0.0653, 0.9154, 0.1536, 0.9089, 0.8016, 0.7518, 0.2073, 0.0501, 0.8811]
    + [0.5604, 0.5075, 0.4384, 0.9963, 0.9698, 0.4988, 0.2609, 0.3391, 0.2230, 0.4610, 0.5365, 0.6880]
]
SQUARE = [
    [
        [0.2479, 0.6386, 0.3166, 0.5742],
        [0.7065, 0.1940, 0.6305, 0.8959],
        [0.5416, 0.8602, 0.8129, 0.1662],
        [0.3358, 0.3059, 0.8293, 0.0990],
    ]
]
CORNER = [[[[[1, 2], [3, 4]], [[5, 6], [7, 10]]]]]
PEAK = np.where(np.arange(27) == 13, 100.0, 0.0).reshape(1, 1, 3, 3, 3)
THIRD = 1 / 3


def max1d(name: str, grad: list[int], line: Any = LINE, **options: Any) -> Case:
    """Return a case of a window of four."""
    return Case(f"max_pool1d, {name}", lambda x: F.max_pool1d(x, 4, 1, **options), ([line],), (grad,))


def max2d(name: str, grad: Any, kernel: Any, image: Any = SQUARE, stride: Any = 1, **options: Any) -> Case:
    """Return a case of one image."""
    return Case(
        f"max_pool2d, {name}", lambda x: F.max_pool2d(x, kernel, stride, **options), ([image],), (grad,)
    )


def avg(
    name: str, shape: tuple[int, ...], grad: Any, kernel: Any, stride: Any, padding: Any = 0, **options: Any
) -> Case:
    """Return a case of a ramp."""
    rank = len(shape) - 2
    function = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}[rank]
    return Case(
        f"avg_pool{rank}d, {name}",
        lambda x: function(x, kernel, stride, padding, **options),
        (ramp(*shape),),
        (grad,),
    )


def last(
    name: str, width: int, kernel: int, padding: int, weights: list[int], grad: list[int], counted: bool
) -> Case:
    """Return a case of a row whose last window may overhang."""
    options = {"ceil_mode": True, "count_include_pad": counted}
    return Case(
        f"avg_pool2d over the end, {name}, {'with' if counted else 'without'} the padding",
        lambda x, w: F.avg_pool2d(x, (1, kernel), (1, kernel), (0, padding), **options) * w,
        ([[[[1] * width]]], [[[weights]]]),
        (grad, None),
    )


def adaptive(shape: tuple[int, ...], size: Any, grad: Any) -> Case:
    """Return a case of a ramp."""
    rank = len(shape) - 2
    function = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}[rank]
    return Case(
        f"adaptive_avg_pool{rank}d, {shape} to {size}", lambda x: function(x, size), (ramp(*shape),), (grad,)
    )


CASES = [
    max1d("simple", [1, 1, 0, 0, 0, 1], line=[[0.9861, 0.5474, 0.4477, 0.0732, 0.3548, 0.8221]]),
    max1d(
        "dilation", [0, 0, 1, 0, 0, 3, 0, 1, 2, 1, 0, 0, 2, 0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 1], dilation=2
    ),
    max1d("long", [0, 0, 0, 2, 0, 4, 0, 2, 1, 0, 0, 0, 4, 0, 0, 0, 4, 1, 1, 0, 0, 0, 1, 1, 1]),
    max1d("padding", [1, 0, 1, 2, 0, 4, 0, 2, 1, 0, 0, 0, 4, 0, 0, 0, 4, 1, 1, 0, 0, 0, 1, 1, 3], padding=2),
    max2d("three by three", [[0, 0, 0, 0], [0, 0, 0, 2], [0, 2, 0, 0], [0, 0, 0, 0]], 3),
    max2d("padding", [[1, 3, 0, 2], [3, 0, 0, 4], [1, 4, 0, 1], [2, 0, 3, 1]], 2, padding=1),
    max2d("dilation", [[0, 0, 0, 0], [1, 1, 1, 2], [0, 4, 4, 0], [0, 1, 2, 0]], 2, padding=1, dilation=2),
    max2d(
        "unequal options",
        [[0, 0, 0, 3, 0], [4, 0, 2, 1, 0], [0, 0, 0, 0, 0], [2, 4, 0, 0, 0], [0, 0, 0, 0, 2]],
        (4, 2),
        image=np.reshape(LINE, (1, 5, 5)),
        stride=(1, 2),
        padding=(2, 1),
    ),
    max2d(
        "ceil_mode",
        [[0] * 6, [0] * 6, [0, 0, 1, 0, 1, 1], [0] * 6, [0, 0, 1, 0, 1, 1], [0, 0, 1, 0, 1, 1]],
        3,
        image=ramp(1, 6, 6) + 1,
        stride=2,
        ceil_mode=True,
    ),
    Case(
        "max_pool3d, one window",
        lambda x: F.max_pool3d(x, 2, 1),
        (CORNER,),
        ([[[0, 0], [0, 0]], [[0, 0], [0, 1]]],),
    ),
    Case(
        "max_pool3d, with its indices",
        lambda x: F.max_pool3d(x, 2, 1, return_indices=True)[0],
        (CORNER,),
        ([[[0, 0], [0, 0]], [[0, 0], [0, 1]]],),
    ),
    Case("max_pool3d, one peak in all windows", lambda x: F.max_pool3d(x, 2, 1), (PEAK,), (PEAK / 12.5,)),
    Case(
        "max_pool3d, every element alone",
        lambda x, w: F.max_pool3d(x, 2, 2, 1) * w,
        (ramp(2, 2, 2, 2, 2) + 1, ramp(2, 2, 2, 2, 2) + 101),
        (ramp(2, 2, 2, 2, 2) + 101, None),
    ),
    avg("simple", (1, 1, 6), [THIRD, 2 * THIRD, 1, 1, 2 * THIRD, THIRD], 3, 1),
    avg("padding", (1, 2, 6), [THIRD, 2 * THIRD, THIRD, 2 * THIRD, THIRD, THIRD], 3, 2, 1),
    avg(
        "padding not counted",
        (1, 2, 6),
        [0.5, 2.5 * THIRD, THIRD, 2 * THIRD, THIRD, THIRD],
        3,
        2,
        1,
        count_include_pad=False,
    ),
    avg("simple", (1, 1, 6, 6), np.outer([1, 2, 3, 3, 2, 1], [1, 2, 3, 3, 2, 1]) / 9, 3, 1),
    avg("unequal options", (1, 1, 4, 6), [[THIRD], [0.5], [0.5], [THIRD]], (3, 4), (1, 2), (1, 2)),
    avg(
        "padding not counted",
        (1, 1, 4, 6),
        [
            [a, a, b, b, a, a]
            for a, b in (
                (0.625, 1.25 * THIRD),
                (0.875, 1.75 * THIRD),
                (0.875, 1.75 * THIRD),
                (0.625, 1.25 * THIRD),
            )
        ],
        (3, 4),
        (1, 2),
        (1, 2),
        count_include_pad=False,
    ),
    *(last("a half window", 5, 2, 0, [2, 4, 8], [1, 1, 2, 2, 8], counted) for counted in (True, False)),
    last("padding at both ends", 3, 3, 1, [6, 8], [2, 2, 4], True),
    last("padding at both ends", 3, 3, 1, [6, 8], [3, 3, 8], False),
    last("no window in the padding", 5, 2, 1, [2, 4, 8], [1, 2, 2, 4, 4], True),
    last("no window in the padding", 5, 2, 1, [2, 4, 8], [2, 2, 2, 4, 4], False),
    last("a window of all", 1, 4, 1, [6], [2], True),
    last("a window of all", 1, 4, 1, [6], [6], False),
    avg("one window", (1, 1, 2, 2, 2), 0.125, 2, 1),
    avg("every element alone", (1, 1, 2, 2, 2), 1, 2, 2, 1, count_include_pad=False),
    adaptive((1, 2, 5), 3, [0.5, 2.5 * THIRD, THIRD, 2.5 * THIRD, 0.5]),
    adaptive((1, 2, 5, 3), (3, 2), np.outer([0.5, 2.5 * THIRD, THIRD, 2.5 * THIRD, 0.5], [0.5, 1, 0.5])),
    adaptive((1, 1, 2, 2, 2), 1, 0.125),
    adaptive((1, 2, 2, 2, 2), 1, 0.125),
    adaptive((1, 1, 4, 4, 4), 1, 1 / 64),
    adaptive(
        (1, 1, 2, 3, 4),
        (1, 2, 3),
        [[0.125, 0.25, 0.25, 0.125], [0.25, 0.5, 0.5, 0.25], [0.125, 0.25, 0.25, 0.125]],
    ),
    adaptive((1, 1, 4, 6, 8), (2, 3, 4), 0.125),
    Case(
        "nearest, larger",
        lambda x: F.interpolate(x, (8, 7)),
        (ramp(2, 1, 7, 5),),
        (np.outer([2, 1, 1, 1, 1, 1, 1], [2, 1, 2, 1, 1]),),
    ),
    Case(
        "nearest, smaller",
        lambda x: F.interpolate(x, (4, 6)),
        (ramp(1, 1, 8, 8),),
        (np.outer([1, 0, 1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 1, 1, 1, 0]),),
    ),
]
