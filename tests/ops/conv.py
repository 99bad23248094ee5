"""Rows of the convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops._row import Array, Row, real


def two(value: Any) -> tuple[int, int]:
    """Return an option for height and width."""
    return (value, value) if isinstance(value, int) else tuple(value)


def each(value: Any, axes: int) -> tuple[int, ...]:
    """Return an option for every axis."""
    return (value,) * axes if isinstance(value, int) else tuple(value) * (axes // len(value))


def convolve(
    x: Array, weight: Array, bias: Array | None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:  # fmt: skip
    """Slide each kernel over signals, images or volumes, window by window."""
    axes = weight.ndim - 2
    if x.ndim == axes + 1:
        return convolve(x[None], weight, bias, stride, padding, dilation, groups)[0]
    steps, gaps = each(stride, axes), each(dilation, axes)
    o, depth, *kernel = weight.shape
    if padding == "same":
        totals = [d * (k - 1) for d, k in zip(gaps, kernel, strict=True)]
        sides = [(total // 2, total - total // 2) for total in totals]
    else:
        sides = [(p, p) for p in each(0 if padding == "valid" else padding, axes)]
    x = np.pad(x, [(0, 0), (0, 0), *sides])
    spans = [d * (k - 1) + 1 for d, k in zip(gaps, kernel, strict=True)]
    size = [(n - span) // s + 1 for n, span, s in zip(x.shape[2:], spans, steps, strict=True)]
    out = np.zeros((x.shape[0], o, *size))
    for channel, *place in np.ndindex(o, *size):
        first = channel // (o // groups) * depth
        starts = [i * s for i, s in zip(place, steps, strict=True)]
        met = [slice(i, i + span, d) for i, span, d in zip(starts, spans, gaps, strict=True)]
        window = x[(slice(None), slice(first, first + depth), *met)]
        out[(slice(None), channel, *place)] = (window * weight[channel]).sum(axis=tuple(range(1, axes + 2)))
    return out if bias is None else out + bias.reshape(o, *(1,) * axes)


IMAGES: tuple[Any, ...] = (
    (((2, 3, 5, 6), (4, 3, 3, 3), (4,)), {}),
    (((2, 3, 5, 6), (4, 3, 3, 2), None), {"padding": 1}),
    (((1, 2, 7, 8), (3, 2, 2, 3), (3,)), {"stride": (3, 2), "padding": (0, 2)}),
    (((2, 2, 9, 8), (2, 2, 3, 2), (2,)), {"stride": 2, "padding": 1, "dilation": (2, 3)}),
    (((2, 4, 5, 5), (6, 2, 3, 3), (6,)), {"padding": 1, "groups": 2}),
    (((2, 3, 6, 5), (3, 1, 3, 3), (3,)), {"padding": 1, "groups": 3}),
    (((2, 3, 6, 5), (6, 1, 2, 2), None), {"stride": 2, "groups": 3}),
    (((2, 3, 6, 7), (3, 1, 2, 3), (3,)), {"stride": (1, 2), "dilation": 2, "padding": (2, 1), "groups": 3}),
    (((2, 3, 6, 5), (3, 1, 5, 3), (3,)), {"padding": (2, 1), "groups": 3}),
    (((1, 2, 9, 5), (4, 1, 5, 2), None), {"dilation": (2, 3), "groups": 2}),
    (((2, 3, 4, 4), (5, 3, 1, 1), (5,)), {}),
    (((2, 4, 4, 4), (6, 2, 1, 1), None), {"groups": 2}),
    (((2, 3, 5, 5), (2, 3, 1, 1), (2,)), {"stride": 2}),
    (((2, 2, 4, 5), (3, 2, 2, 3), (3,)), {"padding": "same"}),
    (((2, 2, 4, 5), (3, 2, 3, 3), None), {"padding": "same", "dilation": 2}),
    (((2, 2, 4, 5), (3, 2, 2, 3), (3,)), {"padding": "valid"}),
    (((3, 5, 5), (2, 3, 3, 3), (2,)), {"padding": 1}),
    (((1, 1, 4, 4), (1, 1, 2, 2), None), {"stride": 4}),
    (((1, 2, 7, 7), (3, 2, 3, 3), (3,)), {"padding": 1}),
    (((1, 2, 15, 14), (4, 1, 2, 3), None), {"stride": 2, "padding": (0, 2), "groups": 2}),
    (((1, 1, 3, 3), (1, 1, 3, 3), (1,)), {}),
    (((0, 3, 5, 5), (2, 3, 3, 3), (2,)), {}),
    (((2, 3, 5, 5), (0, 3, 3, 3), (0,)), {}),
    (((2, 3, 5, 5), (0, 1, 3, 3), None), {"groups": 3}),
    (((2, 3, 5, 5), (0, 3, 1, 1), None), {}),
    (((2, 0, 5, 5), (2, 0, 3, 3), (2,)), {}),
)

SIGNALS: tuple[Any, ...] = (
    (((2, 3, 8), (4, 3, 3), (4,)), {"padding": 1}),
    (((1, 2, 9), (2, 2, 2), None), {"stride": (3,), "padding": (2,), "dilation": (2,)}),
    (((2, 4, 6), (6, 2, 3), (6,)), {"groups": 2, "dilation": 2, "padding": 3}),
    (((1, 3, 7), (6, 1, 3), (6,)), {"groups": 3, "stride": 2}),
    (((2, 2, 5), (3, 2, 4), (3,)), {"padding": "same"}),
    (((1, 2, 6), (1, 2, 2), None), {"padding": "same", "dilation": 3}),
    (((2, 5), (3, 2, 3), (3,)), {"padding": "valid"}),
    (((1, 1, 7), (1, 1, 2), None), {"stride": 3}),
    (((1, 1, 50), (2, 1, 3), (2,)), {"dilation": 3, "padding": 4}),
    (((2, 3, 5), (2, 3, 1), (2,)), {"stride": 2}),
    (((0, 2, 5), (3, 2, 3), (3,)), {}),
    (((2, 0, 5), (2, 0, 3), (2,)), {}),
)

VOLUMES: tuple[Any, ...] = (
    (((2, 2, 3, 4, 3), (3, 2, 2, 3, 2), (3,)), {"padding": (1, 1, 0)}),
    (
        ((1, 2, 6, 5, 4), (2, 2, 2, 2, 3), None),
        {"stride": (3, 2, 1), "padding": (1, 0, 2), "dilation": (2, 1, 2)},
    ),
    (((1, 2, 3, 3, 4), (4, 1, 2, 2, 2), (4,)), {"groups": 2, "padding": 1, "stride": 2}),
    (((2, 4, 2, 3, 3), (4, 2, 2, 1, 1), (4,)), {"groups": 2}),
    (((1, 2, 3, 2, 3), (2, 2, 2, 3, 2), (2,)), {"padding": "same"}),
    (((2, 3, 3, 4), (2, 2, 1, 2, 3), None), {"padding": "valid"}),
    (((1, 2, 4, 4, 4), (2, 2, 1, 1, 1), (2,)), {"stride": 2}),
    (((1, 1, 2, 2, 2), (1, 1, 1, 1, 1), None), {"padding": (3, 0, 1), "stride": (4, 1, 2)}),
    (((0, 2, 3, 3, 3), (2, 2, 2, 2, 2), (2,)), {}),
    (((1, 0, 2, 2, 2), (2, 0, 2, 2, 2), (2,)), {}),
    (((1, 2, 2, 2, 2), (0, 1, 2, 2, 2), None), {"groups": 2}),
)

ROWS = (
    Row("conv1d", (real, real, real), SIGNALS, convolve, exact=False),
    Row("conv2d", (real, real, real), IMAGES, convolve, exact=False),
    Row("conv3d", (real, real, real), VOLUMES, convolve, exact=False),
)
