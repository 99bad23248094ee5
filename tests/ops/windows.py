"""Rows of the windows that slide along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops._row import Array, Row, ones_of, real


def _windows(x: Array, axis: int, size: int, step: int = 1) -> Any:
    starts = range(0, x.shape[axis] - size + 1, step)
    parts = [np.moveaxis(np.take(x, range(start, start + size), axis), axis, -1) for start in starts]
    return np.stack(parts, axis % x.ndim)


ROWS = (
    Row(
        "sliding_windows",
        (real,),
        (
            *ones_of(
                [(7,)], [{"axis": 0, "size": 3}, {"axis": -1, "size": 2, "step": 3}, {"axis": 0, "size": 7}]
            ),
            *ones_of(
                [(2, 5, 3)],
                [{"axis": 1, "size": 2, "step": 2}, {"axis": 0, "size": 1}, {"axis": -2, "size": 4}],
            ),
            *ones_of([(3,)], [{"axis": 0, "size": 0}, {"axis": 0, "size": 1, "step": 9}]),
            *ones_of([(0, 3)], [{"axis": 1, "size": 2}, {"axis": 0, "size": 0}]),
        ),
        _windows,
    ),
)
