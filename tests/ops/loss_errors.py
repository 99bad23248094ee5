"""What the losses of probabilities and classes refuse; see ``errors.py``."""

from __future__ import annotations

import numpy as np

import backburner as bb
from backburner.device import Device
from backburner.nn import functional as F
from ops.errors import A, Bad, G, I, S, T, scores, v, x

half = bb.full((3,), 0.5)
BCE = "binary_cross_entropy"

REFUSED = (
    Bad(lambda: F.cross_entropy(scores, bb.zeros((2, 4))), S, "cross_entropy: shapes differ: [2, 3] and [2, 4]. Reshape one."),
    Bad(lambda: F.cross_entropy(scores, bb.zeros((2,))), T,
        "cross_entropy: classes are integers, the target [2] is float32. Use astype('int64')."),
    Bad(lambda: F.cross_entropy(scores, np.zeros((2, 3))), T, "cross_entropy: indices must be integers, got float64. "),
    Bad(lambda: F.cross_entropy(scores, bb.zeros((2, 3), dtype="int64")), S,
        "cross_entropy: scores [2, 3] take a target of [2], got [2, 3]. Class indices, not one-hot rows: "),
    Bad(lambda: F.nll_loss(scores, [0, 3]), I, "nll_loss: target: index 3 is out of range [0, 3)."),
    Bad(lambda: F.nll_loss(scores, [0, -1]), I, "nll_loss: target: index -1 is out of range [0, 3)."),
    Bad(lambda: F.nll_loss(scores, [0]), S, "nll_loss: scores [2, 3] take a target of [2], got [1]."),
    Bad(lambda: F.nll_loss(scores, [0, 1], reduction="max"), A, "nll_loss: reduction must be one of mean, sum, none, got 'max'."),
    Bad(lambda: F.nll_loss(scores, [0, 1], v[:2]), S, "nll_loss: weight must have shape [3], got [2]."),
    Bad(lambda: F.nll_loss(scores, [0, 1], ignore_index=0.5), T, "nll_loss: ignore_index must be an integer, got 0.5."),  # type: ignore[arg-type]
    Bad(lambda: F.binary_cross_entropy(v, half), A, f"{BCE}: the input must be in [0, 1], got 3.0. Of logits use {BCE}_with_logits."),
    Bad(lambda: F.binary_cross_entropy(half, -v), A, f"{BCE}: target must be in [0, 1], got -3.0."),
    Bad(lambda: F.binary_cross_entropy(half * float("nan"), v), A, f"{BCE}: the input must be in [0, 1], got nan."),
    Bad(lambda: F.binary_cross_entropy(half, v[:2]), S, f"{BCE}: shapes differ: [3] and [2]. Reshape one."),
    Bad(lambda: F.binary_cross_entropy(half, half, x), S, f"{BCE}: weight [2, 3] does not fit [3]. Reshape it."),
    Bad(lambda: F.binary_cross_entropy_with_logits(v, half, pos_weight=v[:2]), S, f"{BCE}_with_logits: pos_weight: shapes do not broadcast: "),
    Bad(lambda: F.cross_entropy(scores, [0, 1], bb.zeros((2,))), S, "cross_entropy: weight must have shape [3], got [2]."),
    Bad(lambda: F.kl_div(v, v, "batch"), A, "kl_div: reduction must be one of mean, sum, none, batchmean, got 'batch'."),
)  # fmt: skip

REFUSED_GRAPHS = (
    Bad(lambda: F.nll_loss(scores, [0, 1], v.to(Device.cpu().autodiff()).require_grad()), G,
        "nll_loss: weight is a constant and takes no gradient. Use detach() on it."),
)  # fmt: skip
