"""Matrix products."""

from __future__ import annotations

import math

import numpy as np

from backburner.contracts import Array
from backburner.threads import held, share

SHARED = 1 << 24
"""Products of numbers from which a matrix product is cut in parts for threads: some 150 us of work."""

THREADED = 1 << 18
"""Products of numbers up to which OpenBLAS multiplies two matrices on one thread; with a vector it is ``VECTOR``."""

VECTOR = 9000


def matmul(x: Array, y: Array, /) -> Array:
    """Return the product of matrices, large ones in parts on our threads, the others on one.

    OpenBLAS's own threads spin on for milliseconds when they are done, and hold a core that our threads want: a ResNet-18
    took 28 ms with them on two cores, and 18 without.
    """
    work = x.size * y.shape[-1] if y.ndim > 1 else x.size
    if work < VECTOR:
        return np.asarray(np.matmul(x, y))
    if x.ndim == y.ndim == 2:
        if work >= SHARED:
            return parted(x, y)
        if work < THREADED and len(x) > 1 and y.shape[1] > 1:
            return np.asarray(np.matmul(x, y))
    elif work >= SHARED and x.ndim == y.ndim and len(x) == len(y) > 0:
        return _stacked(x, y)
    return held(np.matmul, x, y)


def _stacked(x: Array, y: Array) -> Array:
    """Cut a stack of matrices by its first axis."""
    shape = (*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1])
    z: Array = np.empty(shape, np.result_type(x, y))
    if len(z) == 1:
        z[0] = matmul(x[0], y[0])
    else:
        parts = min(len(z), 16)
        share(lambda i: np.matmul(x[i::parts], y[i::parts], out=z[i::parts]), parts)
    return z


def parted(x: Array, y: Array) -> Array:
    """Return the product of two matrices, cut by shape alone, on our threads."""
    rows, columns = len(x), y.shape[1]
    if x.size * columns < SHARED:
        return held(np.matmul, x, y)
    z: Array = np.empty((rows, columns), np.result_type(x, y))
    work = x.size * columns >> 29
    parts = 2 if not work else 4 if work < 4 else 8  # each packs the other matrix again: few
    if rows >= columns:
        rows = -(-rows // parts)
        share(lambda i: np.matmul(x[(part := slice(i * rows, (i + 1) * rows))], y, out=z[part]), parts)
    else:
        columns = -(-columns // parts)
        share(
            lambda i: np.matmul(x, y[:, (part := slice(i * columns, (i + 1) * columns))], out=z[:, part]),
            parts,
        )
    return z


def linear(x: Array, weight: Array, bias: Array | None, /) -> Array:
    """Return ``x @ weight.T + bias`` by one GEMM, whatever the leading dimensions."""
    if x.ndim > 2:
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        y = matmul(rows, weight.T)
    else:
        y = matmul(x, weight.T)
    if bias is not None:
        y += bias
    return y.reshape(x.shape[:-1] + y.shape[-1:]) if x.ndim > 2 else y
