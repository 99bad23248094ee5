"""Overhang, zeros, and huge and tiny values in average and power-average pooling."""

from __future__ import annotations

from backburner.nn import functional as F
from ops.special import Special, inf, nan

SPECIALS = (
    Special("B054-avg_pool1d-leaves-out-the-overhang", lambda x: F.avg_pool1d(x, 2, 2, ceil_mode=True),
            ([[[2, 4, 6, 8, 10]]],), [[[3, 7, 10]]], ([[[0.5, 0.5, 0.5, 0.5, 1]]],)),
    Special("B054-avg_pool1d-counts-its-padding", lambda x: F.avg_pool1d(x, 3, 2, 1, True), ([[[1, 2, 3, 4]]],),
            [[[1, 3, 2]]], ([[[1 / 3, 2 / 3, 1 / 3, 5 / 6]]],)),
    Special("B054-avg_pool1d-without-its-padding", lambda x: F.avg_pool1d(x, 3, 2, 1, True, False), ([[[1, 2, 3, 4]]],),
            [[[1.5, 3, 4]]], ([[[1 / 2, 5 / 6, 1 / 3, 4 / 3]]],)),
    Special("B054-avg_pool3d-leaves-out-the-overhang", lambda x: F.avg_pool3d(x, 2, 2, ceil_mode=True),
            ([[[[8, 8, 8]] * 3] * 3],), [[[[8, 8]] * 2] * 2], ([[[[0.125, 0.125, 0.25], [0.125, 0.125, 0.25], [0.25, 0.25, 0.5]]] * 2
            + [[[0.25, 0.25, 0.5], [0.25, 0.25, 0.5], [0.5, 0.5, 1]]]],)),
    Special("avg_pool2d-of-nan-and-infinity", lambda x: F.avg_pool2d(x, (1, 2)), ([[[nan, 1, inf, 1, 2, 4]]],),
            [[[nan, inf, 3]]], ([[[0.5] * 6]],)),
    Special("lp_pool1d-of-zeros", lambda x: F.lp_pool1d(x, 2, 2, 1), ([[[0, 0, 0, 3]]],), [[[0, 0, 3]]], ([[[0, 0, 0, 1]]],)),
    Special("lp_pool1d-of-zeros-by-a-root", lambda x: F.lp_pool1d(x, 0.5, 2), ([[[0, 0, 4, 9]]],), [[[0, 25]]],
            ([[[0, 0, 2.5, 5 / 3]]],)),
    Special("lp_pool2d-of-negative-numbers", lambda x: F.lp_pool2d(x, 2, (1, 2)), ([[[-3, 4, -6, -8]]],), [[[5, 10]]],
            ([[[-0.6, 0.8, -0.6, -0.8]]],)),
    Special("lp_pool1d-of-negative-sums", lambda x: F.lp_pool1d(x, 3, 2), ([[[-1, -2, -1, 2]]],), [[[nan, 7 ** (1 / 3)]]]),
    Special("lp_pool1d-sum", lambda x: F.lp_pool1d(x, 1, 2), ([[[-1, 1, -3, -4]]],), [[[0, -7]]], ([[[1, 1, 1, 1]]],)),
    Special("lp_pool1d-of-the-huge-and-of-the-tiny", lambda x: F.lp_pool1d(x * 1e30, 2, 2) / 1e30 + F.lp_pool1d(x * 1e-30, 2, 2) * 1e30,
            ([[[3, 4], [0, 0]]],), [[[10], [0]]], ([[[1.2, 1.6], [0, 0]]],)),
    Special("lp_pool1d-to-a-large-power", lambda x: F.lp_pool1d(x, 200, 2), ([[[3, 9], [1e-3, 2e-3]]],), [[[9], [2e-3]]],
            ([[[0, 1], [0, 1]]],)),
    Special("lp_pool1d-largest", lambda x: F.lp_pool1d(x, inf, 2), ([[[-3, 2, 0, 0]]],), [[[3, 0]]], ([[[-1, 0, 0, 0]]],)),
    Special("lp_pool1d-smallest", lambda x: F.lp_pool1d(x, -inf, 2), ([[[-3, -2, 1, 1]]],), [[[2, 1]]], ([[[0, -1, 1, 0]]],)),
    Special("lp_pool1d-of-nan", lambda x: F.lp_pool1d(x, 2, 2), ([[[nan, 1, 3, 4]]],), [[[nan, 5]]]),
)  # fmt: skip
