"""Forwards of conv_transpose2d and conv_transpose3d.

A transposed convolution is the adjoint of a convolution: one matrix product per image gives, for each tap of
the kernel, what every input adds at the place that the tap stands on, and the taps are added up there.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.lib.stride_tricks import as_strided

from backburner.backends.numpy import conv
from backburner.backends.numpy.conv import add_frames, conv2d_chunk, frame_chunks, meeting
from backburner.contracts import Array, Pair, Triple


def conv_transpose_size(
    size: int, kernel: int, stride: int, padding: int, output_padding: int, dilation: int
) -> int:
    """Return how many outputs there are along an axis."""
    return (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1


@np.errstate(all="ignore")
def conv_transpose2d(
    x: Array, weight: Array, bias: Array | None, /,
    *, stride: Pair, padding: Pair, output_padding: Pair, dilation: Pair, groups: int,
) -> Array:  # fmt: skip
    """Spread images over kernels: the adjoint of conv2d."""
    n, c, h, w = x.shape
    _, each, kh, kw = weight.shape
    o = groups * each
    oh, ow = (
        conv_transpose_size(
            x.shape[2 + i], weight.shape[2 + i], stride[i], padding[i], output_padding[i], dilation[i]
        )
        for i in (0, 1)
    )
    out = np.zeros((n, o, oh, ow), x.dtype)
    place = o * kh * kw * x.itemsize
    images, band = conv2d_chunk(place * w, h)
    images = max(1, min(images, n))
    step = max(1, min(w, (conv.PIECE_BYTES if h == 1 else conv.BAND_BYTES) // max(place, 1)))
    matrix = weight.reshape(groups, c // groups, each * kh * kw).swapaxes(1, 2)
    product = np.multiply if c == groups else np.matmul  # BLAS is slow at one term
    memory = np.empty(images * o * kh * kw * band * step, x.dtype)
    for first, top, left in itertools.product(
        range(0, n if o else 0, images), range(0, h, band), range(0, w, step)
    ):
        part = x[first : first + images, :, top : top + band, left : left + step]
        count, _, rows, width = part.shape
        columns = memory[: count * o * kh * kw * rows * width]
        product(
            matrix,
            part.reshape(count, groups, c // groups, rows * width),
            out=columns.reshape(count, groups, each * kh * kw, rows * width),
        )
        columns = columns.reshape(count, o, kh, kw, rows, width)
        add_taps(columns, (top, left), stride, padding, dilation, out[first : first + count])
    if bias is not None:
        out += bias[:, None, None]
    return out


def add_taps(columns: Array, corner: Pair, stride: Pair, padding: Pair, dilation: Pair, out: Array) -> None:
    """Add what each tap gives, for the windows from the one at ``corner`` on, to the places that it stands on.

    Shape:
        columns ``[n, c, kh, kw, rows, ow]``, out ``[n, c, h, w]``.
    """
    kh, kw, rows, ow = columns.shape[2:]
    h, w = out.shape[2:]
    if padding == (0, 0) and dilation == (1, 1) and kh <= stride[0] and kw <= stride[1]:  # no two meet
        met = out[:, :, corner[0] * stride[0] :, corner[1] * stride[1] :]
        n, c, y, z = met.strides
        windows = as_strided(met, columns.shape, (n, c, y, z, stride[0] * y, stride[1] * z))
        windows += columns
        return
    for i in range(kh):
        above, below, ys = meeting(corner[0] * stride[0] + i * dilation[0] - padding[0], stride[0], h, rows)
        for j in range(kw):
            left, right, xs = meeting(corner[1] * stride[1] + j * dilation[1] - padding[1], stride[1], w, ow)
            out[:, :, ys, xs] += columns[:, :, i, j, above:below, left:right]


def conv_transpose3d(
    x: Array, weight: Array, bias: Array | None, /,
    *, stride: Triple, padding: Triple, output_padding: Triple, dilation: Triple, groups: int,
) -> Array:  # fmt: skip
    """Spread volumes over kernels: the adjoint of conv3d."""
    n, c, d, h, w = x.shape
    _, each, kd, kh, kw = weight.shape
    o = groups * each
    size = [
        conv_transpose_size(
            x.shape[2 + i], weight.shape[2 + i], stride[i], padding[i], output_padding[i], dilation[i]
        )
        for i in (0, 1, 2)
    ]
    kernels = weight.reshape(c, each * kd, kh, kw)
    out = np.zeros((n, o, *size), x.dtype)
    for volumes, planes in frame_chunks(n, d, o * kd * size[1] * size[2] * x.itemsize):
        inputs = x[volumes, :, planes].swapaxes(1, 2).reshape(-1, c, h, w)
        frames = conv_transpose2d(
            inputs, kernels, None, stride=stride[1:], padding=padding[1:],
            output_padding=output_padding[1:], dilation=dilation[1:], groups=groups,
        )  # fmt: skip
        add_frames(frames, planes, kd, stride[0], padding[0], dilation[0], out[volumes])
    if bias is not None:
        out += bias[:, None, None, None]
    return out
