"""Special values of padding; see ``special.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, inf, nan

SPECIALS = (
    *(
        Special(f"pad-{mode}-of-one-entry-repeats-it", lambda x, mode=mode: bb.pad(x, (2, 3), mode), ([7],), [7] * 6,
                ([6],))
        for mode in ("edge", "reflect", "symmetric", "wrap")
    ),
    Special("pad-by-the-edge-adds-up-many-gradients", lambda x: bb.pad(x, (0, 10**5), "edge")[1:], ([1],), 1,
            ([1e4],), [0.1] * 10**5),
    Special("pad-over-itself-many-times", lambda x: bb.pad(x, (5, 0), "reflect"), ([1, 2, 3],), [2, 1, 2, 3, 2, 1, 2, 3],
            ([2, 4, 2],)),
    Special("pad-with-nan-and-of-infinities", lambda x: F.pad(x, (1, 1), value=nan), ([inf, -inf],), [nan, inf, -inf, nan],
            ([1, 1],)),
    Special("pad-mirrors-integers", lambda x: F.pad(x.astype(bb.int64), (1, 1), "reflect").astype(x.dtype), ([[1, 2, 3]],),
            [[2, 1, 2, 3, 2]]),
    Special("pad-repeats-what-a-cut-has-left", lambda x: F.pad(x, (-1, 2), "circular"), ([[1, 2, 3]],), [[2, 3, 2, 3]],
            ([[0, 4, 6]],), [[1, 2, 3, 4]]),
    Special("pad-cuts-after-it-has-mirrored", lambda x: F.pad(x, (-2, 2), "reflect"), ([[1, 2, 3]],), [[3, 2, 1]],
            ([[3, 2, 1]],), [[1, 2, 3]]),
)  # fmt: skip
