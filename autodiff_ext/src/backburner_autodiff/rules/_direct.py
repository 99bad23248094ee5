"""Convolutions, and their gradients, by the kernels that copy no columns: what goes where.

The offset of a tap is where in the padded phases of one image its run of places begins. Work is cut by shapes alone:
some images, or a band of rows and a strip of columns of one, and where those are few the outputs too.
"""

from __future__ import annotations

import functools
import itertools
from typing import NamedTuple

import numpy as np

from backburner.backends.numpy.conv import conv2d_size
from backburner_autodiff.kernels import _direct as kernels
from backburner_autodiff.kernels._tiles import ROWS, lanes
from backburner_autodiff.rules._parts import in_parts
from backburner_autodiff.rules._rule import Array

Pair = tuple[int, int]

PLANES_BYTES = 512 << 10
"""The planes of a task: with weights and results they stay in the second cache."""

PLACES = 2048
"""Products that the gradient of the kernels adds up in their own dtype, times the elements of a vector at most."""

TASKS = 8
"""From so many tasks on, threads have enough of them."""

PARTIAL_BYTES = 4 << 20
"""The gradients of the kernels by blocks of images, all together."""

NARROW = 128
"""Strips are not cut narrower."""

FEWEST_BLOCKS = 4
"""So many blocks of outputs share planes at least."""

COPY = 24
"""What it costs to copy a row by itself, in cycles."""

FEW_PLACES = 48
"""Below so many places of an image, or of all together, columns and BLAS are the faster way."""

WEIGHT_BYTES = 4 << 20
"""Weights beyond do not stay in any cache while images are few."""

WIDE = 128
"""The channels from which one matrix product per image takes a kernel of one tap at its full rate."""


class Window(NamedTuple):
    """What the taps of a kernel meet, all that does not depend on how the work is cut.

    Attributes:
        taps: the taps of each part: (phase of the row, row, column). A tap meets row ``(r + row) * stride + phase`` of
            the source, and column ``q * stride + column``, for output ``(r, q)``.
        parts: (first row and column of the output, rows, columns) of each part.
        stride: that of the source.
        step: between rows and between columns of a part in the output.
    """

    taps: list[list[tuple[int, int, int]]]
    parts: list[tuple[int, int, int, int]]
    stride: Pair
    step: Pair

    @property
    def size(self) -> Pair:
        return max(part[2] for part in self.parts), max(part[3] for part in self.parts)


class Layout(NamedTuple):
    """How planes are laid out.

    Attributes:
        phases: the first row and column of each plane, ``[planes of an input, 2]``.
        taps: the plane, row and column that each tap begins at, part by part.
        span: the rows and columns that planes have beyond the places.
    """

    phases: list[Pair]
    taps: list[list[tuple[int, int, int]]]
    span: Pair


class Plan(NamedTuple):
    """The arguments of a kernel but for the data."""

    bases: Array
    offsets: Array
    phases: Array
    parts: Array
    sizes: Array
    tasks: int


def is_direct(x: Array, weight: Array, stride: Pair, padding: Pair, dilation: Pair) -> bool:
    """Say whether these kernels are the faster way: maps are not tiny, and weights not most of what is read."""
    size = conv2d_size(
        (x.shape[2], x.shape[3]), (weight.shape[2], weight.shape[3]), stride, padding, dilation
    )
    many = size[0] * size[1] >= FEW_PLACES and weight.nbytes <= WEIGHT_BYTES
    # BLAS is as fast where there is nothing to copy for it
    plain = weight.shape[2:] == stride == (1, 1) and padding == (0, 0) and min(weight.shape[:2]) >= WIDE
    return many and not plain and x.size > 0 and weight.size > 0


def _forward_window(
    shape: tuple[int, ...], kernel: Pair, stride: Pair, padding: Pair, dilation: Pair
) -> Window:
    size = conv2d_size((shape[2], shape[3]), kernel, stride, padding, dilation)
    rows = [divmod(i * dilation[0] - padding[0], stride[0]) for i in range(kernel[0])]
    columns = [j * dilation[1] - padding[1] for j in range(kernel[1])]
    return Window([[(a, y, z) for y, a in rows for z in columns]], [(0, 0, *size)], stride, (1, 1))


