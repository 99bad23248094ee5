"""What unpooling refuses; see ``errors.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, I, S, T

line = bb.zeros((2, 3))
places = bb.zeros((2, 3), dtype="int64")

REFUSED = (
    Bad(lambda: F.max_unpool1d(line, places + 6, 2), I, "max_unpool1d: index 6 is out of range [0, 6)."),
    Bad(lambda: F.max_unpool1d(line, places - 1, 2), I, "max_unpool1d: index -1 is out of range [0, 6)."),
    Bad(lambda: F.max_unpool1d(line, places[:1], 2), S, "max_unpool1d: indices have the shape [1, 3], the input [2, 3]."),
    Bad(lambda: F.max_unpool1d(line, line, 2), T, "max_unpool1d: indices must be integers, got float32. Use astype(bb.int64)."),
    Bad(lambda: F.max_unpool1d(line, places, 2, output_size=(8,)), A,
        "max_unpool1d: output_size [8] must differ by less than the stride, [2], from [6]."),
    Bad(lambda: F.max_unpool1d(line, places, 2, output_size=(6, 6)), A, "max_unpool1d: output_size takes one int, got (6, 6)."),
    Bad(lambda: F.max_unpool2d(line, places, 2), S, "max_unpool2d: the input must be [n, c, h, w] or [c, h, w], got [2, 3]."),
    Bad(lambda: F.max_unpool1d(line, places, 1, 1, 2), S, "max_unpool1d: a shape has a negative size: [1, 2, -1]."),
)  # fmt: skip
