"""Forward of max_unpool2d."""

from __future__ import annotations

import numpy as np

from backburner.contracts import Array, Pair


def max_unpool2d(x: Array, indices: Array, /, *, size: Pair) -> Array:
    """Return planes of ``size`` with the elements of ``x`` at their indices; the last of several stays."""
    y = np.zeros((*x.shape[:2], *size), x.dtype)
    y.reshape(-1)[places_of_planes(indices, size)] = x.reshape(-1)
    return y


def places_of_planes(indices: Array, size: Pair) -> Array:
    """Return the numbers of elements of ``[n, c, *size]`` that are named by their indices in each plane."""
    n, c, h, w = indices.shape
    starts = np.arange(n * c) * (size[0] * size[1])
    return np.asarray((indices.reshape(n * c, h * w) + starts[:, None]).reshape(-1))