def _input_window(
    shape: tuple[int, ...], kernel: Pair, stride: Pair, padding: Pair, dilation: Pair
) -> tuple[Window, list[list[int]]]:
    """Return that of the gradient of x, whose parts are the phases of x, and the number of each tap."""
    found = []
    for a in (0, 1):
        axis = []
        for phase in range(min(stride[a], shape[2 + a])):
            taps = [i for i in range(kernel[a]) if (phase + padding[a] - i * dilation[a]) % stride[a] == 0]
            met = [(phase + padding[a] - i * dilation[a]) // stride[a] for i in taps]
            axis.append((phase, taps, met, -(-(shape[2 + a] - phase) // stride[a])))
        found.append(axis)
    window = Window([], [], (1, 1), stride)
    numbers = []
    for (y, ups, rows, height), (z, alongs, columns, width) in itertools.product(*found):
        window.taps.append([(0, r, q) for r in rows for q in columns])
        window.parts.append((y, z, height, width))
        numbers.append([i * kernel[1] + j for i in ups for j in alongs])
    return window, numbers


def _lay_out(window: Window, width: int, inputs: int, outputs: int, itemsize: int) -> Layout:
    """Choose between a plane for each column that taps begin in, and wider planes that many taps share.

    The first computes no places in vain, and copies more. The times are in cycles of a processor as of 2024.

    Args:
        window: what taps meet.
        width: the columns of the source.
        inputs: the channels of a group.
        outputs: the outputs of a group.
        itemsize: of the data.
    """
    every = [tap for taps in window.taps for tap in taps]
    low = min((tap[1] for tap in every), default=0)
    down = max((tap[1] for tap in every), default=0) - low
    rows, columns = window.size
    step = window.stride[1]
    starts = [tap[2] // step for tap in every] or [0]
    across = max(starts) - min(starts)
    blocks = -(-outputs // ROWS)

    def cost(pitch: int, planes: int, places: int, store: int) -> int:
        copied = (
            planes * (rows + down) * (4 + pitch // 8 if pitch == width and window.stride == (1, 1) else COPY)
        )
        vectors = -(-places // lanes(itemsize))
        return (
            inputs * copied
            + 4 * blocks * (inputs * len(every) // len(window.parts) + COPY // 2) * vectors
            + store
        )

    together = {(a, z % step) for a, _, z in every}
    alone = {(a, z) for a, _, z in every}
    apart = cost(columns, len(alone), rows * columns, 0) < cost(
        columns + across, len(together), (rows - 1) * (columns + across) + columns, COPY * rows * outputs
    )
    left = 0 if apart else min(starts)
    keys = sorted(alone if apart else together) or [(0, 0)]
    taps = [
        [
            (keys.index((a, z)), y - low, 0)
            if apart
            else (keys.index((a, z % step)), y - low, z // step - left)
            for a, y, z in part
        ]
        for part in window.taps
    ]
    phases = [(a + low * window.stride[0], z + left * step) for a, z in keys]
    return Layout(phases, taps, (down, 0 if apart else across))


def _cut(n: int, size: Pair, span: Pair, lines: int, places: int, itemsize: int) -> tuple[int, int, int]:
    """Return the images, rows and columns of a task, whose planes have ``lines`` elements for each place.

    ``places`` bounds the places of all its images.
    """

    def fits(images: int, rows: int, columns: int) -> bool:
        area = images * (rows + span[0]) * (columns + span[1])
        return images * rows * (columns + span[1]) <= places and area * lines * itemsize <= PLANES_BYTES

    rows, columns = size
    images = 1
    if fits(1, rows, columns):
        while images < n and fits(images + 1, rows, columns):
            images += 1
        return -(-n // -(-n // images)), rows, columns
    while columns > NARROW and not fits(1, 1, columns):
        columns = -(-columns // 2)
    parts = 1
    while rows > 1 and not fits(1, -(-size[0] // parts), columns):
        parts += 1
        rows = -(-size[0] // parts)
    return 1, rows, columns


def _offsets(layout: Layout, height: int, pitch: int, inputs: int) -> list[Array]:
    """Return the offsets of each part, input by input."""
    plane = height * pitch
    found = []
    for taps in layout.taps:
        one = np.array([f * plane + y * pitch + z for f, y, z in taps], np.int64)
        found.append((np.arange(inputs)[:, None] * (len(layout.phases) * plane) + one).ravel())
    return found


def _chunk(tasks: int, groups: int, blocks: int) -> int:
    """Return how many groups, or blocks of outputs, a task takes where there are so many without."""
    whole = groups if groups > 1 else blocks
    return max(min(whole, 1 if groups > 1 else FEWEST_BLOCKS), -(-whole // max(1, TASKS // tasks)))


@functools.lru_cache(maxsize=256)
def _plan(
    to_input: bool, shape: tuple[int, ...], outputs: int, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair,
    groups: int, itemsize: int,
) -> Plan:  # fmt: skip
    """Plan a convolution of ``shape``, or the gradient of such an input from one of ``outputs`` channels."""
    n, c = shape[:2]
    taps = kernel[0] * kernel[1]
    if to_input:
        window, numbers = _input_window(shape, kernel, stride, padding, dilation)
        inputs, each = outputs // groups, c // groups
        bases = [np.arange(inputs)[:, None] * (each * taps) + np.array(some, np.int64) for some in numbers]
        step = taps
    else:
        window = _forward_window(shape, kernel, stride, padding, dilation)
        inputs, each = c // groups, outputs // groups
        bases = [np.arange(inputs * taps)]
        step = inputs * taps
    source = (
        shape[3] if not to_input else conv2d_size((shape[2], shape[3]), kernel, stride, padding, dilation)[1]
    )
    layout = _lay_out(window, source, inputs, each, itemsize)
    span, size = layout.span, window.size
    images, band, piece = _cut(n, size, span, groups * inputs * len(layout.phases), 1 << 40, itemsize)
    images = min(images, -(-n // TASKS))
    blocks = -(-each // ROWS)
    count = -(-n // images) * -(-size[0] // band) * -(-size[1] // piece)
    chunk = _chunk(count, groups, blocks)
    offsets = _offsets(layout, band + span[0], piece + span[1], inputs)
    begins = np.cumsum([0, *map(len, offsets)])
    parts = [(begins[i], len(offsets[i]), *part) for i, part in enumerate(window.parts)]
    sizes = [images, band, piece, *size, groups, chunk, *window.stride, *window.step, *span]
    sizes += [each, step, outputs // groups * c // groups * taps]
    return Plan(
        np.concatenate([some.ravel() for some in bases]).astype(np.int64), np.concatenate(offsets),
        np.array(layout.phases, np.int64), np.array(parts, np.int64), np.array(sizes, np.int64),
        count * -(-(groups if groups > 1 else blocks) // chunk),
    )  # fmt: skip


def _run(plan: Plan, x: Array, weight: Array, bias: Array | None, out: Array) -> Array:
    groups, each = int(plan.sizes[5]), int(plan.sizes[13])
    padded = np.zeros((groups, -(-each // ROWS) * ROWS), x.dtype)
    if bias is not None:
        padded[:, :each] = bias.reshape(groups, each)
    arguments = (x, weight.reshape(-1), padded.reshape(-1), *plan[:-1])
    work = out.size * len(plan.bases) // len(plan.parts) / 4  # 16 products a cycle
    in_parts(lambda start, stop: kernels.conv2d_direct(*arguments, start, stop, out), plan.tasks, work)
    return out


def direct_forward(
    x: Array, weight: Array, bias: Array | None, stride: Pair, padding: Pair, dilation: Pair, groups: int
) -> Array:
    """Return what conv2d does."""
    o, _, kh, kw = weight.shape
    oh, ow = conv2d_size((x.shape[2], x.shape[3]), (kh, kw), stride, padding, dilation)
    plan = _plan(False, x.shape, o, (kh, kw), stride, padding, dilation, groups, x.itemsize)
    return _run(plan, x, weight, bias, np.empty((len(x), o, oh, ow), x.dtype))


def direct_input(
    g: Array, shape: tuple[int, ...], weight: Array, stride: Pair, padding: Pair, dilation: Pair, groups: int
) -> Array:
    """Return the gradient of x, of weights that are finite."""
    o, _, kh, kw = weight.shape
    plan = _plan(True, shape, o, (kh, kw), stride, padding, dilation, groups, g.itemsize)
    return _run(plan, g, weight, None, np.empty(shape, g.dtype))


@functools.lru_cache(maxsize=256)
def _weight_plan(
    shape: tuple[int, ...], outputs: int, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, groups: int,
    itemsize: int,
) -> tuple[Array, Array, Array, int, tuple[int, ...]]:  # fmt: skip
    n, c = shape[:2]
    inputs, each = c // groups, outputs // groups
    window = _forward_window(shape, kernel, stride, padding, dilation)
    layout = _lay_out(window, shape[3], inputs, each, itemsize)
    span, planes = layout.span, len(layout.phases)
    images, band, piece = _cut(n, window.size, span, planes, PLACES, itemsize)
    blocks, taps = -(-each // ROWS), inputs * kernel[0] * kernel[1]
    most = max(1, min(TASKS, PARTIAL_BYTES // (groups * blocks * ROWS * taps * 8)))
    images = min(images, -(-n // most))
    height, pitch = band + span[0], piece + span[1]
    some = max(1, min(inputs, PLANES_BYTES // (images * planes * height * pitch * itemsize)))
    units = -(-n // images) * -(-window.size[0] // band) * -(-window.size[1] // piece)
    share = -(-units // most)
    own = -(-units // share)
    chunk = _chunk(own, groups, blocks)
    (offsets,) = _offsets(layout, height, pitch, some)
    sizes = [
        images,
        band,
        piece,
        *window.size,
        groups,
        chunk,
        *window.stride,
        *window.step,
        *span,
        each,
        some,
        share,
    ]
    return (
        offsets, np.array(layout.phases, np.int64), np.array(sizes, np.int64),
        own * -(-(groups if groups > 1 else blocks) // chunk), (own, groups, blocks * ROWS, taps),
    )  # fmt: skip


def direct_weight(
    g: Array, x: Array, weight: Array, stride: Pair, padding: Pair, dilation: Pair, groups: int
) -> Array:
    """Return the gradient of the kernels; NaN may stand for an infinity."""
    o, inputs, kh, kw = weight.shape
    *arguments, tasks, shape = _weight_plan(
        x.shape, o, (kh, kw), stride, padding, dilation, groups, x.itemsize
    )
    found = np.zeros(shape)
    work = g.size * shape[3] / 4
    in_parts(
        lambda start, stop: kernels.conv2d_direct_weight(x, g, *arguments, start, stop, found), tasks, work
    )
    total: Array = found.sum(axis=0)[:, : o // groups]
    return total.astype(x.dtype).reshape(weight.shape)
