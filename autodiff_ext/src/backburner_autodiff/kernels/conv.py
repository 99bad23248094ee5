"""Kernels of the convolutions.

``columns`` is ``[c, kh, kw, n, rows, ow]``: for each tap of the kernel, the input that it meets at each place of
the output rows from ``top`` on, so that one matrix product takes a whole chunk of images.

Gather and scatter run between matrix products, whose threads spin on for a while and would take the cores from
ours: they declare a tenth of their cost, so that threads start for the largest chunks only.
"""

from __future__ import annotations

from backburner_autodiff.kernels._jit import kernel, prange, subroutine


@subroutine
def met(offset: int, stride: int, size: int, windows: int) -> tuple[int, int]:
    """Return the first output at which a tap meets the input, and one past the last.

    ``offset`` is where in the input, or in its padding, the tap stands at output 0.
    """
    first = 0
    if offset < 0:
        first = min((stride - 1 - offset) // stride, windows)
    last = first
    if offset < size:
        last = max(first, min(windows, (size - 1 - offset) // stride + 1))
    return first, last


@kernel("x[:,:,:,:], int, int, int, int, int, int, int -> x[:,:,:,:,:,:]", cost=0.4)
def conv2d_gather(x, sh, sw, ph, pw, dh, dw, top, columns):  # type: ignore[no-untyped-def]
    """Copy the inputs of a chunk to columns, zeros for the padding."""
    n, c, h, w = x.shape
    _, kh, kw, _, rows, ow = columns.shape
    zero = x.dtype.type(0)
    for plane in prange(n * c):
        i = plane // c
        channel = plane % c
        for ki in range(kh):
            for kj in range(kw):
                left = kj * dw - pw
                first, last = met(left, sw, w, ow)
                for r in range(rows):
                    y = (top + r) * sh + ki * dh - ph
                    to = columns[channel, ki, kj, i, r]
                    if y < 0 or y >= h or first == last:
                        for q in range(ow):
                            to[q] = zero
                        continue
                    for q in range(first):
                        to[q] = zero
                    for q in range(last, ow):
                        to[q] = zero
                    inner = to[first:last]
                    source = x[i, channel, y, first * sw + left :]
                    if sw == 1:
                        for q in range(last - first):
                            inner[q] = source[q]
                    else:
                        for q in range(last - first):
                            inner[q] = source[q * sw]


@kernel("x[:,:,:,:,:,:], int, int, int, int, int, int, int -> x[:,:,:,:]", cost=0.05)
def conv2d_scatter(columns, sh, sw, ph, pw, dh, dw, top, dx):  # type: ignore[no-untyped-def]
    """Add columns to the inputs they belong to."""
    n, c, h, w = dx.shape
    _, kh, kw, _, rows, ow = columns.shape
    for plane in prange(n * c):
        i = plane // c
        channel = plane % c
        for ki in range(kh):
            for kj in range(kw):
                left = kj * dw - pw
                first, last = met(left, sw, w, ow)
                if first == last:
                    continue
                for r in range(rows):
                    y = (top + r) * sh + ki * dh - ph
                    if y < 0 or y >= h:
                        continue
                    source = columns[channel, ki, kj, i, r, first:last]
                    to = dx[i, channel, y, first * sw + left :]
                    if sw == 1:
                        for q in range(last - first):
                            to[q] += source[q]
                    else:
                        for q in range(last - first):
                            to[q * sw] += source[q]


@kernel("x[:,:,:,:], x[:,:,:], int, int, int, int, int, int -> x[:,:,:,:]", cost=4)
def conv2d_depthwise_input(g, weight, sh, sw, ph, pw, dh, dw, dx):  # type: ignore[no-untyped-def]
    """Add the gradient of the input to ``dx``, where a group has one channel; weight is ``[o, kh, kw]``."""
    n, c, h, w = dx.shape
    _, outputs, oh, ow = g.shape
    _, kh, kw = weight.shape
    each = outputs // c
    for plane in prange(n * c):
        i = plane // c
        channel = plane % c
        for o in range(channel * each, (channel + 1) * each):
            for ki in range(kh):
                above = ki * dh - ph
                top, bottom = met(above, sh, h, oh)
                for kj in range(kw):
                    left = kj * dw - pw
                    first, last = met(left, sw, w, ow)
                    if first == last:
                        continue
                    factor = weight[o, ki, kj]
                    for r in range(top, bottom):
                        source = g[i, o, r, first:last]
                        to = dx[i, channel, r * sh + above, first * sw + left :]
                        if sw == 1:
                            for q in range(last - first):
                                to[q] += source[q] * factor
                        else:
                            for q in range(last - first):
                                to[q * sw] += source[q] * factor
