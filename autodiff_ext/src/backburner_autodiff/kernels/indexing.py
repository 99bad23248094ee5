"""Scatter-add, the backward of every gather."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner_autodiff.kernels._jit import kernel, prange

Array = np.ndarray[Any, np.dtype[Any]]

LONG = 1024
"""So many float32 may be added one after another: they lose 2e-6, typically."""

_COLUMNS = 64


@kernel("x[:,:,:], int[:], int[:] -> x[:,:,:], float[:,:,:]")
def scatter_rows(g: Any, indices: Any, slots: Any, out: Any, totals: Any) -> None:
    """Add ``g[:, k]`` to ``out[:, indices[k]]``, or to ``totals[:, slots[indices[k]]]`` where that slot is not -1.

    The tasks are columns, so that each place gets its sum in the order of ``k`` on any number of threads.

    Shape:
        g ``[a, k, b]``, indices ``[k]`` in ``[0, n)``, slots ``[n]`` or empty, out ``[a, n, b]``,
        totals ``[a, s, b]``.
    """
    count = indices.shape[0]
    width = g.shape[2]
    blocks = (width + _COLUMNS - 1) // _COLUMNS
    for task in prange(g.shape[0] * blocks):
        i = task // blocks
        start = task % blocks * _COLUMNS
        stop = min(start + _COLUMNS, width)
        for k in range(count):
            row = indices[k]
            slot = slots[row] if slots.shape[0] > 0 else -1
            if slot < 0:
                for j in range(start, stop):
                    out[i, row, j] += g[i, k, j]
            else:
                for j in range(start, stop):
                    totals[i, slot, j] += g[i, k, j]


def scatter_add(g: Array, indices: Array, shape: tuple[int, ...], axis: int, naxes: int = 1) -> Array:
    """Return zeros of ``shape`` with the entries of ``g`` added at ``indices``.

    An entry that is picked often enough for float32 to suffer adds up in float64.

    Shape:
        shape ``[a..., n..., b...]`` with ``naxes`` dimensions ``n`` from ``axis`` on, indices ``[i...]`` of int64
        into those dimensions in row-major order, g ``[a..., i..., b...]``.
    """
    before, dims, after = (
        int(np.prod(part, dtype=np.int64))
        for part in (shape[:axis], shape[axis : axis + naxes], shape[axis + naxes :])
    )
    picks = indices.reshape(-1)
    out = np.zeros((before, dims, after), g.dtype)
    if out.size and picks.size:
        often = np.empty(0, np.int64)
        if g.dtype == np.float32 and picks.size > LONG:
            often = np.flatnonzero(np.bincount(picks, minlength=dims) > LONG)
        slots = np.empty(0, np.int64)
        if often.size:
            slots = np.full(dims, -1)
            slots[often] = np.arange(often.size)
        totals = np.zeros((before, often.size, after))
        scatter_rows(g.reshape(before, picks.size, after), picks, slots, out, totals)
        if often.size:
            out[:, often] = totals
    return out.reshape(shape)


@kernel("x[:,:,:], int[:,:,:] -> x[:,:,:]")
def scatter_lanes(g: Any, indices: Any, out: Any) -> None:
    """Add ``g[i, k, j]`` to ``out[i, indices[i, k, j], j]``, each place in the order of ``k``.

    Shape:
        g and indices ``[a, k, b]`` in ``[0, n)``, out ``[a, n, b]``.
    """
    count = g.shape[1]
    width = g.shape[2]
    blocks = (width + _COLUMNS - 1) // _COLUMNS
    for task in prange(g.shape[0] * blocks):
        i = task // blocks
        start = task % blocks * _COLUMNS
        stop = min(start + _COLUMNS, width)
        for k in range(count):
            for j in range(start, stop):
                out[i, indices[i, k, j], j] += g[i, k, j]


def scatter_lines(g: Array, indices: Array, shape: tuple[int, ...], axis: int) -> Array:
    """Return zeros of ``shape`` with the entries of ``g`` added where ``indices`` say, line by line.

    Shape:
        shape ``[a..., n, b...]``, g and indices ``[a..., k, b...]`` in ``[0, n)``.
    """
    before, after = (int(np.prod(part, dtype=np.int64)) for part in (shape[:axis], shape[axis + 1 :]))
    count = g.shape[axis]
    dtype = np.dtype(np.float64) if count > LONG else g.dtype
    out = np.zeros((before, shape[axis], after), dtype)
    if out.size and count:
        lanes = (before, count, after)
        scatter_lanes(g.astype(dtype, copy=False).reshape(lanes), indices.reshape(lanes), out)
    return out.astype(g.dtype, copy=False).reshape(shape)
