"""Products of matrices, shapes and joins."""

from __future__ import annotations

import backburner as bb
from burn_cases._case import FLAT, MIXED, ONE, TWO, WIDE, Case

CUBE = [[[0, 1], [3, 4]], [[6, 7], [9, 10]]]
OTHER = [[[1, 4], [2, 5]], [[7, 10], [8, 11]]]
EIGHT = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]

CASES = [
    Case("matmul", lambda x, y: x @ y, (ONE, TWO), ([[11, 5]], [[3], [10]])),
    Case(
        "matmul twice",
        lambda x, y, z: x @ y @ z,
        (WIDE, TWO, FLAT),
        ([[44, 20]], [[56], [16]], [[64], [110]]),
    ),
    Case(
        "matmul three times",
        lambda x, y, z: x @ (x @ y @ z),
        (WIDE, TWO, FLAT),
        ([[800, 792], [360, 592]], [[264], [344]], [[436], [720]]),
    ),
    Case("transpose", lambda x, y: (x @ y.T).T, (ONE, TWO), ([[6, 10]], [[3, 10]])),
    Case(
        "swap_dims",
        lambda x, y: x @ bb.swapaxes(y, 0, 2) @ bb.swapaxes(y, 1, 2),
        (CUBE, OTHER),
        ([[[66, 78]], [[270, 306]]], [[[22, 286], [28, 316]], [[172, 652], [190, 694]]]),
    ),
    Case(
        "permute",
        lambda x, y: x @ bb.permute_dims(y, (0, 2, 1)),
        ([ONE], [[[1, 7], [3.2, 2], [3, 3]]]),
        ([[7.2, 12]], [[3, 10]]),
    ),
    Case(
        "flip",
        lambda x, y: x @ bb.flip(y, axis=(1, 2)),
        ([ONE], [[[3, 2, 7], [3, 3.2, 1]]]),
        ([[7.2, 12]], [[10], [3]]),
    ),
    Case("reshape", lambda x, y: x @ y.reshape((2, 2)), (ONE, [4, 7, 2, 3]), ([[11, 5]], [3, 3, 10, 10])),
    Case(
        "expand",
        lambda x, y: bb.expand_dims(y, axis=0) * bb.broadcast_to(x, (4, 4)),
        ([4, 7, 2, 3], [2, 4.5, 7, 3]),
        ([8, 18, 28, 12], [16, 28, 8, 12]),
    ),
    Case(
        "repeat a column", lambda x, y: x @ bb.tile(y, (1, 3)), (MIXED, [[4], [2]]), ([[12, 6]], [[-3], [12]])
    ),
    Case(
        "repeat columns", lambda x, y: x @ bb.tile(y, (1, 3)), (MIXED, [[4, 2], [2, 4]]), (18, [[-3], [12]])
    ),
    Case("unfold", lambda x: x.unfold(1, 2, 1), ([[1, 2, 3, 4]],), ([[1, 2, 2, 1]],)),
    Case(
        "cat of slices",
        lambda x, y: bb.concat([x[:1], x[1:]]) @ bb.concat([y[:1], y[1:]]),
        ([[2, -1], [5, 2]], [[5, 4], [-1, 4]]),
        ([[9, 3]], [[7], [1]]),
    ),
    Case(
        "cat of unequal parts",
        lambda x, y: bb.concat([x, y]),
        ([[2, -1], [5, 2]], [[5, 4], [-1, 4], [4, 1]]),
        (1, 1),
    ),
    Case(
        "cat, one part untracked",
        lambda x, y, z, w: bb.concat([x, y, z], axis=1) * w,
        ([[1]], [[10, 20]], [[100, 200, 300]], [[1, 2, 3, 4, 5, 6]]),
        (1, None, [[4, 5, 6]], None),
    ),
    Case(
        "cross",
        lambda x, y: bb.cross(x, y),
        ([[1, 2, 3], [4, 5, 6]], [[4, 5, 6], [7, 8, 9]]),
        ([[-1, 2, -1]], [[1, -2, 1]]),
    ),
    # einsum
    Case(
        "einsum, a product",
        lambda x, y: bb.einsum("ik,kj->ij", x, y),
        ([[1, 2], [3, 4]], [[2, 1], [0, 3]]),
        (3, [[4], [6]]),
    ),
    Case(
        "einsum, one against three",
        lambda x, y: bb.einsum("ik,kj->ij", bb.broadcast_to(x, (2, 3)), y),
        ([[2], [3]], [[1, 2], [3, 4], [5, 6]]),
        (21, 5),
    ),
    Case(
        "einsum, a diagonal of outer axes",
        lambda x: bb.einsum("iji->j", x),
        ([[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]],),
        ([[[1, 0]], [[0, 1]]],),
    ),
    Case(
        "einsum, a diagonal of three",
        lambda x: bb.einsum("iii->", x),
        (EIGHT,),
        ([[[1, 0], [0, 0]], [[0, 0], [0, 1]]],),
    ),
    Case(
        "einsum, summed at once", lambda x, y: bb.einsum("ab,c->c", x, y), ([[1, 2], [3, 4]], [2, 3]), (5, 10)
    ),
    Case(
        "einsum, summed at last",
        lambda x, y, z: bb.einsum("i,i,i->", x, y, z),
        ([1, 2], [3, 4], [5, 6]),
        ([15, 24], [5, 12], [3, 8]),
    ),
    Case(
        "einsum, an ellipsis summed",
        lambda x, y: bb.einsum("...i,...i->...", x, y),
        (EIGHT, [[2, 3], [4, 5]]),
        ([[2, 3], [4, 5]], [[6, 8], [10, 12]]),
    ),
    Case("einsum of a scalar", lambda x, y: bb.einsum(",i->i", x, y), (3, [1, 2]), (3, 3)),
    Case(
        "einsum over nothing",
        lambda x, y: bb.einsum("ik,kj->ij", x, y),
        ([[], []], bb.zeros((0, 3)).numpy()),
        (0, 0),
    ),
    Case(
        "einsum to nothing",
        lambda x, y: bb.einsum("ik,kj->ij", x, y),
        (bb.zeros((0, 2)).numpy(), [[1, 2, 3], [4, 5, 6]]),
        (0, 0),
    ),
]
