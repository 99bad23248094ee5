"""Forwards of conv2d and conv3d, and the geometry of a convolution.

Columns hold, for each tap of the kernel, the input that the tap meets at each output position; the
convolution is then one matrix product per image, so that an image gets the same bits in whatever batch it
comes. Images go through in chunks, and a large one in bands of rows, so that the columns stay small.

A convolution of volumes is one of images: each plane of the result comes from the ``kd`` planes that the
kernel spans there, laid side by side as channels of one image, a *frame*.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from backburner.backends.numpy._columns import Window, convolve
from backburner.contracts import Array, Pair, Triple
from backburner.threads import share

CHUNK_BYTES = 1 << 20
"""Columns of one chunk of images: they stay in the cache, and below what malloc maps anew at each call."""

BAND_BYTES = 32 << 20
"""Columns of one band of a large image: more, since each band is another pass over the weights."""


PIECE_BYTES = 4 << 20
"""Columns of one piece of a long signal."""

TALL_SHARED = 10**7
"""Products of numbers, for tall kernels of single channels, from which they are shared out: some 1 ms of work."""

FRAME_BYTES = 4 << 20
"""Frames of one chunk of volumes."""


def meeting(offset: int, stride: int, size: int, windows: int) -> tuple[int, int, slice]:
    """Return which windows a tap meets the input in, and where.

    Args:
        offset: where in the input, or in its padding, the tap stands in window 0.
        stride: the step between windows.
        size: the length of the input.
        windows: how many there are.

    Returns:
        The first window, one past the last, and the elements that these meet.
    """
    first = min(max(0, -(offset // stride)), windows)
    last = max(first, min(windows, (size - 1 - offset) // stride + 1))
    start = first * stride + offset
    return (
        first,
        last,
        slice(start, start + (last - first - 1) * stride + 1, stride) if first < last else slice(0),
    )


def conv_size(size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """Return how many outputs there are along an axis."""
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def conv2d_size(size: Pair, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair) -> Pair:
    """Return how many outputs an image has along its two axes."""
    h, w = [conv_size(size[i], kernel[i], stride[i], padding[i], dilation[i]) for i in (0, 1)]
    return h, w


def conv2d_chunk(row_bytes: int, rows: int) -> Pair:
    """Return how many images to treat at once, and how many output rows of each.

    Args:
        row_bytes: what one output row of one image needs.
        rows: the output rows of an image.
    """
    row_bytes = max(row_bytes, 1)
    if row_bytes * rows > BAND_BYTES:
        return 1, max(1, BAND_BYTES // row_bytes)
    return max(1, CHUNK_BYTES // (row_bytes * rows)), rows


class Piece(NamedTuple):
    """A part of the width of images, for outputs that are too many at once.

    Attributes:
        outputs: which places of the output rows.
        inputs: the columns of the images that these meet.
        sides: the zeros of the padding before and behind.
    """

    outputs: slice
    inputs: slice
    sides: Pair

    def of(self, x: Array) -> Array:
        """Return the part of images, padded."""
        part = x[..., self.inputs]
        return part if self.sides == (0, 0) else np.pad(part, ((0, 0),) * 3 + (self.sides,))


def pieces(
    place_bytes: int, size: Pair, width: int, kernel: int, stride: int, padding: int, dilation: int
) -> list[Piece]:
    """Return the parts to treat one by one; none if the rows are short enough.

    Args:
        place_bytes: what one output needs.
        size: the outputs along both axes.
        width: the places of an input row; like the rest along the second axis.
        kernel: the taps.
        stride: the step between windows.
        padding: zeros on either side.
        dilation: the distance between taps.
    """
    limit = PIECE_BYTES if size[0] == 1 else BAND_BYTES
    if place_bytes * size[1] <= limit or size[1] == 1:
        return []
    found = []
    step = max(1, limit // place_bytes)
    for first in range(0, size[1], step):
        last = min(size[1], first + step)
        start, stop = first * stride - padding, (last - 1) * stride - padding + dilation * (kernel - 1) + 1
        sides = min(max(0, -start), stop - start), min(max(0, stop - width), stop - start)
        found.append(Piece(slice(first, last), slice(start + sides[0], stop - sides[1]), sides))
    return found


@np.errstate(all="ignore")  # also because wrapped places, which are dropped, may overflow
def conv2d(
    x: Array, weight: Array, bias: Array | None, /,
    *, stride: Pair, padding: Pair, dilation: Pair, groups: int,
) -> Array:  # fmt: skip
    """Return the cross-correlation of images with kernels, padded by zeros on both sides."""
    n, c, h, w = x.shape
    o, _, kh, kw = weight.shape
    size = conv2d_size((h, w), (kh, kw), stride, padding, dilation)
    if n == 0 or o == 0:
        return np.empty((n, o, *size), x.dtype)
    if kh == kw == 1 and padding == (0, 0):
        window = Window((1, 1), size, (1, 1), padding, (1, 1))
        return convolve(x[:, :, :: stride[0], :: stride[1]], weight, bias, window, groups)
    parts = (
        []
        if h == kh == 1
        else pieces(c * kh * kw * x.itemsize, size, w, kw, stride[1], padding[1], dilation[1])
    )
    if parts:
        out = np.empty((n, o, *size), x.dtype)
        for part in parts:
            out[..., part.outputs] = conv2d(
                part.of(x),
                weight,
                bias,
                stride=stride,
                padding=(padding[0], 0),
                dilation=dilation,
                groups=groups,
            )
        return out
    padded = (h + 2 * padding[0]) * (w + 2 * padding[1])
    if (
        c == groups > 1
        and stride == (1, 1)
        and kh >= 5
        and (c * kw + o * kh) * padded * x.itemsize <= BAND_BYTES
    ):
        out = np.empty((n, o, *size), x.dtype)
        count = min(c, 4) if n * padded * o * kh * kw > TALL_SHARED else 1
        cuts = [c * i // count for i in range(count + 1)]

        def some_channels(i: int) -> None:
            some = slice(cuts[i], cuts[i + 1])
            each = slice(some.start * o // c, some.stop * o // c)
            added = None if bias is None else bias[each]
            _by_rows(x[:, some], weight[each], added, padding, dilation, out[:, each])

        share(some_channels, count, count > 1)
        return out
    return convolve(x, weight, bias, Window((kh, kw), size, stride, padding, dilation), groups)


def _by_rows(x: Array, weight: Array, bias: Array | None, padding: Pair, dilation: Pair, out: Array) -> None:
    """Convolve channel by channel with tall kernels: one product for each of their rows, then the sum of the rows.

    The columns hold a row's taps only, ``kw`` for each place instead of ``kh * kw``.
    """
    n, c, h, w = x.shape
    o, _, kh, kw = weight.shape
    (ph, pw), (dh, dw), (oh, ow) = padding, dilation, out.shape[2:]
    height, width = h + 2 * ph, w + 2 * pw
    places = height * width
    images = max(1, min(n, CHUNK_BYTES // ((c * kw + o * kh) * places * x.itemsize)))
    padded = np.zeros((images, c, places + dw * (kw - 1)), x.dtype)
    met = as_strided(padded, (images, c, kw, places), (*padded.strides[:2], dw * x.itemsize, x.itemsize))
    columns = np.empty(met.shape, x.dtype)
    rows = np.empty((images, c, o // c * kh, places), x.dtype)
    for first in range(0, n, images):
        count = min(images, n - first)
        inner = padded[:count, :, :places].reshape(count, c, height, width)
        inner[:, :, ph : ph + h, pw : pw + w] = x[first : first + count]
        columns[:count] = met[:count]
        np.matmul(weight.reshape(c, o // c * kh, kw), columns[:count], out=rows[:count])
        parts = rows[:count].reshape(count, o, kh, height, width)
        target = out[first : first + count]
        np.add(parts[:, :, 0, :oh, :ow], 0 if bias is None else bias[:, None, None], out=target)
        for i in range(1, kh):
            target += parts[:, :, i, i * dh : i * dh + oh, :ow]


def conv3d(
    x: Array, weight: Array, bias: Array | None, /,
    *, stride: Triple, padding: Triple, dilation: Triple, groups: int,
) -> Array:  # fmt: skip
    """Return the cross-correlation of volumes with kernels, padded by zeros on all sides."""
    n, c, d, h, w = x.shape
    o, each, kd, kh, kw = weight.shape
    od = conv_size(d, kd, stride[0], padding[0], dilation[0])
    oh, ow = conv2d_size((h, w), (kh, kw), stride[1:], padding[1:], dilation[1:])
    kernels = weight.reshape(o, each * kd, kh, kw)
    out = np.empty((n, o, od, oh, ow), x.dtype)
    for volumes, planes in frame_chunks(n, od, c * kd * h * w * x.itemsize):
        chunk = x[volumes]
        frames = stack_frames(chunk, planes, kd, stride[0], padding[0], dilation[0])
        part = conv2d(
            frames,
            kernels,
            bias,
            stride=stride[1:],
            padding=padding[1:],
            dilation=dilation[1:],
            groups=groups,
        )
        part = part.reshape(chunk.shape[0], planes.stop - planes.start, o, oh, ow)
        out[volumes, :, planes] = part.swapaxes(1, 2)
    return out


def frame_chunks(n: int, planes: int, frame_bytes: int) -> Iterator[tuple[slice, slice]]:
    """Yield which volumes to treat at once, and which planes of each."""
    frames = max(1, FRAME_BYTES // max(frame_bytes, 1))
    volumes, band = max(1, frames // max(planes, 1)), max(1, min(planes, frames))
    for first in range(0, n, volumes):
        for top in range(0, planes, band):
            yield slice(first, min(n, first + volumes)), slice(top, min(planes, top + band))


def stack_frames(x: Array, planes: slice, kernel: int, stride: int, padding: int, dilation: int) -> Array:
    """Return the frames that some planes of the result come from, all of a volume's together.

    Shape:
        x ``[n, c, d, h, w]``; result ``[n * planes, c * kernel, h, w]``.
    """
    n, c, d, h, w = x.shape
    count = planes.stop - planes.start
    frames = np.empty((n, count, c, kernel, h, w), x.dtype)
    for k in range(kernel):
        offset = planes.start * stride + k * dilation - padding
        first, last, met = meeting(offset, stride, d, count)
        frames[:, :first, :, k] = 0
        frames[:, last:, :, k] = 0
        frames[:, first:last, :, k] = x[:, :, met].swapaxes(1, 2)
    return frames.reshape(n * count, c * kernel, h, w)


def add_frames(
    frames: Array, planes: slice, kernel: int, stride: int, padding: int, dilation: int, out: Array
) -> None:
    """Add frames to the planes that they were stacked from: the adjoint of ``stack_frames``.

    Shape:
        frames ``[n * planes, c * kernel, h, w]``, out ``[n, c, d, h, w]``.
    """
    n, c, d, h, w = out.shape
    count = planes.stop - planes.start
    frames = frames.reshape(n, count, c, kernel, h, w)
    for k in range(kernel):
        offset = planes.start * stride + k * dilation - padding
        first, last, met = meeting(offset, stride, d, count)
        out[:, :, met] += frames[:, first:last, :, k].swapaxes(1, 2)
