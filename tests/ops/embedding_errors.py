"""What lookups, sums of rows and bilinear maps refuse; see ``errors.py``."""

from __future__ import annotations

import math

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, I, S, T, n, table, v, x

bag = F.embedding_bag
cube = bb.zeros((2, 3, 3))

REFUSED = (
    Bad(lambda: F.embedding([0], table, max_norm=math.nan), A, "embedding: max_norm is NaN."),
    Bad(lambda: F.embedding([0], table, max_norm=-1), A, "embedding: max_norm must not be negative, got -1.0."),
    Bad(lambda: bag([[0]], table, mode="min"), A,
        "embedding_bag: mode must be one of sum, mean, max, got 'min'."),
    Bad(lambda: bag([[0]], table, per_sample_weights=x), A,
        "embedding_bag: per_sample_weights go with mode 'sum' only, not 'mean'."),
    Bad(lambda: bag([[0]], table, mode="sum", per_sample_weights=x), S,
        "embedding_bag: per_sample_weights must have shape [1, 1], got [2, 3]."),
    Bad(lambda: bag([[0]], table, mode="max", scale_grad_by_freq=True), A,
        "embedding_bag: scale_grad_by_freq does not go with mode 'max'."),
    Bad(lambda: bag([[5]], table), I, "embedding_bag: index 5 is out of range [0, 5)."),
    Bad(lambda: bag([[0]], v), S, "embedding_bag: weight must be [n, d], got [3]."),
    Bad(lambda: bag([[0]], table, padding_idx=-6), I, "embedding_bag: padding_idx -6 is out of range [-5, 5)."),
    Bad(lambda: bag([[0]], table, [0]), A, "embedding_bag: indices [1, 1] are bags already. Leave offsets out."),
    Bad(lambda: bag(n, table), A, "embedding_bag: indices [3] need offsets, where each bag starts."),
    Bad(lambda: bag([[[0]]], table), S, "embedding_bag: indices must be [b, k] or [k], got [1, 1, 1]."),
    Bad(lambda: bag(n, table, [[0]]), S, "embedding_bag: offsets must be [b], got [1, 1]."),
    Bad(lambda: bag(n, table, [0.0]), T, "embedding_bag: indices must be integers, got float64."),
    Bad(lambda: bag(n, table, [0, 4]), I, "embedding_bag: offsets: index 4 is out of range [0, 4)."),
    Bad(lambda: bag(n, table, [1, 2]), A, "embedding_bag: the first offset must be 0, got 1."),
    Bad(lambda: bag(n, table, [0, 2, 1]), A, "embedding_bag: offsets must not fall."),
    Bad(lambda: bag(n, table, [0, 2], include_last_offset=True), A,
        "embedding_bag: the last offset must be 3, the number of indices, got 2."),
    Bad(lambda: F.bilinear(x, x, x), S, "bilinear: weight [2, 3] takes nothing, got [2, 3] and [2, 3]."),
    Bad(lambda: F.bilinear(x, table, cube), S,
        "bilinear: weight [2, 3, 3] takes [..., 3] and [..., 3], got [2, 3] and [5, 2]."),
    Bad(lambda: F.bilinear(x, v, cube), S, "bilinear: inputs differ before the last axis: [2, 3] and [3]."),
    Bad(lambda: F.bilinear(x, x, cube, v), S, "bilinear: bias must have shape [2], got [3]."),
)  # fmt: skip
