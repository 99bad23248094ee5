"""Kernels of the gates of recurrent layers, one step at a time; a step is too small for threads.

Loops read few arrays each and start at 0, as LLVM gives up vector code where it must tell many apart, or where an
index may be negative.
"""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels._jit import kernel
from backburner_autodiff.kernels.math import sigmoid, tanh


@kernel("x[:,:] -> x[:,:], x[:,:], x[:,:]")
def lstm_forward(past: Any, acts: Any, c: Any, hidden: Any) -> None:
    """Make gates of what inputs, in acts, and states, in past, give; then the new cell in c, and the state in hidden.

    Shape:
        past and acts ``[n, 4 h]``, c and hidden ``[n, h]``.
    """
    n, h = c.shape
    for i in range(n):
        ys, xs = acts[i, : 2 * h], past[i, : 2 * h]
        for j in range(ys.size):
            ys[j] = sigmoid(ys[j] + xs[j])
        ys, xs = acts[i, 2 * h : 3 * h], past[i, 2 * h : 3 * h]
        for j in range(ys.size):
            ys[j] = tanh(ys[j] + xs[j])
        ys, xs = acts[i, 3 * h :], past[i, 3 * h :]
        for j in range(ys.size):
            ys[j] = sigmoid(ys[j] + xs[j])
        for j in range(h):
            c[i, j] = acts[i, h + j] * c[i, j] + acts[i, j] * acts[i, 2 * h + j]
        for j in range(h):
            hidden[i, j] = acts[i, 3 * h + j] * tanh(c[i, j])


@kernel("x[:,:], x[:,:], x[:,:], x[:,:] -> x[:,:], x[:,:]")
def lstm_backward(acts: Any, before: Any, cells: Any, dh: Any, dc: Any, dacts: Any) -> None:
    """Return the gradients of what the gates are made of, in dacts, and of the cell before, in dc, from that after.

    Shape:
        acts and dacts ``[n, 4 h]``; the cells before, those after, dh and dc ``[n, h]``.
    """
    n, h = dc.shape
    one = dc.dtype.type(1)
    for i in range(n):
        for j in range(h):
            dacts[i, 3 * h + j] = tanh(cells[i, j])
        for j in range(h):
            t = dacts[i, 3 * h + j]
            dc[i, j] += dh[i, j] * acts[i, 3 * h + j] * (one - t * t)
        for j in range(h):
            o = acts[i, 3 * h + j]
            dacts[i, 3 * h + j] *= dh[i, j] * (o * (one - o))
        for j in range(h):
            y = acts[i, j]
            dacts[i, j] = dc[i, j] * acts[i, 2 * h + j] * (y * (one - y))
        for j in range(h):
            f = acts[i, h + j]
            dacts[i, h + j] = dc[i, j] * before[i, j] * (f * (one - f))
        for j in range(h):
            y = acts[i, 2 * h + j]
            dacts[i, 2 * h + j] = dc[i, j] * acts[i, j] * (one - y * y)
        for j in range(h):
            dc[i, j] *= acts[i, h + j]


@kernel("x[:,:] -> x[:,:], x[:,:]")
def gru_forward(past: Any, acts: Any, h: Any) -> None:
    """Make gates of what inputs, in acts, and states, in past, give; then the new state in h.

    Shape:
        past and acts ``[n, 3 h]``, h ``[n, h]``.
    """
    n, size = h.shape
    for i in range(n):
        ys, xs = acts[i, : 2 * size], past[i, : 2 * size]
        for j in range(ys.size):
            ys[j] = sigmoid(ys[j] + xs[j])
        r, z = acts[i, :size], acts[i, size : 2 * size]
        ys, xs = acts[i, 2 * size :], past[i, 2 * size :]
        for j in range(ys.size):
            ys[j] = tanh(ys[j] + r[j] * xs[j])
        for j in range(ys.size):
            h[i, j] = z[j] * (h[i, j] - ys[j]) + ys[j]


@kernel("x[:,:], x[:,:], x[:,:] -> x[:,:], x[:,:], x[:,:]")
def gru_backward(acts: Any, inner: Any, before: Any, dh: Any, dacts: Any, dpast: Any) -> None:
    """Return the gradients of what inputs and states give the gates, and leave in dh what passes the gates by.

    Shape:
        acts, dacts and dpast ``[n, 3 h]``; inner, which r multiplies, the states before and dh ``[n, h]``.
    """
    n, size = dh.shape
    one = dh.dtype.type(1)
    for i in range(n):
        for j in range(size):
            new = acts[i, 2 * size + j]
            dacts[i, 2 * size + j] = dh[i, j] * (one - acts[i, size + j]) * (one - new * new)
        for j in range(size):
            dpast[i, 2 * size + j] = dacts[i, 2 * size + j] * acts[i, j]
        for j in range(size):
            r = acts[i, j]
            dacts[i, j] = dacts[i, 2 * size + j] * inner[i, j] * (r * (one - r))
        for j in range(size):
            z = acts[i, size + j]
            dacts[i, size + j] = dh[i, j] * (before[i, j] - acts[i, 2 * size + j]) * (z * (one - z))
        for j in range(2 * size):
            dpast[i, j] = dacts[i, j]
        for j in range(size):
            dh[i, j] *= acts[i, size + j]
