"""Kernels of recurrent layers: a block of sequences through all steps, so that threads never wait for each other.

``spans`` holds of each step, in the order of computation, its first row and its number of rows, as
``backburner.backends.numpy.recurrent`` packs them; weights are packed by ``_product``. ``scratch``, ``[blocks, 8, m]``,
is room for a step's products. A block is eight sequences.

Loops read few arrays each and start at 0, as LLVM gives up vector code where it must tell many apart, or where an
index may be negative.
"""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels import _pool
from backburner_autodiff.kernels._jit import PARALLEL_WORK, Kernel, kernel, prange, subroutine
from backburner_autodiff.kernels._product import ROWS, product
from backburner_autodiff.kernels.math import sigmoid, tanh


def run(made: Kernel, sequences: int, work: float, *args: Any) -> None:
    """Run a kernel on threads where there are blocks for two, and its quarters of a nanosecond pay."""
    if sequences > ROWS and work >= PARALLEL_WORK and _pool.usable():
        made.parallel(*args)
    else:
        made.serial(*args)


@subroutine
def _sigmoid_of_sum(acts: Any, past: Any, bias: Any) -> None:
    for j in range(acts.size):
        acts[j] = sigmoid(acts[j] + past[j] + bias[j])


@subroutine
def _tanh_of_sum(acts: Any, past: Any, bias: Any) -> None:
    for j in range(acts.size):
        acts[j] = tanh(acts[j] + past[j] + bias[j])


@subroutine
def _add(x: Any, y: Any) -> None:
    for j in range(y.size):
        y[j] += x[j]


@subroutine
def _copy(x: Any, y: Any) -> None:
    for j in range(y.size):
        y[j] = x[j]


