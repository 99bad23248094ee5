"""Rows of the convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops._row import Array, Row, real


def two(value: Any) -> tuple[int, int]:
    """Return an option for height and width."""
    return (value, value) if isinstance(value, int) else tuple(value)


def _conv2d(
    x: Array, weight: Array, bias: Array | None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:  # fmt: skip
    """Slide each kernel over the images, window by window."""
    if x.ndim == 3:
        return _conv2d(x[None], weight, bias, stride, padding, dilation, groups)[0]
    (sh, sw), (dh, dw) = two(stride), two(dilation)
    o, depth, kh, kw = weight.shape
    if padding == "same":
        totals = [d * (k - 1) for d, k in ((dh, kh), (dw, kw))]
        sides = [(total // 2, total - total // 2) for total in totals]
    else:
        sides = [(p, p) for p in two(0 if padding == "valid" else padding)]
    x = np.pad(x, [(0, 0), (0, 0), *sides])
    oh = (x.shape[2] - dh * (kh - 1) - 1) // sh + 1
    ow = (x.shape[3] - dw * (kw - 1) - 1) // sw + 1
    out = np.zeros((x.shape[0], o, oh, ow))
    for channel, i, j in np.ndindex(o, oh, ow):
        first = channel // (o // groups) * depth
        rows, columns = (
            slice(i * sh, i * sh + dh * (kh - 1) + 1, dh),
            slice(j * sw, j * sw + dw * (kw - 1) + 1, dw),
        )
        window = x[:, first : first + depth, rows, columns]
        out[:, channel, i, j] = (window * weight[channel]).sum(axis=(1, 2, 3))
    return out if bias is None else out + bias[:, None, None]


COMBINATIONS: tuple[Any, ...] = (
    (((2, 3, 5, 6), (4, 3, 3, 3), (4,)), {}),
    (((2, 3, 5, 6), (4, 3, 3, 2), None), {"padding": 1}),
    (((1, 2, 7, 8), (3, 2, 2, 3), (3,)), {"stride": (3, 2), "padding": (0, 2)}),
    (((2, 2, 9, 8), (2, 2, 3, 2), (2,)), {"stride": 2, "padding": 1, "dilation": (2, 3)}),
    (((2, 4, 5, 5), (6, 2, 3, 3), (6,)), {"padding": 1, "groups": 2}),
    (((2, 3, 6, 5), (3, 1, 3, 3), (3,)), {"padding": 1, "groups": 3}),
    (((2, 3, 6, 5), (6, 1, 2, 2), None), {"stride": 2, "groups": 3}),
    (((2, 3, 6, 7), (3, 1, 2, 3), (3,)), {"stride": (1, 2), "dilation": 2, "padding": (2, 1), "groups": 3}),
    (((2, 3, 4, 4), (5, 3, 1, 1), (5,)), {}),
    (((2, 4, 4, 4), (6, 2, 1, 1), None), {"groups": 2}),
    (((2, 3, 5, 5), (2, 3, 1, 1), (2,)), {"stride": 2}),
    (((2, 2, 4, 5), (3, 2, 2, 3), (3,)), {"padding": "same"}),
    (((2, 2, 4, 5), (3, 2, 3, 3), None), {"padding": "same", "dilation": 2}),
    (((2, 2, 4, 5), (3, 2, 2, 3), (3,)), {"padding": "valid"}),
    (((3, 5, 5), (2, 3, 3, 3), (2,)), {"padding": 1}),
    (((1, 1, 4, 4), (1, 1, 2, 2), None), {"stride": 4}),
    (((1, 1, 3, 3), (1, 1, 3, 3), (1,)), {}),
    (((0, 3, 5, 5), (2, 3, 3, 3), (2,)), {}),
    (((2, 3, 5, 5), (0, 3, 3, 3), (0,)), {}),
    (((2, 3, 5, 5), (0, 1, 3, 3), None), {"groups": 3}),
    (((2, 3, 5, 5), (0, 3, 1, 1), None), {}),
    (((2, 0, 5, 5), (2, 0, 3, 3), (2,)), {}),
)

ROWS = (Row("conv2d", (real, real, real), COMBINATIONS, _conv2d, exact=False),)
