"""Matrix products at the limits of what NumPy takes."""

from __future__ import annotations

import numpy as np

import backburner as bb
from ops.special import Special

SPECIALS = (
    Special(
        "vecdot-of-rank-64",
        lambda x, y: bb.vecdot(bb.reshape(x, (1,) * 63 + (2,)), bb.reshape(y, (1,) * 63 + (2,))),
        ([1, 2], [3, 4]),
        np.full((1,) * 63, 11),
        ([3, 4], [1, 2]),
    ),
)
