"""Far logits, certain answers and ignored rows of the losses of probabilities and classes; see ``special.py``."""

from __future__ import annotations

import math
from typing import Any

import backburner as bb
from backburner.nn import functional as F
from ops.special import LOGITS, Special, inf, nan

LOG2, E12 = math.log(2), 1e12


def _logits(target: Any, pos_weight: Any = None) -> Any:
    """Return the function of logits with these answers."""

    def call(x: bb.Tensor) -> bb.Tensor:
        scale = None if pos_weight is None else bb.tensor(pos_weight, dtype=x.dtype)
        right = bb.tensor(target, dtype=x.dtype)
        return F.binary_cross_entropy_with_logits(x, right, reduction="none", pos_weight=scale)

    return call


def _nll(target: list[int], **options: Any) -> Any:
    return lambda x: F.nll_loss(x, bb.tensor(target), **options)


SPECIALS = (
    Special("B075-binary_cross_entropy_with_logits-of-far-logits", _logits([0, 1, 1, 0]), ([1000, -1000, 1000, -1000],),
            [1000, 1000, 0, 0], ([1, -1, 0, 0],)),
    Special("B075-and-with-a-weight", _logits([0, 1, 1, 0], 3), ([1000, -1000, 1000, -1000],), [1000, 3000, 0, 0],
            ([1, -3, 0, 0],)),
    Special("B076-binary_cross_entropy_with_logits-at-0", _logits([0, 1, 0.25]), ([0, 0, -0.0],), [LOG2] * 3,
            ([0.5, -0.5, 0.25],)),
    Special("B076-and-with-a-weight", _logits([0, 1], 3), ([0, 0],), [LOG2, 3 * LOG2], ([0.5, -1.5],)),
    Special("binary_cross_entropy_with_logits-of-infinities", _logits([1, 0, 0, 0.5]), ([inf, -inf, inf, -inf],),
            [0, 0, inf, inf], ([0, 0, 1, -0.5],)),
    Special("binary_cross_entropy_with_logits-keeps-small-losses", _logits([0, 1]), ([-30, 30],), [math.exp(-30)] * 2, atol=0),
    Special("binary_cross_entropy-of-certain-answers",
            lambda x, t: F.binary_cross_entropy(x, t, reduction="none"), ([0, 1, 0, 1], [0, 1, 1, 0]), [0, 0, 100, 100],
            ([0, 0, -E12, E12], [100, -100, 100, -100])),
    Special("binary_cross_entropy-with-no-cotangent", lambda x, t: F.binary_cross_entropy(x, t, reduction="none"),
            ([0, 0.5], [1, 1]), [100, LOG2], ([0, -2], [0, 0]), [0, 1]),
    Special("kl_div-of-a-target-of-0", lambda x, t: F.kl_div(x, t, "none"), ([-1, -inf, -inf], [0, 0, 1]), [0, 0, inf],
            ([0, 0, -1], [0, 0, inf])),
    Special("kl_div-of-a-log-target-of-0", lambda x, t: F.kl_div(x, t, "none", True), ([-1, -inf, -1], [-inf, -inf, 0]),
            [0, 0, 1], ([0, 0, -1], [0, 0, 2])),
    Special("kl_div-of-equals", F.kl_div, ([-1, -2], [math.exp(-1), math.exp(-2)]), 0,
            ([-math.exp(-1) / 2, -math.exp(-2) / 2], [0.5, 0.5])),
    Special("nll_loss-of-ignored-rows-alone", _nll([-100, -100]), ([[1, 2], [3, 4]],), nan, ([[0, 0], [0, 0]],)),
    Special("nll_loss-of-nan-in-an-ignored-row", _nll([0, -100]), ([[-1, 0], [nan, inf]],), 1, ([[-1, 0], [0, 0]],)),
    Special("nll_loss-sum-of-ignored-rows-alone", _nll([7], ignore_index=7, reduction="sum"), ([[1, 2]],), 0, ([[0, 0]],)),
    Special("nll_loss-of-an-impossible-class-that-weighs-nothing", lambda x: F.nll_loss(x, bb.tensor([0, 1]),
            bb.tensor([0, 2], dtype=x.dtype)), ([[-inf, 0], [-inf, -1]],), 1, ([[0, 0], [0, -1]],)),
    Special("B024-nll_loss-weights", lambda x: F.nll_loss(F.log_softmax(x, 1), bb.tensor([2, -100, 1]),
            bb.tensor([1, 2, 3], dtype=x.dtype)), (LOGITS,), 1.140381),
    Special("cross_entropy-smoothed-of-classes-without-weight",
            lambda x: F.cross_entropy(x, bb.tensor([0, 1]), bb.tensor([0, 0, 1], dtype=x.dtype), label_smoothing=0.4),
            ([[1, 2, 3], [4, 5, 6]],), nan, ([[0, 0, 0], [0, 0, 0]],)),
    Special("cross_entropy-of-an-impossible-class-that-nobody-wants", F.cross_entropy,
            ([[0, -inf, 0], [1000, 0, -inf]], [[0.5, 0, 0.5], [1, 0, 0]]), LOG2 / 2,
            ([[0, 0, 0], [0, 0, 0]], [[LOG2 / 2, inf, LOG2 / 2], [0, 500, inf]])),
    Special("cross_entropy-of-an-impossible-class", F.cross_entropy, ([[0, -inf]], [[0.5, 0.5]]), inf, ([[0.5, -0.5]], None)),
    Special("cross_entropy-of-probabilities-that-nobody-wants", lambda x, t: F.cross_entropy(x, t, reduction="none"),
            ([[nan, 0], [0, 0]], [[0.5, 0.5], [1, 0]]), [nan, LOG2], ([[0, 0], [-0.5, 0.5]], [[0, 0], [LOG2, LOG2]]), [0, 1]),
)  # fmt: skip
