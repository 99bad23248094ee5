"""Matrix products."""

from __future__ import annotations

import math

import numpy as np

from backburner.contracts import Array
from backburner.threads import is_deterministic, share

SHARED = 1 << 24
"""Products of numbers from which a matrix product may be cut in parts for threads: some 150 us of work."""


def matmul(x: Array, y: Array, /) -> Array:
    """Return the product of matrices, in parts on threads where that pays and OpenBLAS does not see to it."""
    if x.size < SHARED // max(y.shape[-1], 1) or x.ndim < 2 or y.ndim < 2:
        z: Array = np.matmul(x, y)
        return z
    return _shared(x, y)


def _shared(x: Array, y: Array) -> Array:
    """Cut a stack of matrices by its first axis, and under ``deterministic`` a product of two, all by shape alone."""
    if x.ndim == y.ndim > 2 and len(x) == len(y) > 0:
        z: Array = np.empty(
            (*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1]), np.result_type(x, y)
        )
        if len(z) == 1:
            z[0] = matmul(x[0], y[0])
        else:
            parts = min(len(z), 16)
            share(lambda i: np.matmul(x[i::parts], y[i::parts], out=z[i::parts]), parts)
        return z
    if x.ndim > 2 or y.ndim > 2 or not is_deterministic():
        return np.asarray(np.matmul(x, y))
    return parted(x, y)


def parted(x: Array, y: Array) -> Array:
    """Return the product of two matrices, cut by shape, on our threads: those of OpenBLAS spin on when it is done."""
    rows, columns = len(x), y.shape[1]
    if x.size * columns < SHARED:
        return np.asarray(np.matmul(x, y))
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
