"""Kernels of the convolutions.

``columns`` is ``[c, kh, kw, n, rows, ow]``: for each tap of the kernel, the input that it meets at each place of
the output rows from ``top`` on, so that one matrix product takes a whole chunk of images.

Gather and scatter run between matrix products, whose threads spin on for a while and would take the cores from
ours: they declare a tenth of their cost, so that threads start for the largest chunks only.
"""

from __future__ import annotations

from backburner_autodiff.kernels._jit import kernel, prange, subroutine

BLOCK = 4096
"""Products that are added up in their own dtype; blocks of them are in float64."""


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


@kernel("x[:,:], x[:,:], int[:], int, int, int -> x[:,:]", cost=4)
def conv2d_depthwise(planes, weight, offsets, fan, share, length, out):  # type: ignore[no-untyped-def]
    """Fill the first ``length`` places of planes with sums over the taps of others, each from its offset on.

    ``weight`` is ``[o, taps]``. An output sums ``fan`` planes, or shares one with ``share - 1`` neighbours.
    """
    outputs, taps = weight.shape
    zero = planes.dtype.type(0)
    for plane in prange(out.shape[0]):
        to = out[plane, :length]
        for q in range(length):
            to[q] = zero
        for k in range(plane * fan, plane * fan + fan):
            for t in range(taps):
                factor = weight[k % outputs, t]
                met = planes[k // share, offsets[t] : offsets[t] + length]
                for q in range(length):
                    to[q] += factor * met[q]


@kernel("x[:,:], x[:,:], int[:], int, int -> float[:,:]", cost=4, fastmath=True)
def conv2d_depthwise_weight(g, planes, offsets, share, length, dweight):  # type: ignore[no-untyped-def]
    """Add to ``dweight``, ``[o, taps]``, the products of cotangents with what each tap meets."""
    outputs, taps = dweight.shape
    images = g.shape[0] // outputs
    zero = g.dtype.type(0)
    for o in prange(outputs):
        for i in range(images):
            plane = i * outputs + o
            for t in range(taps):
                for start in range(0, length, BLOCK):
                    size = min(BLOCK, length - start)
                    own = g[plane, start : start + size]
                    met = planes[plane // share, offsets[t] + start : offsets[t] + start + size]
                    total = zero
                    for q in range(size):
                        total += own[q] * met[q]
                    dweight[o, t] += total
