"""Impossible and certain alignments of ctc_loss; see ``special.py``."""

from __future__ import annotations

import math
from typing import Any

from backburner.nn import functional as F
from ops.special import Special, inf, nan


def _ctc(targets: Any, steps: Any, counts: Any, **options: Any) -> Any:
    return lambda x: F.ctc_loss(x, targets, steps, counts, **{"reduction": "none"} | options)


HALF = -math.log(2)
EVEN = [[HALF, HALF]] * 2
SPECIALS = (
    Special("ctc_loss-of-too-few-steps", _ctc([1, 1], 2, 2), (EVEN,), inf, ([[0, 0]] * 2,)),
    Special("ctc_loss-of-too-few-steps-made-0", _ctc([1, 1], 2, 2, zero_infinity=True), (EVEN,), 0, ([[0, 0]] * 2,)),
    Special("ctc_loss-of-too-few-steps-beside-enough", _ctc([[1, 1], [1, 2]], [2, 2], [2, 1], zero_infinity=True, reduction="mean"),
            ([[[HALF, HALF]] * 2] * 2,), math.log(4 / 3) / 2, ([[[0, 0], [-1 / 6, -1 / 3]]] * 2,)),
    Special("ctc_loss-of-no-target", _ctc([[5]], [2], [0]), ([[[HALF, HALF]]] * 2,), [2 * math.log(2)], ([[[-1, 0]]] * 2,)),
    Special("ctc_loss-of-no-step-and-no-target", _ctc([[1], [1]], [0, 0], [0, 1]), ([[[HALF, HALF]] * 2],), [0, inf],
            ([[[0, 0], [0, 0]]],)),
    Special("ctc_loss-leaves-out-steps-beyond-a-length", _ctc([[1]], [1], [1]), ([[[HALF, HALF]], [[nan, inf]]],), [math.log(2)],
            ([[[0, -1]], [[0, 0]]],)),
    Special("ctc_loss-of-a-certain-class", _ctc([1], 2, 1), ([[-inf, 0]] * 2,), 0, ([[0, -1]] * 2,)),
    Special("ctc_loss-of-an-impossible-class", _ctc([1], 2, 1), ([[0, -inf]] * 2,), inf, ([[0, 0]] * 2,)),
    Special("ctc_loss-of-far-scores", _ctc([1], 2, 1), ([[-1e5, -1e4]] * 2,), 2e4, ([[0, -1]] * 2,)),
    Special("ctc_loss-of-nan-that-nobody-wants", _ctc([[1], [1]], [1, 1], [1, 1]), ([[[nan, nan], [HALF, HALF]]],), [nan, math.log(2)],
            ([[[0, 0], [0, -1]]],), [0, 1]),
)  # fmt: skip
