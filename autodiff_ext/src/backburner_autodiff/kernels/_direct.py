"""Kernels of convolutions that copy no columns.

A task takes some images, or a part of one, and copies what the taps of the kernel meet into *planes*, padded and with
the stride taken out, so that what one tap meets at all places of the output is one run. A plane serves all taps that
begin in rows of the same phase and, unless rows are so long that the places between them do not matter, in the same
column. So a sum over taps needs no more than where each tap's run begins, its *offset*, and a tile of the output stays
in registers meanwhile.

The gradient of x is such a convolution too, of the cotangent; with a stride it has several *parts*, one for each phase
of x.

The arrays of integers are made in ``rules._direct``, which says what is in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner_autodiff.kernels._jit import kernel, subroutine
from backburner_autodiff.kernels._tiles import (
    COLUMNS,
    ROWS,
    copy,
    copy_every,
    lanes,
    products,
    tile1,
    tile3,
)
from backburner_autodiff.kernels.conv import met

_LANES4, _LANES8 = lanes(4), lanes(8)


@subroutine
def _load(
    x: Any, plane: int, stride: Any, top: int, left: int, rows: int, pitch: int, planes: Any, at: int
) -> None:  # fmt: skip
    """Copy rows from ``top`` and columns from ``left`` on of a plane of x, with zeros around it."""
    h, w = x.shape[2:]
    zero = x.dtype.type(0)
    start = plane * h * w
    first, last = met(left, stride[1], w, pitch)
    low, high = met(top, stride[0], h, rows)
    if first == last:
        high = low
    planes[at : at + low * pitch] = zero
    planes[at + high * pitch : at + rows * pitch] = zero
    if low == high:
        return
    if stride[0] == 1 and stride[1] == 1 and pitch == w:  # the columns outside are those of rows beside
        begin, end = at + low * pitch + first, at + high * pitch - (pitch - last)
        copy(planes, begin, x, start + (top + low) * w + left + first, end - begin)
        for u in range(low, high):
            for q in range(first):
                planes[at + u * pitch + q] = zero
            for q in range(last, pitch):
                planes[at + u * pitch + q] = zero
        return
    for u in range(low, high):
        line = at + u * pitch
        for q in range(first):
            planes[line + q] = zero
        for q in range(last, pitch):
            planes[line + q] = zero
        source = start + (top + u * stride[0]) * w + left + first * stride[1]
        if stride[1] == 1:
            copy(planes, line + first, x, source, last - first)
        elif stride[1] == 2:
            copy_every(planes, line + first, x, source, last - first)
        else:
            flat = x.reshape(-1)
            for q in range(last - first):
                planes[line + first + q] = flat[source + q * stride[1]]


@subroutine
def _load_all(
    x: Any, image: int, channels: int, first: int, last: int, phases: Any, stride: Any, top: int, left: int,
    rows: int, pitch: int, planes: Any, at: int,
) -> None:  # fmt: skip
    for k in range(first, last):
        for f in range(phases.shape[0]):
            _load(
                x, image * channels + k, stride, top * stride[0] + phases[f, 0], left * stride[1] + phases[f, 1],
                rows, pitch, planes, at,
            )  # fmt: skip
            at += rows * pitch


@subroutine
def _store(
    tile: Any, at: int, rows: int, columns: int, pitch: int, image: int, channel: int, top: int, left: int, step: Any, out: Any
) -> None:  # fmt: skip
    """Copy a plane of places to every ``step``-th row and column of the output."""
    _, c, h, w = out.shape
    for r in range(rows):
        y = top + r * step[0]
        if step[1] == 1:
            copy(out, ((image * c + channel) * h + y) * w + left, tile, at + r * pitch, columns)
        else:
            line = out[image, channel, y, left:]
            source = tile[at + r * pitch : at + r * pitch + columns]
            for q in range(columns):
                line[q * step[1]] = source[q]


@subroutine
def _tiles(
    weight: Any, start: int, step: int, last: int, bases: Any, planes: Any, place: int, offsets: Any, begin: int,
    count: int, bias: Any, number: int, width: int, low: int, high: int, out: Any, to: int, pitch: int,
) -> None:  # fmt: skip
    """Fill the places from ``low`` to ``high`` of a block of outputs, and maybe some more, less than a vector."""
    at = low
    while at + 2 * width < high:
        tile3(
            weight, start, step, last, bases, planes, place + at, offsets, begin, count, bias, number,
            out, to + at, pitch,
        )  # fmt: skip
        at += 3 * width
    while at < high:
        tile1(
            weight, start, step, last, bases, planes, place + at, offsets, begin, count, bias, number,
            out, to + at, pitch,
        )  # fmt: skip
        at += width


@subroutine
def _task(
    x: Any, weight: Any, bias: Any, number: int, bases: Any, offsets: Any, phases: Any, parts: Any, sizes: Any, out: Any
) -> None:  # fmt: skip
    """Take some images or a part of one, for some groups or some blocks of outputs."""
    n, c = x.shape[:2]
    images, band, piece, rows, columns, groups, chunk = (
        sizes[0],
        sizes[1],
        sizes[2],
        sizes[3],
        sizes[4],
        sizes[5],
        sizes[6],
    )
    stride, step, span = sizes[7:9], sizes[9:11], sizes[11:13]
    outputs, weight_step, group_step = sizes[13], sizes[14], sizes[15]
    inputs = c // groups
    blocks = (outputs + ROWS - 1) // ROWS
    whole = groups if groups > 1 else blocks
    chunks, bands, strips = (
        (whole + chunk - 1) // chunk,
        (rows + band - 1) // band,
        (columns + piece - 1) // piece,
    )
    some = number % chunks
    number //= chunks
    left = number % strips * piece
    number //= strips
    top = number % bands * band
    first = number // bands * images
    low_group, high_group, low_block, high_block = 0, groups, 0, blocks
    if groups > 1:
        low_group, high_group = some * chunk, min(groups, (some + 1) * chunk)
    else:
        low_block, high_block = some * chunk, min(blocks, (some + 1) * chunk)
    pitch, height = piece + span[1], band + span[0]
    plane = pitch * height
    each = inputs * phases.shape[0] * plane
    total = (high_group - low_group) * each
    count = min(images, n - first)
    width = _LANES4 if x.itemsize == 4 else _LANES8
    planes = np.empty(count * total + COLUMNS * width, x.dtype)
    for i in range(count):
        _load_all(
            x, first + i, c, low_group * inputs, high_group * inputs, phases, stride, top, left, height, pitch,
            planes, i * total,
        )  # fmt: skip
    row = (plane + width - 1) // width * width
    tile = np.empty(ROWS * row, x.dtype)
    flat = out.reshape(-1)
    pixels = out.shape[2] * out.shape[3]
    # full tiles go to the output at once where places are its elements
    dense = step[0] == 1 and step[1] == 1 and pitch == out.shape[3]
    for p in range(parts.shape[0]):
        begin, taps = parts[p, 0], parts[p, 1]
        high, wide = min(band, parts[p, 4] - top), min(piece, parts[p, 5] - left)
        if high <= 0 or wide <= 0:
            continue
        length = (high - 1) * pitch + wide
        for group in range(low_group, high_group):
            for block in range(low_block, high_block):
                channel = group * outputs + block * ROWS
                start = group * group_step + block * ROWS * weight_step
                last = min(ROWS, outputs - block * ROWS) - 1
                number = (group * blocks + block) * ROWS
                sure = length // (COLUMNS * width) * COLUMNS * width if dense and last == ROWS - 1 else 0
                for i in range(count):
                    place = i * total + (group - low_group) * each
                    final = ((first + i) * out.shape[1] + channel) * pixels + top * pitch
                    _tiles(
                        weight, start, weight_step, last, bases, planes, place, offsets, begin, taps, bias, number,
                        width, 0, sure, flat, final, pixels,
                    )  # fmt: skip
                    _tiles(
                        weight, start, weight_step, last, bases, planes, place, offsets, begin, taps, bias, number,
                        width, sure, length, tile, 0, row,
                    )  # fmt: skip
                    for o in range(last + 1):
                        if dense:
                            copy(out, final + o * pixels + sure, tile, o * row + sure, length - sure)
                        else:
                            _store(
                                tile, o * row, high, wide, pitch, first + i, channel + o,
                                parts[p, 2] + top * step[0], parts[p, 3] + left * step[1], step, out,
                            )  # fmt: skip


@kernel(
    "x[:,:,:,:], x[:], x[:], int[:], int[:], int[:,:], int[:,:], int[:], int, int -> x[:,:,:,:]",
    fastmath=True,
)
def conv2d_direct(x, weight, bias, bases, offsets, phases, parts, sizes, start, stop, out):  # type: ignore[no-untyped-def]
    """Convolve, from the bias on: some tasks, which write to places of their own."""
    for number in range(start, stop):
        _task(x, weight, bias, number, bases, offsets, phases, parts, sizes, out)


@subroutine
def _weight_task(x: Any, g: Any, number: int, offsets: Any, phases: Any, sizes: Any, dweight: Any) -> None:
    """Add the products of a block of images for some groups or some blocks of outputs."""
    n, c = x.shape[:2]
    rows, columns = g.shape[2:]
    images, band, piece, groups, chunk = sizes[0], sizes[1], sizes[2], sizes[5], sizes[6]
    stride, span, outputs, some, share = sizes[7:9], sizes[11:13], sizes[13], sizes[14], sizes[15]
    inputs = c // groups
    blocks = (outputs + ROWS - 1) // ROWS
    whole = groups if groups > 1 else blocks
    chunks = (whole + chunk - 1) // chunk
    part, own = number % chunks, number // chunks
    low_group, high_group, low_block, high_block = 0, groups, 0, blocks
    if groups > 1:
        low_group, high_group = part * chunk, min(groups, (part + 1) * chunk)
    else:
        low_block, high_block = part * chunk, min(blocks, (part + 1) * chunk)
    pitch, height = piece + span[1], band + span[0]
    each = phases.shape[0] * pitch * height
    width = _LANES4 if x.itemsize == 4 else _LANES8
    # What a vector reaches beyond the places is multiplied by the zeros of the cotangent, so it must be no NaN.
    planes = np.zeros(images * some * each + width, x.dtype)
    line = (band * pitch + width - 1) // width * width
    lines = (high_block - low_block) * ROWS
    real = min(lines, outputs - low_block * ROWS)
    cotangent = np.zeros(images * lines * line, x.dtype)
    taps = dweight.shape[3]
    bands, strips = (rows + band - 1) // band, (columns + piece - 1) // piece
    units = (n + images - 1) // images * bands * strips
    for unit in range(own * share, min(units, (own + 1) * share)):
        left, top = unit % strips * piece, unit // strips % bands * band
        first = unit // (strips * bands) * images
        count = min(images, n - first)
        high, wide = min(band, rows - top), min(piece, columns - left)
        length = (high - 1) * pitch + wide
        vectors = (length + width - 1) // width
        for group in range(low_group, high_group):
            for i in range(count):
                for o in range(real):
                    at = (i * lines + o) * line
                    channel = group * outputs + low_block * ROWS + o
                    place = (((first + i) * g.shape[1] + channel) * rows + top) * columns + left
                    if pitch == columns:
                        copy(cotangent, at, g, place, length)
                    else:
                        for r in range(high):
                            copy(cotangent, at + r * pitch, g, place + r * columns, wide)
                            cotangent[at + r * pitch + wide : at + (r + 1) * pitch] = x.dtype.type(0)
                    cotangent[at + length : at + line] = x.dtype.type(0)
            for k in range(0, inputs, some):
                size = min(some, inputs - k)
                used = size * (taps // inputs)
                for i in range(count):
                    _load_all(
                        x, first + i, c, group * inputs + k, group * inputs + k + size, phases, stride, top,
                        left, height, pitch, planes, i * some * each,
                    )  # fmt: skip
                for block in range(low_block, high_block):
                    to = ((own * groups + group) * blocks + block) * ROWS * taps + k * (taps // inputs)
                    for t in range(0, used, COLUMNS):
                        products(
                            cotangent, (block - low_block) * ROWS * line, line, lines * line,
                            planes, 0, some * each, offsets, t, min(COLUMNS, used - t), count, vectors,
                            dweight, to + t, taps,
                        )  # fmt: skip


@kernel("x[:,:,:,:], x[:,:,:,:], int[:], int[:,:], int[:], int, int -> float[:,:,:,:]", fastmath=True)
def conv2d_direct_weight(x, g, offsets, phases, sizes, start, stop, dweight):  # type: ignore[no-untyped-def]
    """Add the gradient of the kernels to ``dweight``, ``[blocks of images, groups, outputs, taps]``."""
    for number in range(start, stop):
        _weight_task(x, g, number, offsets, phases, sizes, dweight)