@kernel("x[:,:,:], x[:,:,:], x[:], int[:,:] -> x[:,:], x[:,:], x[:,:], x[:,:], x[:,:], x[:,:,:], x[:,:,:]")
def lstm_forward(weight: Any, project: Any, bias: Any, spans: Any, acts: Any, h: Any, c: Any, states: Any, cells: Any,
                 scratch: Any, hidden: Any) -> None:  # fmt: skip
    """Make gates of what the inputs give, in acts, and run from the first states and cells, in h and c, to the last.

    Shape:
        acts ``[rows, 4 h]``, h ``[n, p]``, c ``[n, h]``, states ``[rows, p]``, cells ``[rows, h]``, hidden ``[blocks, 8, h]``,
        project packed ``[h, p]``, or empty for none.
    """
    n, size = c.shape
    for block in prange((n + ROWS - 1) // ROWS):
        low = block * ROWS
        past, squashed = scratch[block], hidden[block]
        for s in range(spans.shape[0]):
            first = spans[s, 0] + low
            count = min(ROWS, spans[s, 1] - low)
            if count <= 0:
                continue
            product(h, low, count, weight, past)
            for r in range(count):
                ys, xs = acts[first + r], past[r]
                _sigmoid_of_sum(ys[: 2 * size], xs[: 2 * size], bias[: 2 * size])
                _tanh_of_sum(ys[2 * size : 3 * size], xs[2 * size : 3 * size], bias[2 * size : 3 * size])
                _sigmoid_of_sum(ys[3 * size :], xs[3 * size : 4 * size], bias[3 * size :])
                cell, to = c[low + r], squashed[r]
                for j in range(size):
                    cell[j] = ys[size + j] * cell[j] + ys[j] * ys[2 * size + j]
                _copy(cell, cells[first + r])
                for j in range(size):
                    to[j] = ys[3 * size + j] * tanh(cell[j])
            if project.size:
                product(squashed, 0, count, project, past)
            for r in range(count):
                source = past[r] if project.size else squashed[r]
                _copy(source, h[low + r])
                _copy(source, states[first + r])


@kernel(
    "x[:,:,:], x[:,:,:], int[:,:], x[:,:], x[:,:], x[:,:], x[:,:]"
    " -> x[:,:], x[:,:], x[:,:], x[:,:], x[:,:,:], x[:,:,:]"
)
def lstm_backward(weight: Any, project: Any, spans: Any, acts: Any, cells: Any, c0: Any, arriving: Any, dh: Any, dc: Any,
                  dacts: Any, dstates: Any, scratch: Any, hidden: Any) -> None:  # fmt: skip
    """Run back from the cotangents of the last states and cells, in dh and dc, to those of the first.

    ``arriving`` are those of all states, or of no row; dacts becomes what the sums of the gates get.

    Shape:
        as forward; weight packed ``[4 h, p]``, project ``[p, h]``; dstates ``[rows, p]``, of no row without project.
    """
    n, size = dc.shape
    one = dc.dtype.type(1)
    for block in prange((n + ROWS - 1) // ROWS):
        low = block * ROWS
        past, squashed = scratch[block], hidden[block]
        for s in range(spans.shape[0] - 1, -1, -1):
            first = spans[s, 0] + low
            count = min(ROWS, spans[s, 1] - low)
            if count <= 0:
                continue
            if arriving.shape[0]:
                for r in range(count):
                    _add(arriving[first + r], dh[low + r])
            if project.size:
                for r in range(count):
                    _copy(dh[low + r], dstates[first + r])
                product(dh, low, count, project, squashed)
            for r in range(count):
                g = squashed[r] if project.size else dh[low + r]
                before = c0[low + r]
                if s and low + r < spans[s - 1, 1]:
                    before = cells[spans[s - 1, 0] + low + r]
                ys, ds, cell, dcell = acts[first + r], dacts[first + r], cells[first + r], dc[low + r]
                dnew = ds[3 * size :]
                for j in range(size):
                    dnew[j] = tanh(cell[j])
                for j in range(size):
                    t = dnew[j]
                    dcell[j] += g[j] * ys[3 * size + j] * (one - t * t)
                for j in range(size):
                    o = ys[3 * size + j]
                    dnew[j] *= g[j] * (o * (one - o))
                for j in range(size):
                    y = ys[j]
                    ds[j] = dcell[j] * ys[2 * size + j] * (y * (one - y))
                for j in range(size):
                    f = ys[size + j]
                    ds[size + j] = dcell[j] * before[j] * (f * (one - f))
                for j in range(size):
                    y = ys[2 * size + j]
                    ds[2 * size + j] = dcell[j] * ys[j] * (one - y * y)
                for j in range(size):
                    dcell[j] *= ys[size + j]
            product(dacts, first, count, weight, past)
            for r in range(count):
                _copy(past[r], dh[low + r])


@kernel("x[:,:,:], x[:], x[:], int[:,:] -> x[:,:], x[:,:], x[:,:], x[:,:], x[:,:,:]")
def gru_forward(weight: Any, bias: Any, bias_inner: Any, spans: Any, acts: Any, h: Any, states: Any, inner: Any,
                scratch: Any) -> None:  # fmt: skip
    """Make gates of what the inputs give, in acts, and run from the first states, in h, to the last.

    Shape:
        acts ``[rows, 3 h]``, h ``[n, h]``, states, and inner, which r multiplies, ``[rows, h]``.
    """
    n, size = h.shape
    for block in prange((n + ROWS - 1) // ROWS):
        low = block * ROWS
        past = scratch[block]
        for s in range(spans.shape[0]):
            first = spans[s, 0] + low
            count = min(ROWS, spans[s, 1] - low)
            if count <= 0:
                continue
            product(h, low, count, weight, past)
            for r in range(count):
                ys, xs, state = acts[first + r], past[r], h[low + r]
                _sigmoid_of_sum(ys[: 2 * size], xs[: 2 * size], bias[: 2 * size])
                times, new, mine = inner[first + r], ys[2 * size :], xs[2 * size :]
                for j in range(size):
                    times[j] = mine[j] + bias_inner[j]
                for j in range(size):
                    mine[j] = ys[j] * times[j]
                _tanh_of_sum(new, mine, bias[2 * size :])
                for j in range(size):
                    state[j] = ys[size + j] * (state[j] - new[j]) + new[j]
                _copy(state, states[first + r])


@kernel("x[:,:,:], int[:,:], x[:,:], x[:,:], x[:,:], x[:,:], x[:,:] -> x[:,:], x[:,:], x[:,:], x[:,:,:]")
def gru_backward(weight: Any, spans: Any, acts: Any, inner: Any, states: Any, h0: Any, arriving: Any, dh: Any, dacts: Any,
                 dpast: Any, scratch: Any) -> None:  # fmt: skip
    """Run back from the cotangents of the last states, in dh, to those of the first.

    ``arriving`` are those of all states, or of no row; dacts and dpast become what inputs and states give the gates get.

    Shape:
        as forward; weight packed ``[3 h, h]``, dpast as acts.
    """
    n, size = dh.shape
    one = dh.dtype.type(1)
    for block in prange((n + ROWS - 1) // ROWS):
        low = block * ROWS
        past = scratch[block]
        for s in range(spans.shape[0] - 1, -1, -1):
            first = spans[s, 0] + low
            count = min(ROWS, spans[s, 1] - low)
            if count <= 0:
                continue
            for r in range(count):
                g = dh[low + r]
                if arriving.shape[0]:
                    _add(arriving[first + r], g)
                before = h0[low + r]
                if s and low + r < spans[s - 1, 1]:
                    before = states[spans[s - 1, 0] + low + r]
                ys, ds, dp, times = acts[first + r], dacts[first + r], dpast[first + r], inner[first + r]
                for j in range(size):
                    new = ys[2 * size + j]
                    ds[2 * size + j] = g[j] * (one - ys[size + j]) * (one - new * new)
                for j in range(size):
                    dp[2 * size + j] = ds[2 * size + j] * ys[j]
                for j in range(size):
                    y = ys[j]
                    ds[j] = ds[2 * size + j] * times[j] * (y * (one - y))
                for j in range(size):
                    z = ys[size + j]
                    ds[size + j] = g[j] * (before[j] - ys[2 * size + j]) * (z * (one - z))
                for j in range(2 * size):
                    dp[j] = ds[j]
                for j in range(size):
                    g[j] *= ys[size + j]
            product(dpast, first, count, weight, past)
            for r in range(count):
                _add(past[r, :size], dh[low + r])


@kernel("x[:,:,:], int[:,:], x[:,:], x[:,:], bool -> x[:,:], x[:,:], x[:,:,:]")
def rnn_backward(weight: Any, spans: Any, states: Any, arriving: Any, squashed: bool, dh: Any, dacts: Any,
                 scratch: Any) -> None:  # fmt: skip
    """Run back from the cotangents of the last states, in dh, to those of the first; of tanh if squashed, else relu.

    Shape:
        states and dacts ``[rows, h]``, dh ``[n, h]``; weight packed ``[h, h]``; ``arriving`` has all rows or none.
    """
    n, size = dh.shape
    one, zero = dh.dtype.type(1), dh.dtype.type(0)
    for block in prange((n + ROWS - 1) // ROWS):
        low = block * ROWS
        past = scratch[block]
        for s in range(spans.shape[0] - 1, -1, -1):
            first = spans[s, 0] + low
            count = min(ROWS, spans[s, 1] - low)
            if count <= 0:
                continue
            for r in range(count):
                g, ys, ds = dh[low + r], states[first + r], dacts[first + r]
                if arriving.shape[0]:
                    _add(arriving[first + r], g)
                if squashed:
                    for j in range(size):
                        ds[j] = g[j] * (one - ys[j] * ys[j])
                else:
                    for j in range(size):
                        ds[j] = zero if ys[j] <= zero else g[j]
            product(dacts, first, count, weight, past)
            for r in range(count):
                _copy(past[r, :size], dh[low + r])
