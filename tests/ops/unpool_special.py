"""Duplicate indices in unpooling."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special

SPECIALS = (
    Special("max_unpool1d-keeps-the-last", lambda x: F.max_unpool1d(x, bb.tensor([[[0, 2, 2]]]), 2), ([[[1, 2, 3]]],),
            [[[1, 0, 3, 0, 0, 0]]], ([[[1, 0, 1]]],)),
    Special("max_unpool2d-keeps-the-last-in-each-plane", lambda x: F.max_unpool2d(x, bb.tensor([[[3, 3]], [[1, 3]]]), 2),
            ([[[1, 2]], [[3, 4]]],), [[[0, 0, 0, 2], [0] * 4], [[0, 3, 0, 4], [0] * 4]], ([[[0, 1]], [[1, 1]]],)),
    Special("max_unpool3d-undoes-max_pool3d", lambda x: F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2),
            ([[[[1, 5], [2, 3]], [[0, 4], [4, 4]]]],), [[[[0, 5], [0, 0]], [[0, 0], [0, 0]]]],
            ([[[[0, 1], [0, 0]], [[0, 0], [0, 0]]]],)),
)  # fmt: skip
