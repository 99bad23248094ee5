"""Convolution by columns: what each tap of the kernel meets at each output place, and one matrix product with it.

An output *place* is an output, or one of those that are computed only to be dropped: where rows of the source are
longer than those of the output, a tap's places are still one run of the source, which is copied six times as fast as
row by row. Columns are made for a *block* of places at once, so that they stay in the cache of a core. What is in a
block follows from the shape of an image alone, so that an image gets the same bits in whatever batch it comes, and on
any number of threads.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from backburner.contracts import Array, Pair, Shape
from backburner.threads import share

BLOCK_BYTES = 3 << 20
"""Columns of one block: threads wait for each other between NumPy's calls, so these must be long."""

BAND_BYTES = 1 << 20
"""Columns of a band of rows of a large image: they stay in the cache of a core."""

BLOCK_PLACES = 256
"""Places of a block at least, since each block is another pass over the weights."""

SMALL = 10**6
"""Products of numbers up to which OpenBLAS multiplies without packing: faster, where columns are few."""

KEPT_BYTES = 1 << 22
"""The largest piece of memory that a thread keeps for the next call; it keeps two."""

SMALL_BYTES = 1 << 16
"""Memory that malloc gives without fresh pages."""

SHARED = 150_000
"""Estimated nanoseconds of work from which it is shared out to threads."""


class Window(NamedTuple):
    """How a kernel moves over images."""

    kernel: Pair
    size: Pair
    stride: Pair
    padding: Pair
    dilation: Pair


