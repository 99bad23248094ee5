"""Convolutions whose groups have one channel each: their products are too small for BLAS.

A tap of the kernel meets one run of a padded plane, the places between rows included, whose results are dropped.
With a stride the planes are first taken apart into *phases*, every ``stride``-th row and column, and in each of
those a tap meets a run again.
"""

from __future__ import annotations

import math

import numpy as np

from backburner.backends.numpy.conv import conv2d_size
from backburner_autodiff.kernels.conv import conv2d_depthwise, conv2d_depthwise_weight
from backburner_autodiff.rules._rule import Array

Pair = tuple[int, int]


def is_depthwise(x: Array, weight: Array, groups: int) -> bool:
    """Say whether a group has one channel, and so few outputs that BLAS is the slower way."""
    return x.shape[1] == groups > 1 and len(weight) <= 4 * groups and x.size > 0


def depthwise_forward(
    x: Array, weight: Array, bias: Array | None, stride: Pair, padding: Pair, dilation: Pair
) -> Array:
    """Return what conv2d does."""
    n, c, h, w = x.shape
    o, _, kh, kw = weight.shape
    oh, ow = conv2d_size((h, w), (kh, kw), stride, padding, dilation)
    phases, offsets, row = _phases(x, (kh, kw), stride, padding, dilation)
    out = np.empty((n * o, oh * row), x.dtype)
    length = (oh - 1) * row + ow
    conv2d_depthwise(phases, weight.reshape(o, kh * kw), offsets, 1, o // c, length, out)
    kept = out.reshape(n, o, oh, row)[..., :ow]
    return np.ascontiguousarray(kept) if bias is None else kept + bias[:, None, None]


def depthwise_weight(g: Array, x: Array, weight: Array, stride: Pair, padding: Pair, dilation: Pair) -> Array:
    """Return the gradient of the kernels; NaN may stand for an infinity."""
    if weight.size == 0:
        return np.zeros(weight.shape, x.dtype)
    n, o, oh, ow = g.shape
    _, _, kh, kw = weight.shape
    phases, offsets, row = _phases(x, (kh, kw), stride, padding, dilation)
    cotangent = np.zeros((n, o, oh, row), g.dtype)
    cotangent[..., :ow] = g
    dweight = np.zeros((o, kh * kw))
    length = (oh - 1) * row + ow
    conv2d_depthwise_weight(
        cotangent.reshape(n * o, oh * row), phases, offsets, o // x.shape[1], length, dweight
    )
    return dweight.astype(x.dtype).reshape(weight.shape)


def depthwise_input(
    g: Array, shape: tuple[int, ...], weight: Array, stride: Pair, padding: Pair, dilation: Pair
) -> Array:
    """Return the gradient of x: in each of its phases the convolution of ``g`` with some of the taps, turned round."""
    n, o, oh, ow = g.shape
    c = shape[1]
    parts = [_parts(shape[2 + i], weight.shape[2 + i], stride[i], padding[i], dilation[i]) for i in (0, 1)]
    margins = [
        (
            max(0, *(-offsets[0] for _, _, offsets, _ in found)),
            max(0, *(offsets[-1] + count - size for _, _, offsets, count in found)),
        )
        if found else (0, 0)
        for found, size in zip(parts, (oh, ow), strict=True)
    ]  # fmt: skip
    (above, below), (left, right) = margins
    row = left + ow + right
    padded = np.zeros((n, o, above + oh + below, row), g.dtype)
    padded[:, :, above : above + oh, left : left + ow] = g
    padded = padded.reshape(n * o, padded.shape[2] * row)
    dx = np.zeros(shape, g.dtype)
    for y, rows, up, height in parts[0]:
        for x, columns, along, width in parts[1]:
            offsets = np.array([(above + i) * row + left + j for i in up for j in along], np.int64)
            taps = weight[:, 0, rows][:, :, columns].reshape(o, len(offsets))
            out = np.empty((n * c, height * row), g.dtype)
            conv2d_depthwise(padded, taps, offsets, o // c, 1, (height - 1) * row + width, out)
            dx[:, :, y :: stride[0], x :: stride[1]] = out.reshape(n, c, height, row)[..., :width]
    return dx


def _phases(x: Array, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair) -> tuple[Array, Array, int]:
    """Return the padded planes in phases, one plane to a row, where in it each tap begins, and the places in a row."""
    n, c = x.shape[:2]
    used = [sorted({i * d % s for i in range(k)}) for k, s, d in zip(kernel, stride, dilation, strict=True)]
    height, width = (-(-(x.shape[2 + i] + 2 * padding[i]) // stride[i]) for i in (0, 1))
    planes = np.zeros((n, c, len(used[0]), len(used[1]), height, width), x.dtype)
    for a, y in enumerate(used[0]):
        top = (y - padding[0]) % stride[0]
        for b, z in enumerate(used[1]):
            left = (z - padding[1]) % stride[1]
            part = x[:, :, top :: stride[0], left :: stride[1]]
            i, j = (top + padding[0]) // stride[0], (left + padding[1]) // stride[1]
            planes[:, :, a, b, i : i + part.shape[2], j : j + part.shape[3]] = part
    rows = [
        used[0].index(i * dilation[0] % stride[0]) * len(used[1]) * height + i * dilation[0] // stride[0]
        for i in range(kernel[0])
    ]
    columns = [
        used[1].index(j * dilation[1] % stride[1]) * height * width + j * dilation[1] // stride[1]
        for j in range(kernel[1])
    ]
    offsets = np.array([i * width + j for i in rows for j in columns], np.int64)
    return planes.reshape(n * c, planes[0, 0].size), offsets, width


def _parts(
    size: int, kernel: int, stride: int, padding: int, dilation: int
) -> list[tuple[int, list[int], list[int], int]]:
    """Return, for each phase of an axis that a tap reaches: its first place, the taps that reach it from the last
    to the first, the output that each of them comes from there, ascending, and how many places it has."""
    found = []
    step = stride // math.gcd(stride, dilation)
    for i in range(min(kernel, step)):
        first = (i * dilation - padding) % stride
        if first < size:
            taps = list(range(i, kernel, step))[::-1]
            met = [(first - (t * dilation - padding)) // stride for t in taps]
            found.append((first, taps, met, -(-(size - first) // stride)))
    return found
