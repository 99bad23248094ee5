"""Forward of max_unpool2d."""

from __future__ import annotations

import numpy as np

from backburner.contracts import Array, Pair


def max_unpool2d(x: Array, indices: Array, /, *, size: Pair) -> Array:
    """Return planes of ``size`` with the elements of ``x`` at their indices; the last of several stays."""
    n, c, h, w = x.shape
    y = np.zeros((n, c, size[0] * size[1]), x.dtype)
    # contiguous, as NumPy goes through arrays of negative strides from their end
    places = np.ascontiguousarray(indices).reshape(n, c, h * w)
    np.put_along_axis(y, places, np.ascontiguousarray(x).reshape(n, c, h * w), 2)
    return y.reshape(n, c, *size)
