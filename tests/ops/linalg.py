"""Rows of the matrix products."""

from __future__ import annotations

from typing import Any

from ops._row import Array, Row, real, sweep


def _matmul(x: Array, y: Array) -> Any:
    """Multiply row by column, over broadcast batches, in float64 sums of elementwise products."""
    row, column = x.ndim == 1, y.ndim == 1
    x, y = (x[None] if row else x), (y[:, None] if column else y)
    out = (x[..., :, :, None] * y[..., None, :, :]).sum(axis=-2)
    if row:
        out = out[..., 0, :]
    return out[..., 0] if column else out


def _linear(x: Array, weight: Array, bias: Array | None) -> Any:
    out = (x[..., None, :] * weight).sum(axis=-1)
    return out if bias is None else out + bias


ROWS = (
    Row(
        "matmul",
        (real, real),
        sweep(
            [
                ((2, 3), (3, 4)),
                ((3,), (3,)),
                ((3,), (3, 4)),
                ((2, 3), (3,)),
                ((3,), (5, 3, 2)),
                ((5, 2, 3), (3,)),
                ((5, 2, 3), (3, 4)),
                ((2, 3), (5, 3, 2)),
                ((5, 2, 3), (5, 3, 2)),
                ((2, 1, 2, 3), (4, 3, 2)),
                ((33, 17), (17, 20)),
                ((0, 3), (3, 2)),
                ((2, 0), (0, 3)),
                ((4, 0, 3), (3, 2)),
                ((0,), (0,)),
            ]
        ),
        _matmul,
        exact=False,
    ),
    Row(
        "linear",
        (real, real, real),
        sweep(
            [
                ((4, 3), (2, 3), (2,)),
                ((4, 3), (2, 3), None),
                ((3,), (2, 3), (2,)),
                ((2, 5, 3), (4, 3), (4,)),
                ((2, 5, 3), (4, 3), None),
                ((0, 3), (2, 3), (2,)),
                ((2, 0), (3, 0), (3,)),
                ((2, 3), (0, 3), (0,)),
            ]
        ),
        _linear,
        exact=False,
    ),
)
