"""Forwards of max_pool2d and avg_pool2d, and the geometry of pooling, which the rules share.

A window is a rectangle, so the forwards reduce along one axis and then along the other: ``kh + kw`` passes
over whole arrays instead of ``kh * kw``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from backburner.contracts import Array, Pair


def pool2d_size(
    size: Pair,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    dilation: Pair = (1, 1),
    ceil_mode: bool = False,
) -> Pair:
    """Return how many windows an image has along its two axes."""
    oh, ow = [_size(size[i], kernel_size[i], stride[i], padding[i], dilation[i], ceil_mode) for i in (0, 1)]
    return oh, ow


def _size(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    # a window that starts in the right padding, or behind it, meets no input
    return count - 1 if (count - 1) * stride >= size + padding else count


def avg_pool2d_divisors(
    size: Pair, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool
) -> tuple[Array, Array]:
    """Return for both axes how many taps of each window count, int64; a window's divisor is their product.

    Taps in the padding count unless ``count_include_pad`` is false; taps behind it, where a window of
    ``ceil_mode`` hangs over, never do.
    """
    divisors = []
    for i, windows in enumerate(pool2d_size(size, kernel_size, stride, padding, (1, 1), ceil_mode)):
        low, high = (-padding[i], size[i] + padding[i]) if count_include_pad else (0, size[i])
        starts = np.arange(windows) * stride[i] - padding[i]
        divisors.append(np.minimum(starts + kernel_size[i], high) - np.maximum(starts, low))
    return divisors[0], divisors[1]


def max_pool2d(
    x: Array, /, *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool
) -> Array:
    """Return the largest element of each window, NaN if there is one; padding is the dtype's lowest value."""
    oh, ow = pool2d_size(_plane(x), kernel_size, stride, padding, dilation, ceil_mode)
    lowest = _lowest(x.dtype)
    y = _reduce(np.maximum, lowest, x, 2, oh, kernel_size[0], stride[0], padding[0], dilation[0])
    return _reduce(np.maximum, lowest, y, 3, ow, kernel_size[1], stride[1], padding[1], dilation[1])


@np.errstate(all="ignore")
def avg_pool2d(
    x: Array, /,
    *, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool,
) -> Array:  # fmt: skip
    """Return the mean of each window."""
    oh, ow = pool2d_size(_plane(x), kernel_size, stride, padding, (1, 1), ceil_mode)
    y = _reduce(np.add, 0, x, 2, oh, kernel_size[0], stride[0], padding[0], 1)
    y = _reduce(np.add, 0, y, 3, ow, kernel_size[1], stride[1], padding[1], 1)
    rows, columns = avg_pool2d_divisors(_plane(x), kernel_size, stride, padding, ceil_mode, count_include_pad)
    y /= np.multiply.outer(rows, columns).astype(x.dtype)
    return y


def _plane(x: Array) -> Pair:
    return x.shape[2], x.shape[3]


def _lowest(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return -np.inf
    return False if dtype.kind == "b" else np.iinfo(dtype).min


def _meeting(size: int, windows: int, kernel: int, stride: int, padding: int, dilation: int) -> Iterable[int]:
    """Return the taps that may meet the input along an axis: of a kernel far larger than it, few do."""
    if kernel <= windows:
        return range(kernel)
    taps: list[int] = []
    behind = 0
    for i in reversed(range(windows)):  # from the last window, which meets the input with its first taps
        start = padding - i * stride
        first = max(behind, -(-start // dilation))
        behind = max(first, min(kernel, (start + size - 1) // dilation + 1))
        taps.extend(range(first, behind))
    return taps


def _reduce(
    ufunc: np.ufunc, neutral: Any, x: Array, axis: int, windows: int, kernel: int, stride: int, padding: int, dilation: int
) -> Array:  # fmt: skip
    """Reduce the windows along one axis, tap by tap, each over the windows in which it meets the input.

    Returns:
        A new array, even where windows of one tap leave ``x`` as it is.
    """
    size = x.shape[axis]
    taps = []
    for t in _meeting(size, windows, kernel, stride, padding, dilation):
        offset = t * dilation - padding
        first = max(0, -(offset // stride))
        last = min(windows, (size - 1 - offset) // stride + 1)
        if first < last:
            start = first * stride + offset
            met = slice(start, start + (last - first - 1) * stride + 1, stride)
            taps.append((first, last, x[(slice(None),) * axis + (met,)]))
    # A tap that every window meets makes the result; where none is, there must be something to begin with.
    whole = next((i for i, (first, last, _) in enumerate(taps) if last - first == windows), None)
    if whole is None:
        out = np.full(x.shape[:axis] + (windows,) + x.shape[axis + 1 :], neutral, x.dtype)
    else:
        out = np.array(taps.pop(whole)[2], order="C")
    for first, last, met_by in taps:
        part = out[(slice(None),) * axis + (slice(first, last),)]
        ufunc(part, met_by, out=part)
    return out
