"""Forwards of unfold and fold: the windows of images as columns, and columns added up to images."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from backburner.backends.numpy.conv import conv2d_size, meeting
from backburner.backends.numpy.convtranspose import add_taps
from backburner.contracts import Array, Pair


def unfold(x: Array, /, *, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair) -> Array:
    """Return the windows of images, each as a column."""
    n, c, h, w = x.shape
    kh, kw = kernel_size
    oh, ow = conv2d_size((h, w), kernel_size, stride, padding, dilation)
    if padding == (0, 0):
        (sh, sw), (dh, dw), (images, channels, y, z) = stride, dilation, x.strides
        windows = as_strided(
            x, (n, c, kh, kw, oh, ow), (images, channels, dh * y, dw * z, sh * y, sw * z), writeable=False
        )
        return np.array(windows, order="C").reshape(n, c * kh * kw, oh * ow)
    out = np.zeros((n, c, kh, kw, oh, ow), x.dtype)
    for i in range(kh):
        above, below, ys = meeting(i * dilation[0] - padding[0], stride[0], h, oh)
        for j in range(kw):
            left, right, xs = meeting(j * dilation[1] - padding[1], stride[1], w, ow)
            out[:, :, i, j, above:below, left:right] = x[:, :, ys, xs]
    return out.reshape(n, c * kh * kw, oh * ow)


def fold(
    x: Array, /, *, output_size: Pair, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair
) -> Array:
    """Add up columns to the images that they are windows of: the adjoint of unfold."""
    n, depth, _ = x.shape
    kh, kw = kernel_size
    channels = depth // (kh * kw)
    oh, ow = conv2d_size(output_size, kernel_size, stride, padding, dilation)
    out = np.zeros((n, channels, *output_size), x.dtype)
    with np.errstate(all="ignore"):
        add_taps(x.reshape(n, channels, kh, kw, oh, ow), (0, 0), stride, padding, dilation, out)
    return out
