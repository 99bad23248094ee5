"""Kernels that tests of the decorator run."""

import numpy as np

from backburner_autodiff.kernels import math as km
from backburner_autodiff.kernels._jit import kernel, prange, subroutine

BLOCK = 8  # rows per partial sum


@kernel("x[...], x[...], x -> x[...]", cost=2)
def sample_elementwise(g, x, scale, dx):
    for i in prange(x.size):
        dx[i] = g[i] * x[i] * scale + km.exp(-x[i] * x[i])


@kernel("x[:,:] -> x[:,:], x[:]", fastmath=True)
def sample_rows(x, y, total):
    for i in prange(x.shape[0]):
        top = km.max_of(x[i])
        s = x.dtype.type(0)
        for j in range(x.shape[1]):
            y[i, j] = km.exp(x[i, j] - top)
            s += y[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= s
        total[i] = s


@kernel("x[:,:] -> x[:], x[:,:]", fastmath=True)
def sample_blocks(x, total, partial):
    rows, columns = x.shape
    for b in prange(partial.shape[0]):
        for j in range(columns):
            partial[b, j] = 0
        for i in range(b * BLOCK, min(rows, (b + 1) * BLOCK)):
            for j in range(columns):
                partial[b, j] += x[i, j]
    for j in range(columns):
        total[j] = 0
    for b in range(partial.shape[0]):
        for j in range(columns):
            total[j] += partial[b, j]


@kernel("int[:], float, bool, uint -> int[:]")
def sample_scalars(indices, scale, negative, seed, y):
    for i in range(indices.size):
        y[i] = indices[i] * (-scale if negative else scale) + (seed & np.uint64(7))


@kernel("x[:] -> x[:]")
def sample_shift(x, y):
    for i in range(x.size):
        y[i] = x[i + 1]


@subroutine
def clamp(x, low):
    return low if x < low else x


@kernel("x[...] -> x[...]")
def sample_subroutine(x, y):
    low = x.dtype.type(0)
    for i in prange(x.size):
        y[i] = clamp(x[i], low)


@kernel("x[...] -> x[...]", cost=3)
def sample_exp(x, y):
    for i in prange(x.size):
        y[i] = km.exp(x[i])


@kernel("x[...] -> x[...]", cost=3)
def sample_log(x, y):
    for i in prange(x.size):
        y[i] = km.log(x[i])


@kernel("x[...] -> x[...]", cost=3)
def sample_tanh(x, y):
    for i in prange(x.size):
        y[i] = km.tanh(x[i])


@kernel("x[...] -> x[...]", cost=3)
def sample_sigmoid(x, y):
    for i in prange(x.size):
        y[i] = km.sigmoid(x[i])


@kernel("x[...] -> x[...]", cost=3)
def sample_erf(x, y):
    for i in prange(x.size):
        y[i] = km.erf(x[i])


@kernel("x[:,:] -> x[:]")
def sample_max(x, y):
    for i in prange(x.shape[0]):
        y[i] = km.max_of(x[i])


@kernel("x[...] -> x[...], x[...], x[...], x[...], x[...]", fastmath=True)
def sample_fast(x, exp, log, tanh, sigmoid, erf):
    for i in prange(x.size):
        exp[i] = km.exp(x[i])
        log[i] = km.log(x[i])
        tanh[i] = km.tanh(x[i])
        sigmoid[i] = km.sigmoid(x[i])
        erf[i] = km.erf(x[i])


@kernel("x[...] -> x[...]")
def sample_reciprocal(x, y):
    one = x.dtype.type(1)
    for i in prange(x.size):
        y[i] = one / x[i]
