"""Forward of avg_pool2d, and the geometry of pooling, which the other pooling ops and the rules share.

A window is a rectangle, so the forwards reduce along one axis and then along the other: ``kh + kw`` passes
over whole arrays instead of ``kh * kw``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    size: Pair,
    kernel_size: Pair,
    stride: Pair,
    padding: Pair,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None = None,
) -> tuple[Array, Array]:
    """Return two arrays of int64, one for each axis; a window's divisor is the product of its two.

    Each holds how many taps of a window count along its axis. Taps in the padding count unless
    ``count_include_pad`` is false; taps behind it, where a window of ``ceil_mode`` hangs over, never do.
    """
    divisors = []
    for i, windows in enumerate(pool2d_size(size, kernel_size, stride, padding, (1, 1), ceil_mode)):
        low, high = (-padding[i], size[i] + padding[i]) if count_include_pad else (0, size[i])
        starts = np.arange(windows) * stride[i] - padding[i]
        divisors.append(np.minimum(starts + kernel_size[i], high) - np.maximum(starts, low))
    if divisor_override is not None:
        divisors = [np.full_like(divisors[0], divisor_override), np.ones_like(divisors[1])]
    return divisors[0], divisors[1]


@np.errstate(all="ignore")
def avg_pool2d(
    x: Array, /,
    *, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool,
    divisor_override: int | None,
) -> Array:  # fmt: skip
    """Return the mean of each window, or its sum by a divisor of one's own."""
    size = (x.shape[2], x.shape[3])
    y = reduce_windows(np.add, 0, x, kernel_size, stride, padding, (1, 1), ceil_mode)
    rows, columns = avg_pool2d_divisors(
        size, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )
    y /= np.multiply.outer(rows, columns).astype(x.dtype)
    return y


def covers(windows: Pair, size: Pair, kernel_size: Pair, padding: Pair) -> bool:
    """Say whether there is one window without gaps, and the whole image in it."""
    return windows == (1, 1) and all(k - p >= n for n, k, p in zip(size, kernel_size, padding, strict=True))


def reduce_windows(
    ufunc: np.ufunc, neutral: Any, x: Array,
    kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool,
) -> Array:  # fmt: skip
    """Reduce the windows of ``x`` as a new array; ``neutral`` is what padding holds."""
    n, c, h, w = x.shape
    oh, ow = pool2d_size((h, w), kernel_size, stride, padding, dilation, ceil_mode)
    if dilation == (1, 1) and covers((oh, ow), (h, w), kernel_size, padding):
        y: Array = ufunc.reduce(x.reshape(n, c, h * w), axis=2)
        return y.reshape(n, c, 1, 1)
    y = reduce_axis(ufunc, neutral, x, 2, (h, oh, kernel_size[0], stride[0], padding[0], dilation[0]))
    y = reduce_axis(ufunc, neutral, y, 3, (w, ow, kernel_size[1], stride[1], padding[1], dilation[1]))
    return np.array(y, order="C") if np.may_share_memory(x, y) else y


Geometry = tuple[int, int, int, int, int, int]
"""Of an axis: its size, the number of windows, and their size, stride, padding and dilation."""


def taps_of_windows(geometry: Geometry) -> Iterator[tuple[int, int, int, slice]]:
    """Yield for each tap that meets the input along an axis ``(tap, first, last, met)``, in order.

    In windows ``[first, last)`` the tap stands at the places ``met`` of the input.
    """
    size, windows, kernel, stride, padding, dilation = geometry
    for t in _meeting(size, windows, kernel, stride, padding, dilation):
        offset = t * dilation - padding
        first = max(0, -(offset // stride))
        last = min(windows, (size - 1 - offset) // stride + 1)
        if first < last:
            start = first * stride + offset
            yield t, first, last, slice(start, start + (last - first - 1) * stride + 1, stride)


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


def reduce_axis(ufunc: np.ufunc, neutral: Any, x: Array, axis: int, geometry: Geometry) -> Array:
    """Reduce the windows along one axis, tap by tap, each over the windows in which it meets the input.

    Returns:
        A new array, or ``x`` itself where a window is one element of it.
    """
    _, windows, kernel, stride, _, _ = geometry
    if kernel == stride == 1:
        return x
    before = (slice(None),) * axis
    taps = [(first, last, x[(*before, met)]) for _, first, last, met in taps_of_windows(geometry)]
    # A tap that every window meets makes the result; where none is, there must be something to begin with.
    whole = next((i for i, (first, last, _) in enumerate(taps) if last - first == windows), None)
    if whole is None:
        out = np.full(x.shape[:axis] + (windows,) + x.shape[axis + 1 :], neutral, x.dtype)
    else:
        out = np.array(taps.pop(whole)[2], order="C")
    for first, last, met_by in taps:
        part = out[(*before, slice(first, last))]
        ufunc(part, met_by, out=part)
    return out
