"""Reductions, scans and sorting."""

from __future__ import annotations

import backburner as bb
from burn_cases._case import LARGE, MIXED, NEXT, SIGNED, SMALL, Case

HOLED = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def scanned(axis: int):  # type: ignore[no-untyped-def]
    """Return a program with a running sum of a product."""
    return lambda x, y: x * bb.cumulative_sum(x @ y, axis)


CASES = [
    Case("mean", lambda x, y: x * (x @ y).mean(), (MIXED, SIGNED), ([[3.5, 9.5]], [[-0.75], [3]])),
    Case("sum", lambda x, y: x * (x @ y).sum(), (MIXED, SIGNED), ([[14, 38]], [[-3], [12]])),
    Case(
        "sum over an axis, times its terms",
        lambda x, y: (x @ y).sum(1, keepdims=True) * (x @ y),
        (SMALL, LARGE),
        ([[494, 722], [2990, 4370]], [[690], [958]]),
    ),
    Case(
        "mean over an axis",
        lambda x, y: x * (x @ y).mean(1, keepdims=True),
        (MIXED, SIGNED),
        ([[4, 36], [3, -17]], [[9], [35.5]]),
    ),
    Case(
        "sum over an axis",
        lambda x, y: x * (x @ y).sum(1, keepdims=True),
        (MIXED, SIGNED),
        ([[8, 72], [6, -34]], [[18], [71]]),
    ),
    Case("prod", bb.prod, ([2, 3, 4],), ([12, 8, 6],)),
    Case("prod of negatives", bb.prod, ([2, -3, 4],), ([-12, 8, -6],)),
    Case("prod over an axis", lambda x: x.prod(1), (NEXT,), ([[6, 3, 2], [30, 24, 20]],)),
    Case(
        "prod over the first axis",
        lambda x: x.prod(0),
        ([[1, -2, 3], [-4, 5, 6]],),
        ([[-4, 5, 6], [1, -2, 3]],),
    ),
    Case("prod with a zero", bb.prod, ([2, 0, 3, 4],), ([0, 24, 0, 0],)),
    Case("prod with two zeros", bb.prod, ([2, 0, 3, 0, 5],), (0,)),
    Case(
        "prod with zeros over an axis",
        lambda x, w: x.prod(0, keepdims=True) * w,
        ([[1, 0, 0], [2, 2, 2], [3, 3, 0]], [[2, 3, 4]]),
        ([[12, 18, 0], [6, 0, 0], [4, 0, 0]], None),
    ),
    Case(
        "max over an axis",
        lambda x, y: x * (x @ y).max(1, keepdims=True),
        (MIXED, SIGNED),
        ([[50, 34], [40, -10]], [[8, 10], [56, 15]]),
    ),
    Case(
        "min over an axis",
        lambda x, y: x * (x @ y).min(1, keepdims=True),
        (MIXED, SIGNED),
        ([[-42, 38], [-34, -24]], [[10, 8], [15, 56]]),
    ),
    Case(
        "min over a middle axis",
        lambda x, y: (x * y).min(1),
        ([MIXED], [SIGNED]),
        ([[[0, -7], [2, 0]]], [[[0, 7], [-2, 0]]]),
    ),
    # scans
    Case("cumsum of rows", lambda x: bb.cumulative_sum(x, 1), (HOLED,), ([3, 2, 1],)),
    Case(
        "cumsum of a product, axis 0",
        scanned(0),
        (MIXED, SIGNED),
        ([[-14, 24], [17, 6]], [[3, 10], [-1, 37]]),
    ),
    Case(
        "cumsum of a product, axis 1",
        scanned(1),
        (MIXED, SIGNED),
        ([[1, 69], [-13, -28]], [[18, 13], [71, 58]]),
    ),
    Case(
        "cumsum times its terms",
        lambda x, y: bb.cumulative_sum(x @ y, 1) * (x @ y),
        (SMALL, LARGE),
        ([[371, 542], [2246, 3281]], [[507, 528], [704, 733]]),
    ),
    Case("cumprod", lambda x: bb.cumulative_prod(x, 0), ([2, 3, 4],), ([16, 10, 6],)),
    Case("cumprod of rows", lambda x: bb.cumulative_prod(x, 1), (NEXT,), ([[9, 4, 2], [36, 28, 20]],)),
    # Burn divides and leaves these four out of its runs
    Case(
        "cumprod, zero in the middle", lambda x: bb.cumulative_prod(x, 0), ([2, 0, 3, 4],), ([1, 32, 0, 0],)
    ),
    Case("cumprod, zero at the start", lambda x: bb.cumulative_prod(x, 0), ([0, 2, 3, 4],), ([33, 0, 0, 0],)),
    Case("cumprod, zero at the end", lambda x: bb.cumulative_prod(x, 0), ([2, 3, 4, 0],), ([16, 10, 6, 24],)),
    Case("cumprod, two zeros", lambda x: bb.cumulative_prod(x, 0), ([2, 0, 3, 0, 5],), ([1, 8, 0, 0, 0],)),
    Case("cummax", lambda x: bb.cummax(x, 0)[0], ([1, 3, 2],), ([1, 2, 0],)),
    Case("cummax of rows", lambda x: bb.cummax(x, 1)[0], ([[1, 3, 2], [2, 5, 4]],), ([1, 2, 0],)),
    Case("cummax, twice the same", lambda x: bb.cummax(x, 0)[0], ([1, 3, 3, 2],), ([1, 1, 2, 0],)),
    Case("cummax, all the same", lambda x: bb.cummax(x, 0)[0], ([2, 2, 2],), (1,)),
    Case(
        "cummax of rows, twice the same",
        lambda x: bb.cummax(x, 1)[0],
        ([[1, 3, 3, 2], [2, 5, 5, 4]],),
        ([1, 1, 2, 0],),
    ),
    Case("cummax, rising", lambda x: bb.cummax(x, 0)[0], ([1, 2, 3, 4],), (1,)),
    Case("cummin", lambda x: bb.cummin(x, 0)[0], ([3, 2, 4],), ([1, 2, 0],)),
    Case("cummin of rows", lambda x: bb.cummin(x, 1)[0], ([[3, 2, 4], [5, 1, 3]],), ([1, 2, 0],)),
    Case("cummin, twice the same", lambda x: bb.cummin(x, 0)[0], ([3, 2, 2, 4],), ([1, 1, 2, 0],)),
    Case("cummin, all the same", lambda x: bb.cummin(x, 0)[0], ([2, 2, 2],), (1,)),
    Case(
        "cummin of rows, twice the same",
        lambda x: bb.cummin(x, 1)[0],
        ([[3, 2, 2, 4], [5, 1, 1, 3]],),
        ([1, 1, 2, 0],),
    ),
    Case("cummin, falling", lambda x: bb.cummin(x, 0)[0], ([5, 4, 3, 2],), (1,)),
    # sorting
    Case(
        "sort",
        lambda x, y: x * bb.sort(x @ y, axis=1),
        (MIXED, SIGNED),
        ([[35, 35], [-1, -8]], [[11, 7], [55, 16]]),
    ),
    Case(
        "sort along a middle axis",
        lambda x, y: x * bb.sort(x @ y, axis=1),
        ([MIXED], [SIGNED]),
        ([[-1, -8], [-27, 37]], [[-4, -17], [-17, -42]]),
    ),
    Case(
        "sort by its indices",
        lambda x, y: x * bb.take_along_axis(x @ y, bb.argsort(x @ y, axis=1), axis=1),
        (MIXED, SIGNED),
        ([[35, 35], [-1, -8]], [[11, 7], [55, 16]]),
    ),
    Case("topk", lambda x, w: bb.topk(x, 2)[0] * w, ([3, 8, 2, 5], [2, 3]), ([0, 2, 0, 3], None)),
    Case(
        "topk along a middle axis",
        lambda x, w: bb.topk(x, 2, axis=1)[0] * w,
        ([[[1, 6], [5, 2], [3, 4]]], [[[2, 3], [4, 5]]]),
        ([[[0, 3], [2, 0], [4, 5]]], None),
    ),
    Case(
        "topk of all",
        lambda x, w: bb.topk(x, 2, axis=0)[0] * w,
        ([[1, 4], [3, 2]], [[2, 3], [4, 5]]),
        ([[4, 3], [2, 5]], None),
    ),
]
