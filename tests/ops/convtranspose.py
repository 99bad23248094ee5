"""Rows of the transposed convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops._row import Array, Row, real
from ops.conv import each


def spread(
    x: Array, weight: Array, bias: Array | None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """Add each input times its kernel to where it stands, then cut off the padding."""
    axes = weight.ndim - 2
    if x.ndim == axes + 1:
        return spread(x[None], weight, bias, stride, padding, output_padding, groups, dilation)[0]
    steps, gaps = each(stride, axes), each(dilation, axes)
    c, outputs, *kernel = weight.shape
    spans = [d * (k - 1) + 1 for d, k in zip(gaps, kernel, strict=True)]
    more, sides = each(output_padding, axes), each(padding, axes)
    whole = [(n - 1) * s + span + m for n, s, span, m in zip(x.shape[2:], steps, spans, more, strict=True)]
    out = np.zeros((x.shape[0], groups * outputs, *whole))
    for channel, *place in np.ndindex(c, *x.shape[2:]):
        first = channel // (c // groups) * outputs
        starts = [i * s for i, s in zip(place, steps, strict=True)]
        at = [slice(i, i + span, d) for i, span, d in zip(starts, spans, gaps, strict=True)]
        value = x[(slice(None), channel, *place)].reshape(-1, 1, *(1,) * axes)
        out[(slice(None), slice(first, first + outputs), *at)] += value * weight[channel]
    out = out[(..., *(slice(p, n - p) for p, n in zip(sides, whole, strict=True)))]
    return out if bias is None else out + bias.reshape(-1, *(1,) * axes)


SIGNALS: tuple[Any, ...] = (
    (((2, 3, 4), (3, 2, 3), (2,)), {"stride": 2, "padding": 1, "output_padding": 1}),
    (((2, 4, 3), (4, 3, 2), None), {"groups": 2, "stride": (3,), "dilation": (2,)}),
    (((2, 5), (2, 3, 3), (3,)), {"padding": (2,)}),
    (((1, 2, 3), (2, 2, 3), None), {"stride": 2}),
    (((1, 1, 2), (1, 1, 3), None), {"stride": 4, "output_padding": 3}),
    (((0, 2, 3), (2, 2, 3), (2,)), {}),
    (((2, 0, 3), (0, 2, 3), (2,)), {}),
)

IMAGES: tuple[Any, ...] = (
    (((2, 3, 3, 4), (3, 2, 3, 2), (2,)), {}),
    (((1, 2, 3, 2), (2, 3, 4, 4), (3,)), {"stride": 2, "padding": 1}),
    (((2, 2, 3, 3), (2, 2, 2, 3), None), {"stride": (3, 2), "padding": (0, 1), "output_padding": (2, 1)}),
    (((2, 4, 3, 3), (4, 3, 2, 2), (6,)), {"stride": 2, "groups": 2}),
    (((1, 3, 3, 4), (3, 1, 3, 3), (3,)), {"stride": 2, "padding": 1, "output_padding": 1, "groups": 3}),
    (((1, 2, 3, 3), (2, 2, 2, 3), (2,)), {"dilation": (3, 2), "padding": (1, 0), "output_padding": (2, 1)}),
    (((1, 2, 4, 4), (2, 1, 1, 2), None), {"padding": (1, 2)}),
    (((2, 3, 3, 3), (3, 4, 1, 1), (4,)), {}),
    (((2, 3, 3), (2, 3, 2, 2), (3,)), {"stride": 2}),
    (((0, 2, 3, 3), (2, 2, 3, 3), (2,)), {"stride": 2}),
    (((2, 0, 3, 3), (0, 2, 3, 3), (2,)), {}),
    (((1, 2, 3, 3), (2, 0, 3, 3), (0,)), {}),
)

VOLUMES: tuple[Any, ...] = (
    (((2, 2, 2, 3, 2), (2, 3, 2, 3, 2), (3,)), {"padding": (1, 1, 0)}),
    (
        ((1, 2, 3, 2, 2), (2, 2, 2, 3, 2), None),
        {"stride": (3, 2, 1), "padding": (1, 1, 0), "output_padding": (1, 0, 1), "dilation": (1, 1, 2)},
    ),
    (((1, 4, 2, 2, 3), (4, 1, 3, 2, 2), (2,)), {"groups": 2, "stride": 2, "dilation": (2, 1, 1)}),
    (((2, 2, 2, 3), (2, 1, 2, 2, 2), (1,)), {"stride": 2, "output_padding": 1}),
    (((0, 2, 2, 2, 2), (2, 2, 2, 2, 2), (2,)), {}),
)

ROWS = (
    Row("conv_transpose1d", (real, real, real), SIGNALS, spread, exact=False),
    Row("conv_transpose2d", (real, real, real), IMAGES, spread, exact=False),
    Row("conv_transpose3d", (real, real, real), VOLUMES, spread, exact=False),
)
