"""Slices, indices and masks, read and written."""

from __future__ import annotations

import numpy as np

import backburner as bb
from burn_cases._case import FOUR, NEXT, NINE, ONE, ROWS, TWO, Case, bools

PAIRS = ([0, 1], [1, 0])
TWO_ROWS = np.array([[0], [1]])
ZEROS = [[0, 0, 0, 0], [0, 0, 0, 0]]
DIVISOR = [[14, 97, 100, 9], [2, 3, 15, 7]]

CASES = [
    Case(
        "slice",
        lambda x, y: x @ y[:2, :2],
        (ONE, [[4, 7, 100], [2, 3, 15]]),
        ([[11, 5]], [[3, 3, 0], [10, 10, 0]]),
    ),
    Case(
        "slice with steps",
        lambda x, y: x[::2, :2] @ y[:2, ::2],
        ([[1, 7], [100, 100], [2, 3], [100, 100]], [[4, 100, 7, 100], [2, 100, 3, 15]]),
        ([[11, 5], [0, 0], [11, 5], [0, 0]], [[3, 0, 3, 0], [10, 0, 10, 0]]),
    ),
    Case(
        "slice_assign",
        lambda x, y, z: (x @ y).at[:1, :1].set(z) @ x,
        (ONE, TWO, [[9]]),
        ([[58, 38], [118, 82]], [[16, 15], [24, 50]], 8),
    ),
    Case(
        "slice_assign of a product",
        lambda x, y, z: (x @ y).at[:1, :1].set(y[:1, :1] * z) @ x,
        (ONE, TWO, [[9]]),
        ([[85, 65], [118, 82]], [[88, 15], [24, 50]], 32),
    ),
    Case(
        "slice_assign twice, as a join",
        lambda x, y, z: bb.zeros((2, 4), device=x.device).at[:, :2].set(x).at[:, 2:].set(y) / z,
        (FOUR, [[5, 6], [7, 8]], DIVISOR),
        ([[1 / 14, 1 / 97], [1 / 2, 1 / 3]], [[1 / 100, 1 / 9], [1 / 15, 1 / 7]], None),
    ),
    Case(
        "cat, as above",
        lambda x, y, z: bb.concat([x, y], axis=1) / z,
        (FOUR, [[5, 6], [7, 8]], DIVISOR),
        ([[1 / 14, 1 / 97], [1 / 2, 1 / 3]], [[1 / 100, 1 / 9], [1 / 15, 1 / 7]], None),
    ),
    Case(
        "slice_assign with a step", lambda x, v: x.at[:, ::2].set(v) * 2.0, (ZEROS, FOUR), ([[0, 2, 0, 2]], 2)
    ),
    Case(
        "slice_assign backwards",
        lambda x, v: x.at[:, ::-1].set(v) * 2.0,
        (ZEROS, [[1, 2, 3, 4], [5, 6, 7, 8]]),
        (0, 2),
    ),
    # along an axis
    Case(
        "select",
        lambda x: (x @ x.T) @ bb.take(x, [1, 0], axis=0),
        (ROWS,),
        ([[109, 148, 187], [37, 58, 79]],),
    ),
    Case(
        "select_add",
        lambda x, v: (x @ x.T) @ x.index_add(0, [1, 0], v),
        (ROWS, NEXT),
        ([[127, 199, 271], [172, 244, 316]], [[64], [19]]),
    ),
    Case("select_add of one row", lambda y, x: y.index_add(0, [1], x) @ y.T, ([[1], [1]], [[1]]), (5, 2)),
    Case(
        "select_assign",
        lambda x, v: x.at[:, [3, 1]].set(v),
        ([[0, 1, 2, 3], [4, 5, 6, 7]], [[10, 20], [30, 40]]),
        ([[1, 0, 1, 0]], 1),
    ),
    Case(
        "select_mul",
        lambda x, v, w: x.at[:, [2, 0]].multiply(v) * w,
        ([[2, 3, 4], [5, 6, 7]], [[10, 20], [30, 40]], NEXT),
        ([[20, 2, 30], [160, 5, 180]], [[12, 2], [42, 20]], None),
    ),
    Case(
        "gather",
        lambda x: (x @ x.T) @ bb.gather(x, 1, [[2, 1, 0, 1, 2], [1, 0, 2, 1, 0]]),
        (ROWS,),
        ([[94, 150, 187], [242, 305, 304]],),
    ),
    Case(
        "scatter_add",
        lambda x, v: (x @ x.T) @ x.scatter_add(1, [[2, 1, 0], [2, 0, 1]], v),
        (ROWS, NEXT),
        ([[127, 181, 235], [226, 316, 406]], [[19], [64]]),
    ),
    Case(
        "scatter_add of some",
        lambda x, y, v: (x * y).scatter_add(1, [[2, 1, 0]], v),
        ([[0, 1, 2, 3, 4, 5]], [[1, 2, 3, 4, 5, 6]], [[4, 5, 6]]),
        ([[1, 2, 3, 4, 5, 6]], [[0, 1, 2, 3, 4, 5]], 1),
    ),
    Case(
        "scatter_assign",
        lambda x, v: x.at[TWO_ROWS, [[2, 0], [3, 1]]].set(v),
        ([[0, 1, 2, 3], [4, 5, 6, 7]], [[10, 20], [30, 40]]),
        ([[0, 1, 0, 1], [1, 0, 1, 0]], 1),
    ),
    Case(
        "scatter_mul",
        lambda x, v, w: x.scatter_reduce(1, [[3, 0], [1, 2]], v, "prod") * w,
        ([[2, 3, 4, 5], [6, 7, 8, 9]], [[10, 20], [30, 40]], [[1, 2, 3, 4], [5, 6, 7, 8]]),
        ([[20, 2, 3, 40], [5, 180, 280, 8]], [[20, 2], [42, 56]], None),
    ),
    # by tuples of indices
    Case("gather_nd of rows", lambda x: x[[0, 2]], (NINE,), ([[1], [0], [1]],)),
    Case("gather_nd of elements", lambda x: x[PAIRS], (FOUR,), ([[0, 1], [1, 0]],)),
    Case("scatter_nd, a row added", lambda x, v: x.at[[1]].add(v), (NINE, [[10, 20, 30]]), (1, 1)),
    Case(
        "scatter_nd, a row assigned",
        lambda x, v: x.at[[1]].set(v),
        (NINE, [[10, 20, 30]]),
        ([[1], [0], [1]], 1),
    ),
    Case(
        "scatter_nd, a row multiplied",
        lambda x, v: x.at[[1]].multiply(v),
        (NINE, [[10, 20, 30]]),
        ([[1, 1, 1], [10, 20, 30], [1, 1, 1]], [[4, 5, 6]]),
    ),
    Case("scatter_nd by max, data wins", lambda x, v: x.at[[1]].max(v), (NINE, [[1, 2, 3]]), (1, 0)),
    Case(
        "scatter_nd by max, values win",
        lambda x, v: x.at[[1]].max(v),
        (NINE, [[10, 20, 30]]),
        ([[1], [0], [1]], 1),
    ),
    Case(
        "scatter_nd by min, values win",
        lambda x, v: x.at[[1]].min(v),
        (NINE, [[1, 2, 3]]),
        ([[1], [0], [1]], 1),
    ),
    Case("scatter_nd, elements added", lambda x, v: x.at[PAIRS].add(v), (FOUR, [10, 20]), (1, 1)),
    Case(
        "scatter_nd, elements assigned",
        lambda x, v: x.at[PAIRS].set(v),
        (FOUR, [10, 20]),
        ([[1, 0], [0, 1]], 1),
    ),
    Case(
        "scatter_nd, elements by max",
        lambda x, v: x.at[PAIRS].max(v),
        (FOUR, [10, 1]),
        ([[1, 0], [1, 1]], [1, 0]),
    ),
    Case(
        "scatter_nd, elements multiplied",
        lambda x, v: x.at[PAIRS].multiply(v),
        (FOUR, [10, 20]),
        ([[1, 10], [20, 1]], [2, 3]),
    ),
    Case(
        "scatter_nd, values untracked",
        lambda x, v: x.at[[0], [1]].multiply(v),
        (FOUR, [10]),
        ([[1, 10], [1, 1]], None),
    ),
    Case("scatter_nd, data untracked", lambda x, v: x.at[[0], [1]].multiply(v), (FOUR, [10]), (None, 2)),
    # by masks
    Case(
        "mask_select",
        lambda x: bb.square(bb.masked_select(x, bools([[True, False, True], [False, True, False]]))),
        (ROWS,),
        ([[0, 0, 4], [0, 8, 0]],),
    ),
    Case("mask_select of nothing", lambda x: bb.masked_select(x, bools([False] * 3)), ([1, 2, 3],), (0,)),
    Case(
        "nonzero",
        lambda x, y: (
            y[None, :] @ bb.take(x.flatten(), bools([False, True, True, False]).nonzero()[0])[:, None]
        ),
        (FOUR, [-1, 1]),
        ([[0, -1], [1, 0]], [2, 3]),
    ),
]
