"""The kernel of average pooling, over planes ``[n * c, h, w]``."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.kernels._jit import kernel, prange


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