def convolve(x: Array, weight: Array, bias: Array | None, window: Window, groups: int) -> Array:
    """Return the cross-correlation of images with kernels; there is at least one of each."""
    if (
        x.shape[2] == 1 < x.shape[3]
        and window.kernel[0] == 1
        and window.padding[0] == 0
        and window.size[0] == 1
    ):
        # a signal stands upright, so that each place is a row and its padding needs no copy
        upright = Window(*((b, a) for a, b in window))
        out = convolve(x.swapaxes(2, 3), weight.swapaxes(2, 3), bias, upright, groups)
        return out.reshape(out.shape[0], out.shape[1], 1, out.shape[2])
    n, c, h, w = x.shape
    o = len(weight)
    out = np.empty((n, o, *window.size), x.dtype)
    taps = math.prod(window.kernel)
    depth = c // groups * taps
    if depth == 0:
        out[...] = 0 if bias is None else bias[:, None, None]
        return out
    source = _pick(x, window, o // groups)
    matrix = weight.reshape(groups, 1, o // groups, depth)
    rows = window.size[0]
    place = depth * x.itemsize
    plane = place * source.row * rows
    wake = n * rows * source.row * (o * depth * 0.01 + c * taps * 0.1) > SHARED
    images = max(1, min(n, BLOCK_BYTES // max(1, plane * groups)))
    parts = max(1, min(groups, BLOCK_BYTES // max(1, plane)))
    band = rows
    if plane > BAND_BYTES:
        band = max(1, max(BAND_BYTES // place, BLOCK_PLACES) // source.row)
        band = -(-rows // -(-rows // band))
    few = n < 4
    if wake:  # several for each thread
        if few and groups > 1:
            parts = min(parts, -(-groups // 4))
        images = min(images, -(-n // 4))
    pieces = [
        (slice(i, min(n, i + images)), slice(g, min(groups, g + parts)))
        for i in range(0, n, images)
        for g in range(0, groups, parts)
    ]
    tops = range(0, rows, band)
    by_rows = len(pieces) == 1 or (few and len(tops) >= 2 and groups == 1)
    alone = len(tops) == len(pieces) == 1 and _cuts(o // groups, depth, rows * source.row) > 1

    def piece(number: int) -> None:
        some, those = pieces[number]
        each = c // groups
        channels = slice(those.start * each, those.stop * each)
        target = out[some, those.start * (o // groups) : those.stop * (o // groups)]
        added = None if bias is None else bias[those.start * (o // groups) : those.stop * (o // groups)]
        with _Scratch() as scratch:
            gather = source.load(some, channels, scratch)

            def block(i: int) -> None:
                top, count = tops[i], min(band, rows - tops[i])
                with _Scratch() as scratch:
                    columns = gather(top, count, scratch)
                    columns = columns.reshape(
                        len(columns), those.stop - those.start, depth, count * source.row
                    )
                    _multiply(
                        matrix[those], columns, target[:, :, top : top + count], source.row, added, scratch
                    )

            if alone:  # its product is shared out
                block(0)
            elif by_rows:
                share(block, len(tops), wake)
            else:
                for i in range(len(tops)):
                    block(i)

    if by_rows:
        for i in range(len(pieces)):
            piece(i)
    else:
        share(piece, len(pieces), wake)
    return out


def _multiply(
    matrix: Array, columns: Array, out: Array, row: int, bias: Array | None, scratch: _Scratch
) -> None:
    """Multiply the kernels with the columns of a block.

    Shape:
        matrix ``[groups, 1, o, depth]``, columns ``[n, groups, depth, places]``, out ``[n, groups * o, rows, ow]``.
    """
    n, groups, depth, places = columns.shape
    o = matrix.shape[2]
    rows, ow = out.shape[2:]
    wrapped = row != ow
    product = (
        scratch.empty((n, groups, o, places), out.dtype) if wrapped else out.reshape(n, groups, o, places)
    )
    each = places
    if 1 < o and o * depth * 64 <= SMALL:
        strips = max(1, -(-places * o * depth // SMALL))
        each = next((places // s for s in range(strips, 2 * strips) if places % s == 0), -(-places // strips))
    cuts = _cuts(o, depth, places)
    if cuts > 1:
        step = -(-o // cuts)

        def cut(i: int) -> None:
            some = slice(i * step, (i + 1) * step)
            np.matmul(matrix[:, 0, some], columns, out=product[:, :, some])

        share(cut, cuts)
    elif each == places:
        np.matmul(matrix[:, 0], columns, out=product)
    else:
        whole = places - places % each
        for part, length in ((slice(0, whole), each), (slice(whole, places), places - whole)):
            if length:
                strips = (part.stop - part.start) // length
                met = columns[..., part].reshape(n, groups, depth, strips, length).swapaxes(2, 3)
                result = product[..., part].reshape(n, groups, o, strips, length).swapaxes(2, 3)
                np.matmul(matrix, met, out=result)
    if wrapped:
        kept = product.reshape(n, groups * o, rows, row)[..., :ow]
        if bias is None:
            out[...] = kept
        else:
            np.add(kept, bias[:, None, None], out=out)
    elif bias is not None:
        if places >= 256:
            np.setbufsize(16)  # else NumPy copies the bias to a buffer, which takes as long as to add it
        flat = out.reshape(n, groups * o, places)
        flat += bias[:, None]


def _cuts(outputs: int, depth: int, places: int) -> int:
    """Return in how many parts, by outputs, the product of a small image with many channels goes."""
    if places > BLOCK_PLACES or outputs * depth * places < 2 * 10**7:
        return 1
    return 2 if outputs >= 128 else 1  # each packs the columns again


Gather = Callable[[int, int, "_Scratch"], Array]


class _Scratch:
    """Memory for what is gone when a ``with`` ends; each thread keeps some, for fresh pages cost more than the copies."""

    _kept = threading.local()

    def __init__(self) -> None:
        self._used: list[Array] = []

    def __enter__(self) -> _Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        kept = self._kept.__dict__.setdefault("free", [])
        kept += [memory for memory in self._used if len(memory) <= KEPT_BYTES]
        if len(kept) > 2:
            kept.sort(key=len)
            del kept[:-2]

    def empty(self, shape: Shape, dtype: np.dtype[Any]) -> Array:
        """Return an array, its elements whatever they are."""
        size = math.prod(shape) * dtype.itemsize
        if size < SMALL_BYTES:
            return np.empty(shape, dtype)
        kept = self._kept.__dict__.setdefault("free", [])
        fit = next((i for i, memory in enumerate(kept) if len(memory) >= size), None)
        memory = np.empty(size, np.uint8) if fit is None else kept.pop(fit)
        self._used.append(memory)
        array: Array = memory[:size].view(dtype).reshape(shape)
        return array

    def columns(self, shape: Shape, dtype: np.dtype[Any]) -> Array:
        """Return the same with rows that do not all begin at one place of the cache."""
        length = shape[-1]
        return self.empty((*shape[:-1], length if length % 256 else length + 16), dtype)[..., :length]


class _Source:
    """Where columns come from.

    Attributes:
        row: the places from one output row to the next.
    """

    def __init__(self, x: Array, window: Window) -> None:
        self.x, self.window = x, window
        self.row = window.size[1]

    def load(self, images: slice, channels: slice, scratch: _Scratch) -> Gather:
        """Return what makes the columns of some images' channels for output rows ``top`` to ``top + rows``.

        Shape:
            ``[n, c, kh, kw, rows * row]``.
        """
        raise NotImplementedError


def _pick(x: Array, window: Window, outputs: int) -> _Source:
    kernel, size, stride, padding, dilation = window
    whole = stride == (1, 1) and size[1] <= x.shape[3]
    source = _Flat(x, window) if whole else _Phases(x, window)
    # each place that is dropped costs a copy and its part of the product; each run that is copied 8 ns
    few = (source.row - size[1]) * (5 + outputs) <= 800
    if stride != (1, 1):
        few = few and size[1] > 12 and math.prod(kernel) >= 2 * math.prod(stride)
    elif source.row == size[1] and len(x) * x.shape[1] * math.prod(kernel) * size[0] < 1024:
        few = False  # fewer calls, and the same columns
    if few:
        return source
    return _Windows(x, window)


class _Flat(_Source):
    """Images as they are, for outputs no wider than they: a tap's places are a run of the image.

    Where a tap stands beside the image, the run goes on in another row, and 0 is written over it.
    """

    def __init__(self, x: Array, window: Window) -> None:
        super().__init__(np.ascontiguousarray(x), window)
        self.row = x.shape[3]

    def load(self, images: slice, channels: slice, scratch: _Scratch) -> Gather:
        return lambda top, rows, scratch: self._gather(images, channels, top, rows, scratch)

    def _gather(self, images: slice, channels: slice, top: int, rows: int, scratch: _Scratch) -> Array:
        x = self.x
        _, c, h, w = x.shape
        (kh, kw), _, _, (ph, pw), (dh, dw) = self.window
        n, some = images.stop - images.start, channels.stop - channels.start
        if kh == kw == 1 and w == self.window.size[1]:
            return x[images, channels, top : top + rows].reshape(n, some, 1, 1, rows * w)
        size = x.itemsize
        shape: Shape = (n, some, kh, kw, rows * w)
        first = (images.start * c + channels.start) * h * w + (top - ph) * w - pw
        last = first + ((n - 1) * c + some - 1) * h * w + dh * (kh - 1) * w + dw * (kw - 1) + rows * w
        if first >= 0 and last <= x.size:
            buffer, steps = x, (c * h * w, h * w)
        else:  # copied to where there is room before and behind
            reach = rows + dh * (kh - 1)
            length = reach * w + max(2 * pw, dw * (kw - 1))
            buffer, steps, first = scratch.empty((n, some, length), x.dtype), (some * length, length), 0
            y = max(0, top - ph), min(h, top - ph + reach)
            met = slice(pw + (y[0] - top + ph) * w, pw + (y[1] - top + ph) * w)
            buffer[..., met] = x[images, channels, y[0] : y[1]].reshape(n, some, -1)
        strides = steps[0] * size, steps[1] * size, dh * w * size, dw * size, size
        columns = scratch.columns(shape, x.dtype)
        columns[...] = np.ndarray(shape, x.dtype, buffer, first * size, strides)
        self._clear(columns.reshape(n, some, kh, kw, rows, w), top)
        return columns

    def _clear(self, columns: Array, top: int) -> None:
        _, _, kh, kw, rows, w = columns.shape
        _, _, _, (ph, pw), (dh, dw) = self.window
        for i in range(kh):
            above, below = ph - i * dh - top, self.x.shape[2] + ph - i * dh - top
            if above > 0:
                columns[:, :, i, :, :above] = 0
            if below < rows:
                columns[:, :, i, :, max(below, 0) :] = 0
        for j in range(kw):
            offset = j * dw - pw
            if offset < 0:
                columns[:, :, :, j, :, :-offset] = 0
            elif w - offset < self.window.size[1]:
                columns[:, :, :, j, :, max(0, w - offset) :] = 0


class _Padded(_Source):
    """Images with their padding, rows dealt out by ``stride[0]``: ``[n, c, stride[0], rows, width]``."""

    _deal = 1
    _across = 1

    def _pad(self, images: slice, channels: slice, slack: int, scratch: _Scratch) -> Array:
        """Return them as one run, with some places behind."""
        x = self.x[images, channels]
        n, c, h, w = x.shape
        ph, pw = self.window.padding
        width = -(-(w + 2 * pw) // self._across) * self._across
        deal, height = self._deal, -(-(h + 2 * ph) // self._deal)
        places = n * c * deal * height * width
        flat = scratch.empty((places + slack,), x.dtype)
        flat.fill(0)
        padded = flat[:places].reshape(n, c, deal, height, width)
        for i in range(deal):
            first = -(-max(0, ph - i) // deal)
            start = first * deal + i - ph
            met = x[:, :, start::deal]
            padded[:, :, i, first : first + met.shape[2], pw : pw + w] = met
        return flat


class _Phases(_Padded):
    """Padded images dealt out by the stride: among places that a tap meets there is none that it skips."""

    def __init__(self, x: Array, window: Window) -> None:
        super().__init__(x, window)
        self._deal, self._across = window.stride
        self.row = -(-(x.shape[3] + 2 * window.padding[1]) // self._across)

    def load(self, images: slice, channels: slice, scratch: _Scratch) -> Gather:
        (kh, kw), _, (sh, sw), (ph, _), (dh, dw) = self.window
        n, c = images.stop - images.start, channels.stop - channels.start
        row, height = self.row, -(-(self.x.shape[2] + 2 * ph) // sh)
        places = n * c * sh * height * row
        slack = (dh * (kh - 1) // sh + 1) * row + dw * (kw - 1) // sw + 1
        flat = _deal(self._pad(images, channels, slack * sw, scratch), sw, scratch)
        size = flat.itemsize
        # taps that are a period apart are in the same phase
        periods = sh // math.gcd(sh, dh), sw // math.gcd(sw, dw)

        def gather(top: int, rows: int, scratch: _Scratch) -> Array:
            columns = scratch.columns((n, c, kh, kw, rows * row), flat.dtype)
            for i in range(min(kh, periods[0])):
                for j in range(min(kw, periods[1])):
                    part = columns[:, :, i :: periods[0], j :: periods[1]]
                    start = i * dh % sh * height * row + (top + i * dh // sh) * row + j * dw // sw
                    start += j * dw % sw * flat.shape[1]
                    steps = sh * height * row, periods[0] * dh // sh * row, periods[1] * dw // sw
                    strides = (c * steps[0] * size, *(step * size for step in steps), size)
                    part[...] = np.ndarray(part.shape, flat.dtype, flat, start * size, strides)
            return columns

        assert flat.shape[1] >= places
        return gather


def _deal(flat: Array, among: int, scratch: _Scratch) -> Array:
    """Return a run, a multiple of ``among`` long, dealt out: ``[among, length / among]``."""
    if among == 1:
        return flat[None]
    out = scratch.empty((among, len(flat) // among), flat.dtype)
    if among == 2 and flat.itemsize == 4 and sys.byteorder == "little":
        pairs, halves = flat.view(np.uint64), out.view(np.uint32)
        np.copyto(halves[0], pairs, casting="unsafe")  # three times as fast as every second element
        pairs >>= np.uint64(32)
        np.copyto(halves[1], pairs, casting="unsafe")
        return out
    for i in range(among):
        out[i] = flat[i::among]
    return out


class _Windows(_Padded):
    """Padded images, of which each tap's places are copied row by row."""

    def load(self, images: slice, channels: slice, scratch: _Scratch) -> Gather:
        (kh, kw), (_, ow), (sh, sw), (ph, pw), (dh, dw) = self.window
        n, c = images.stop - images.start, channels.stop - channels.start
        h, w = self.x.shape[2] + 2 * ph, self.x.shape[3] + 2 * pw
        flat = self._pad(images, channels, 0, scratch)
        steps = c * h * w, h * w, dh * w, dw, sh * w, sw

        def gather(top: int, rows: int, scratch: _Scratch) -> Array:
            columns = scratch.empty((n, c, kh, kw, rows, ow), flat.dtype)
            strides = tuple(step * flat.itemsize for step in steps)
            columns[...] = np.ndarray(columns.shape, flat.dtype, flat, top * sh * w * flat.itemsize, strides)
            return columns

        return gather
