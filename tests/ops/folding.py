"""Rows of unfold and fold, and of the shuffles of channels and pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner.nn import functional
from ops._row import Array, Row, ones_of, real
from ops.conv import each


def _windows(
    size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[Array, tuple[int, ...]]:
    """Return which place of the padded image each column and tap meets, ``[taps, windows]``, and its size."""
    kernel, gaps, frame, steps = (each(v, 2) for v in (kernel_size, dilation, padding, stride))
    padded = tuple(n + 2 * p for n, p in zip(size, frame, strict=True))
    starts = [range(0, n - d * (k - 1), s) for n, d, k, s in zip(padded, gaps, kernel, steps, strict=True)]
    places = [
        [(top + i * gaps[0]) * padded[1] + left + j * gaps[1] for top in starts[0] for left in starts[1]]
        for i, j in np.ndindex(*kernel)
    ]
    return np.array(places), padded


def _unfold(x: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    if x.ndim == 3:
        return _unfold(x[None], kernel_size, dilation, padding, stride)[0]
    places, _ = _windows(x.shape[2:], kernel_size, dilation, padding, stride)
    (ph, pw), (n, c) = each(padding, 2), x.shape[:2]
    padded = np.pad(x, [(0, 0), (0, 0), (ph, ph), (pw, pw)])
    flat = padded.reshape(n, c, padded.shape[2] * padded.shape[3])
    return flat[:, :, places].reshape(n, c * len(places), places.shape[1])


def _fold(
    x: Array, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    if x.ndim == 2:
        return _fold(x[None], output_size, kernel_size, dilation, padding, stride)[0]
    (h, w), (ph, pw) = each(output_size, 2), each(padding, 2)
    places, padded = _windows((h, w), kernel_size, dilation, padding, stride)
    n, channels = len(x), x.shape[1] // len(places)
    flat = np.zeros((n, channels, padded[0] * padded[1]))
    np.add.at(flat, (slice(None), slice(None), places), x.reshape(n, channels, *places.shape))
    return flat.reshape(n, channels, *padded)[:, :, ph : ph + h, pw : pw + w]


def _pixel_shuffle(x: Array, upscale_factor: int) -> Any:
    r = upscale_factor
    *before, channels, h, w = x.shape
    out = np.zeros((*before, channels // r**2, h * r, w * r))
    for i, j in np.ndindex(r, r):
        out[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
    return out


def _pixel_unshuffle(x: Array, downscale_factor: int) -> Any:
    r = downscale_factor
    *before, channels, h, w = x.shape
    out = np.zeros((*before, channels * r * r, h // r, w // r))
    for i, j in np.ndindex(r, r):
        out[..., i * r + j :: r * r, :, :] = x[..., i::r, j::r]
    return out


def _channel_shuffle(x: Array, groups: int) -> Any:
    return x[:, np.arange(x.shape[1]).reshape(groups, -1).T.ravel()]


UNFOLD: tuple[Any, ...] = (
    (((2, 2, 4, 5),), {"kernel_size": 2}),
    (((1, 2, 5, 6),), {"kernel_size": (3, 2), "dilation": (1, 2), "padding": (1, 0), "stride": (2, 3)}),
    (((2, 4, 3),), {"kernel_size": (2, 3), "padding": 2, "stride": 2}),
    (((1, 1, 3, 3),), {"kernel_size": 1, "stride": 4}),
    (((0, 2, 4, 4),), {"kernel_size": 2}),
)

FOLD: tuple[Any, ...] = (
    (((2, 8, 12),), {"output_size": (4, 5), "kernel_size": 2}),
    (
        ((1, 12, 6),),
        {
            "output_size": (5, 6),
            "kernel_size": (3, 2),
            "dilation": (1, 2),
            "padding": (1, 0),
            "stride": (2, 2),
        },
    ),
    (((6, 9),), {"output_size": 4, "kernel_size": (2, 3), "padding": (1, 2), "stride": 2}),
    (((1, 2, 1),), {"output_size": 3, "kernel_size": 1, "stride": 4}),
    (((0, 8, 9),), {"output_size": (4, 4), "kernel_size": 2}),
    (((2, 0, 9),), {"output_size": (4, 4), "kernel_size": 2}),
)

ROWS = (
    Row(
        "unfold", (real,), UNFOLD, _unfold, call=functional.unfold
    ),  # the method is another's: sliding windows
    Row("fold", (real,), FOLD, _fold),
    Row(
        "pixel_shuffle",
        (real,),
        ones_of([(2, 8, 3, 2), (4, 2, 3), (2, 1, 4, 1, 2), (2, 0, 2, 2)], [{"upscale_factor": 2}]),
        _pixel_shuffle,
    ),
    Row(
        "pixel_unshuffle",
        (real,),
        ones_of([(2, 2, 6, 3), (1, 3, 3), (1, 2, 1, 3, 6), (0, 2, 3, 3)], [{"downscale_factor": 3}]),
        _pixel_unshuffle,
    ),
    Row(
        "channel_shuffle",
        (real,),
        ones_of([(2, 6, 2, 2), (1, 6, 3), (0, 6, 1)], [{"groups": 2}, {"groups": 3}]),
        _channel_shuffle,
    ),
)
