"""Kernels of the pooling ops, over planes ``[n * c, h, w]``.

A window's tap is numbered ``ki * kw + kj``. Where the window of output ``(r, q)`` stands in a flat plane is
``(r * sh - ph) * w + q * sw - pw``, and ``offsets`` holds how far each tap is from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner_autodiff.kernels._jit import kernel, prange, subroutine
from backburner_autodiff.kernels.conv import met

FEW_TAPS = 255
"""A window of fewer taps has their numbers in uint8, and ``FEW_TAPS`` where it meets no input."""


@subroutine
def _find_taps(
    plane: int, x: Any, out: Any,
    kh: int, kw: int, sh: int, sw: int, ph: int, pw: int, dh: int, dw: int, none: Any, taps: Any,
) -> None:  # fmt: skip
    _, h, w = x.shape
    _, oh, ow = out.shape
    for r in range(oh):
        for q in range(ow):
            taps[plane, r, q] = none
    line = np.empty(ow, x.dtype)
    for ki in range(kh):
        above = ki * dh - ph
        top, bottom = met(above, sh, h, oh)
        for kj in range(kw):
            left = kj * dw - pw
            first, last = met(left, sw, w, ow)
            if first == last:
                continue
            tap = taps.dtype.type(ki * kw + kj)
            for r in range(top, bottom):
                source = x[plane, r * sh + above, first * sw + left :]
                largest = out[plane, r, first:last]
                found = taps[plane, r, first:last]
                # two loops, as only the second becomes vector code
                for q in range(last - first):
                    line[q] = source[q * sw]
                for q in range(last - first):
                    value = line[q]
                    here = ((value == largest[q]) & (found[q] == none)) | (value != value)
                    found[q] = tap if here else found[q]


@kernel("x[:,:,:], x[:,:,:], int, int, int, int, int, int, int, int -> uint8[:,:,:]", cost=1)
def max_pool2d_taps(x, out, kh, kw, sh, sw, ph, pw, dh, dw, taps):  # type: ignore[no-untyped-def]
    """Find the tap of each window that holds its largest element: the first of equals, the last NaN."""
    for plane in prange(x.shape[0]):
        _find_taps(plane, x, out, kh, kw, sh, sw, ph, pw, dh, dw, taps.dtype.type(255), taps)


@kernel("x[:,:,:], x[:,:,:], int, int, int, int, int, int, int, int -> int[:,:,:]", cost=1)
def max_pool2d_taps_of_many(x, out, kh, kw, sh, sw, ph, pw, dh, dw, taps):  # type: ignore[no-untyped-def]
    """Find the same for large windows; -1 is for a window that meets no input."""
    for plane in prange(x.shape[0]):
        _find_taps(plane, x, out, kh, kw, sh, sw, ph, pw, dh, dw, taps.dtype.type(-1), taps)


@subroutine
def _give(
    plane: int, g: Any, taps: Any, offsets: Any, w: int, sh: int, sw: int, ph: int, pw: int, none: int, dx: Any
) -> None:  # fmt: skip
    for r in range(g.shape[1]):
        start = (r * sh - ph) * w - pw
        for q in range(g.shape[2]):
            tap = taps[plane, r, q]
            if tap != none:
                dx[plane, start + q * sw + offsets[tap]] += g[plane, r, q]


@kernel("x[:,:,:], uint8[:,:,:], int[:], int, int, int, int, int -> x[:,:]", cost=1.5)
def max_pool2d_scatter(g, taps, offsets, w, sh, sw, ph, pw, dx):  # type: ignore[no-untyped-def]
    """Add the cotangent of each window to the input it came from, in flat planes whose rows have ``w`` elements."""
    for plane in prange(g.shape[0]):
        _give(plane, g, taps, offsets, w, sh, sw, ph, pw, 255, dx)


@kernel("x[:,:,:], int[:,:,:], int[:], int, int, int, int, int -> x[:,:]", cost=1.5)
def max_pool2d_scatter_of_many(g, taps, offsets, w, sh, sw, ph, pw, dx):  # type: ignore[no-untyped-def]
    """Do the same for large windows."""
    for plane in prange(g.shape[0]):
        _give(plane, g, taps, offsets, w, sh, sw, ph, pw, -1, dx)


@kernel("x[:,:,:], int[:], int[:], int, int, int, int, int, int -> x[:,:,:]", cost=2.5)
def avg_pool2d_scatter(g, rows, columns, kh, kw, sh, sw, ph, pw, dx):  # type: ignore[no-untyped-def]
    """Spread the cotangent of each window evenly; its divisor is ``rows[r] * columns[q]``."""
    planes, oh, ow = g.shape
    h, w = dx.shape[1:]
    for plane in prange(planes):
        line = np.empty(w, g.dtype)
        for r in range(oh):
            for z in range(w):
                line[z] = 0
            for q in range(ow):
                share = g[plane, r, q] / g.dtype.type(rows[r] * columns[q])
                for z in range(max(0, q * sw - pw), min(w, q * sw - pw + kw)):
                    line[z] += share
            for y in range(max(0, r * sh - ph), min(h, r * sh - ph + kh)):
                for z in range(w):
                    dx[plane, y, z] += line[z]
