"""Kernels of attention: what happens to the scores of a block between the matrix products.

The first argument is the array that they change, once more: an input, because the size of the first one says whether
threads pay. A mask of some rows starts anew after them; one without elements is none. The row ``i`` sees
``visible + i % rows`` keys, if there are as many: what is after them is neither read nor, but for zeros, written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner_autodiff.kernels._jit import kernel, prange
from backburner_autodiff.kernels._strict import difference
from backburner_autodiff.kernels.math import exp, max_of

CHUNK = 1024


@kernel("x[:,:], bool[:,:], bool[:,:], int, int -> x[:,:], x[:], x[:]", cost=3, fastmath=True)
def attention_forward(
    same: Any, mask: Any, kept: Any, visible: Any, rows: Any, scores: Any, highest: Any, reciprocal: Any
) -> None:
    """Make weights of scores, not yet divided by their sum.

    Shape:
        scores and kept ``[n, keys]``, mask ``[m, keys]``; highest and reciprocal, one over the sum, ``[n]``.
    """
    n, keys = scores.shape
    zero, lowest = scores.dtype.type(0), scores.dtype.type(-np.inf)
    for i in prange(n):
        seen = min(keys, visible + i % rows)
        row = scores[i, :seen]
        if mask.size:
            allowed = mask[i % mask.shape[0], :seen]
            for j in range(seen):
                row[j] = row[j] if allowed[j] else lowest
        largest = max_of(row)
        largest = zero if largest == lowest else largest
        whole = 0.0
        for start in range(0, seen, CHUNK):
            part = zero
            xs = row[start : start + CHUNK]
            for j in range(xs.size):
                e = exp(difference(xs[j], largest))
                xs[j] = e
                part += e
            whole += part
        if kept.size:
            for j in range(seen):
                row[j] = row[j] if kept[i, j] else zero
        for j in range(seen, keys):
            scores[i, j] = zero
        highest[i] = largest
        reciprocal[i] = 0.0 if whole == 0.0 else 1.0 / whole


@kernel("x[:,:], bool[:,:], bool[:,:], x[:], x[:], x[:], x, int, int -> x[:,:], x[:,:]", cost=4)
def attention_backward(
    same: Any, mask: Any, kept: Any, highest: Any, reciprocal: Any, mean: Any, keep_scale: Any, visible: Any, rows: Any,
    scores: Any, slopes: Any,
) -> None:  # fmt: skip
    """Make weights of scores again, and of the weights' gradients those of the scores.

    A weight of 0 passes nothing on, whatever comes from a value that takes no part.

    Shape:
        scores, slopes and kept ``[n, keys]``, mask ``[m, keys]``; highest, reciprocal and mean, the product of result
        and cotangent, ``[n]``.
    """
    n, keys = scores.shape
    zero, lowest = scores.dtype.type(0), scores.dtype.type(-np.inf)
    for i in prange(n):
        seen = min(keys, visible + i % rows)
        row, slope = scores[i, :seen], slopes[i, :seen]
        largest, scale, middle = highest[i], reciprocal[i], mean[i]
        if mask.size:
            allowed = mask[i % mask.shape[0], :seen]
            for j in range(seen):
                row[j] = row[j] if allowed[j] else lowest
        if kept.size:
            for j in range(seen):
                p = exp(difference(row[j], largest)) * scale
                k = keep_scale if kept[i, j] else zero
                row[j] = p * k
                slope[j] = zero if p == zero else p * (slope[j] * k - middle)
        else:
            for j in range(seen):
                p = exp(difference(row[j], largest)) * scale
                row[j] = p
                slope[j] = zero if p == zero else p * (slope[j] - middle)
        for j in range(seen, keys):
            scores[i, j] = zero
            slopes[i, j] = zero
