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
    x: Any, out: Any, kh: int, kw: int, sh: int, sw: int, ph: int, pw: int, dh: int, dw: int, none: Any, taps: Any
) -> None:  # fmt: skip
    h, w = x.shape
    oh, ow = out.shape
    taps[:] = none
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
                source = x[r * sh + above, first * sw + left :]
                largest = out[r, first:last]
                found = taps[r, first:last]
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
        _find_taps(x[plane], out[plane], kh, kw, sh, sw, ph, pw, dh, dw, taps.dtype.type(255), taps[plane])


@kernel("x[:,:,:], x[:,:,:], int, int, int, int, int, int, int, int -> int[:,:,:]", cost=1)
def max_pool2d_taps_of_many(x, out, kh, kw, sh, sw, ph, pw, dh, dw, taps):  # type: ignore[no-untyped-def]
    """Find the same for large windows; -1 is for a window that meets no input."""
    for plane in prange(x.shape[0]):
        _find_taps(x[plane], out[plane], kh, kw, sh, sw, ph, pw, dh, dw, taps.dtype.type(-1), taps[plane])


@subroutine
def _give(
    g: Any, taps: Any, offsets: Any, sh: int, sw: int, ph: int, pw: int, none: int, dx: Any
) -> None:  # fmt: skip
    oh, ow = g.shape
    w = dx.shape[1]
    plane = dx.reshape(dx.size)
    for r in range(oh):
        start = (r * sh - ph) * w - pw
        for q in range(ow):
            tap = taps[r, q]
            if tap != none:
                plane[start + q * sw + offsets[tap]] += g[r, q]


@kernel("x[:,:,:], uint8[:,:,:], int[:], int, int, int, int -> x[:,:,:]", cost=1.5)
def max_pool2d_scatter(g, taps, offsets, sh, sw, ph, pw, dx):  # type: ignore[no-untyped-def]
    """Add the cotangent of each window to the input that it came from."""
    for plane in prange(g.shape[0]):
        _give(g[plane], taps[plane], offsets, sh, sw, ph, pw, 255, dx[plane])


@kernel("x[:,:,:], int[:,:,:], int[:], int, int, int, int -> x[:,:,:]", cost=1.5)
def max_pool2d_scatter_of_many(g, taps, offsets, sh, sw, ph, pw, dx):  # type: ignore[no-untyped-def]
    """Do the same for large windows."""
    for plane in prange(g.shape[0]):
        _give(g[plane], taps[plane], offsets, sh, sw, ph, pw, -1, dx[plane])


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
