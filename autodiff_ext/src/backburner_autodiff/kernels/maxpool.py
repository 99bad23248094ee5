"""Kernels of max pooling, over planes ``[n * c, h, w]``.

Where the largest element of a window is, is kept in one of two ways. Of a window of few taps it is the number of
its tap, ``ki * kw + kj``, in a byte; the window of output ``(r, q)`` stands at ``(r * sh - ph) * w + q * sw - pw`` in
the flat plane, and ``offsets`` holds how far each tap is from there. Otherwise it is the index in the flat plane.
Either is a sum of one number for the row of the input and one for the column, so that one search finds both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner_autodiff.kernels._jit import kernel, prange, subroutine
from backburner_autodiff.kernels.conv import met

FEW_TAPS = 255
"""A window of fewer taps has their numbers in uint8, and ``FEW_TAPS`` where it meets no input."""


@subroutine
def _compare(values: Any, numbers: Any, more: int, largest: Any, places: Any) -> None:
    """Take over the values that are larger, or NaN, or the first; their places are ``more + numbers``."""
    for q in range(largest.shape[0]):
        value = values[q]
        wins = (value > largest[q]) | (value != value) | (places[q] < 0)
        largest[q] = value if wins else largest[q]
        places[q] = more + numbers[q] if wins else places[q]


@subroutine
def _scan_columns(
    values: Any, rows: Any, kw: int, sw: int, pw: int, dw: int, step: int, line: int, columns: Any, out: Any,
    places: Any, none: Any, origin: int,
) -> None:  # fmt: skip
    """Choose among the largest elements of columns, ``values``, each in row ``rows`` of its window."""
    w = values.shape[0]
    for q in range(out.shape[0]):
        start = q * sw - pw
        first = 0
        last = kw
        if start < 0:
            first = (dw - 1 - start) // dw
        if start + (kw - 1) * dw >= w:
            last = (w - 1 - start) // dw + 1
        if first >= last:
            out[q] = out.dtype.type(-np.inf)
            places[q] = none
            continue
        best = values[start + first * dw]
        row = rows[start + first * dw]
        found = first
        for kj in range(first + 1, last):
            value = values[start + kj * dw]
            other = rows[start + kj * dw]
            larger = (value > best) | ((value == best) & (other < row))
            wins = larger | ((value != value) & ((best == best) | (other >= row)))
            best = value if wins else best
            row = other if wins else row
            found = kj if wins else found
        out[q] = best
        places[q] = origin + row * line + columns[q] + found * step


@subroutine
def _pool_by_columns(
    x: Any, kh: int, kw: int, sh: int, sw: int, ph: int, pw: int, dh: int, dw: int,
    columns: Any, step: int, origin: int, above: int, line: int, none: Any, out: Any, places: Any,
) -> None:  # fmt: skip
    """Pool a plane down its columns first: for windows that few others overlap."""
    h, w = x.shape
    lowest = x.dtype.type(-np.inf)
    largest = np.empty(w, x.dtype)
    rows = np.empty(w, columns.dtype)
    zeros = np.zeros(w, columns.dtype)
    for r in range(out.shape[0]):
        start = r * sh - ph
        first = max(0, (dh - 1 - start) // dh)
        last = min(kh, (h - 1 - start) // dh + 1)
        for z in range(w):
            largest[z] = lowest
            rows[z] = -1
        for ki in range(first, last):
            _compare(x[start + ki * dh], zeros, ki, largest, rows)
        if first >= last:
            for q in range(out.shape[1]):
                out[r, q] = lowest
                places[r, q] = none
        else:
            _scan_columns(
                largest,
                rows,
                kw,
                sw,
                pw,
                dw,
                step,
                line,
                columns,
                out[r],
                places[r],
                none,
                origin + r * above,
            )


@subroutine
def _pool_by_rows(
    x: Any, kh: int, kw: int, sh: int, ph: int, pw: int, dh: int, dw: int,
    columns: Any, step: int, origin: int, above: int, line: int, none: Any, out: Any, places: Any,
) -> None:  # fmt: skip
    """Pool a plane along its rows first: for windows that stand side by side."""
    h, w = x.shape
    oh, ow = out.shape
    lowest = x.dtype.type(-np.inf)
    largest = np.empty((h, ow), x.dtype)
    numbers = np.empty((h, ow), columns.dtype)
    for y in range(h):
        for q in range(ow):
            largest[y, q] = lowest
            numbers[y, q] = -1
        for kj in range(kw):
            left = kj * dw - pw
            first, last = met(left, 1, w, ow)
            if first < last:
                part = slice(first, last)
                _compare(x[y, first + left :], columns[part], kj * step, largest[y, part], numbers[y, part])
    found = np.empty(ow, columns.dtype)
    for r in range(oh):
        for q in range(ow):
            out[r, q] = lowest
            found[q] = -1
        start = r * sh - ph
        first = max(0, (dh - 1 - start) // dh)
        last = min(kh, (h - 1 - start) // dh + 1)
        for ki in range(first, last):
            y = start + ki * dh
            _compare(largest[y], numbers[y], origin + r * above + ki * line, out[r], found)
        for q in range(ow):
            # a column that no tap meets in one row it meets in none
            meets = first < last and numbers[start + first * dh, q] >= 0
            places[r, q] = found[q] if meets else none


@subroutine
def _scatter_by_fours(g: Any, taps: Any, dx: Any, w: int) -> None:
    """Do the adjoint of that, in a flat plane."""
    zero, two, one = g.dtype.type(0), np.uint64(2), np.uint64(1)
    for r in range(g.shape[0]):
        above, below, own, found = dx[2 * r * w : (2 * r + 1) * w], dx[(2 * r + 1) * w :], g[r], taps[r]
        for k in range(own.size):
            q = np.uint64(k)
            value, tap = own[q] + zero, found[q]
            above[two * q] = value if tap == 0 else zero
            above[two * q + one] = value if tap == 1 else zero
            below[two * q] = value if tap == 2 else zero
            below[two * q + one] = value if tap == 3 else zero


@subroutine
def _pool_plane(
    x: Any, kh: int, kw: int, sh: int, sw: int, ph: int, pw: int, dh: int, dw: int,
    columns: Any, step: int, origin: int, above: int, line: int, none: Any, out: Any, places: Any,
) -> None:  # fmt: skip
    """Pool one plane. A place is ``columns[q] + kj * step + origin + r * above + ki * line``."""
    if sw == 1 and kw < out.shape[1]:
        _pool_by_rows(x, kh, kw, sh, ph, pw, dh, dw, columns, step, origin, above, line, none, out, places)
    else:
        _pool_by_columns(
            x, kh, kw, sh, sw, ph, pw, dh, dw, columns, step, origin, above, line, none, out, places
        )


@kernel("x[:,:,:], int, int, int, int, int, int, int, int -> x[:,:,:], uint8[:,:,:]", cost=3)
def max_pool2d_taps(x, kh, kw, sh, sw, ph, pw, dh, dw, out, taps):  # type: ignore[no-untyped-def]
    """Find the largest element of each window and its tap: the first of equals, the last NaN."""
    for plane in prange(x.shape[0]):
        columns = np.zeros(out.shape[2], np.int32)
        none = taps.dtype.type(255)
        _pool_plane(
            x[plane], kh, kw, sh, sw, ph, pw, dh, dw, columns, 1, 0, 0, kw, none, out[plane], taps[plane]
        )


@kernel("x[:,:,:] -> x[:,:,:], uint8[:,:,:]", cost=3)
def max_pool2d_fours(x, out, taps):  # type: ignore[no-untyped-def]
    """Do so for windows of two by two that stand side by side, in one vector loop; it is compiled much sooner."""
    # what is unsigned is not asked whether it counts from the end
    two, one = np.uint64(2), np.uint64(1)
    for plane in prange(x.shape[0]):
        for r in range(out.shape[1]):
            above, below = x[plane, 2 * r], x[plane, 2 * r + 1]
            best, found = out[plane, r], taps[plane, r]
            for k in range(best.size):
                q = np.uint64(k)
                first, second = above[two * q], above[two * q + one]
                third, fourth = below[two * q], below[two * q + one]
                later = (second > first) | (second != second)
                value, tap = second if later else first, np.uint8(1) if later else np.uint8(0)
                later = (third > value) | (third != third)
                value, tap = third if later else value, np.uint8(2) if later else tap
                later = (fourth > value) | (fourth != fourth)
                best[q], found[q] = fourth if later else value, np.uint8(3) if later else tap


@kernel("x[:,:,:], int, int, int, int, int, int, int, int -> x[:,:,:], int[:,:,:]", cost=3)
def max_pool2d_indices(x, kh, kw, sh, sw, ph, pw, dh, dw, out, indices):  # type: ignore[no-untyped-def]
    """Find the same and the index in the flat plane; -1 is for a window that meets no input."""
    w = x.shape[2]
    for plane in prange(x.shape[0]):
        columns = np.empty(out.shape[2], np.int64)
        for q in range(out.shape[2]):
            columns[q] = q * sw - pw
        none = indices.dtype.type(-1)
        _pool_plane(
            x[plane], kh, kw, sh, sw, ph, pw, dh, dw,
            columns, dw, -ph * w, sh * w, dh * w, none, out[plane], indices[plane],
        )  # fmt: skip


@kernel("x[:,:,:], uint8[:,:,:], int[:], int, int, int, int, int -> x[:,:]", cost=1.5)
def max_pool2d_scatter_taps(g, taps, offsets, w, sh, sw, ph, pw, dx):  # type: ignore[no-untyped-def]
    """Add the cotangent of each window to the input it came from, in flat planes whose rows have ``w`` elements."""
    in_plane = 2 * g.shape[1] * w <= dx.shape[1] and 2 * g.shape[2] <= w
    fours = in_plane and sh == sw == 2 and ph == pw == 0 and offsets.size == 4
    fours = fours and offsets[1] == 1 and offsets[2] == w and offsets[3] == w + 1
    for plane in prange(g.shape[0]):
        if fours:
            _scatter_by_fours(g[plane], taps[plane], dx[plane], w)
        else:
            for r in range(g.shape[1]):
                start = (r * sh - ph) * w - pw
                for q in range(g.shape[2]):
                    tap = taps[plane, r, q]
                    if tap != 255:
                        dx[plane, start + q * sw + offsets[tap]] += g[plane, r, q]


@kernel("x[:,:], int[:,:] -> x[:,:]", cost=1.5)
def max_pool2d_scatter(g, indices, dx):  # type: ignore[no-untyped-def]
    """Do the same by indices into the flat planes."""
    for plane in prange(g.shape[0]):
        for q in range(g.shape[1]):
            index = indices[plane, q]
            if index >= 0:
                dx[plane, index] += g[plane, q]
