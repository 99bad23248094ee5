"""What the margin losses refuse; see ``errors.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, I, S, T, n, scores, v, x

zero = bb.tensor(0.0)
one = bb.tensor([1, -1, 1])
TRIPLET = "triplet_margin_with_distance_loss"

REFUSED = (
    Bad(lambda: F.soft_margin_loss(v, one[:2]), S, "soft_margin_loss: shapes differ: [3] and [2]. Reshape one."),
    Bad(lambda: F.soft_margin_loss(v, one, "max"), A, "soft_margin_loss: reduction must be one of mean, sum, none, got 'max'."),
    Bad(lambda: F.multilabel_soft_margin_loss(zero, zero), S, "multilabel_soft_margin_loss: the scores are 0-d. They must be [..., c]."),
    Bad(lambda: F.multilabel_soft_margin_loss(v, v, x), S, "multilabel_soft_margin_loss: weight [2, 3] does not fit [3]. Reshape it."),
    Bad(lambda: F.hinge_embedding_loss(v, n), A, "hinge_embedding_loss: target must be 1 or -1, got 2"),
    Bad(lambda: F.hinge_embedding_loss(v, one, float("nan")), A, "hinge_embedding_loss: margin is NaN."),
    Bad(lambda: F.cosine_embedding_loss(x, x, n[:2]), A, "cosine_embedding_loss: target must be 1 or -1, got 2."),
    Bad(lambda: F.cosine_embedding_loss(zero, zero, zero), S, "cosine_embedding_loss: the inputs must be [n, d] or [d], got []."),
    Bad(lambda: F.cosine_embedding_loss(x, x, one), S, "cosine_embedding_loss: inputs [2, 3] take a target of [2], got [3]."),
    Bad(lambda: F.cosine_embedding_loss(x, x, 1), T, "cosine_embedding_loss: target: the input is a int, not a Tensor."),  # type: ignore[arg-type]
    Bad(lambda: F.margin_ranking_loss(v, v, one[:1]), S, "margin_ranking_loss: shapes differ: [3] and [1]. Reshape one."),
    Bad(lambda: F.multi_margin_loss(scores, [0, 1], 3), A, "multi_margin_loss: p must be 1 or 2, got 3."),
    Bad(lambda: F.multi_margin_loss(scores, [0, 3]), I, "multi_margin_loss: target: index 3 is out of range [0, 3)."),
    Bad(lambda: F.multi_margin_loss(scores, [0]), S, "multi_margin_loss: scores [2, 3] take a target of [2], got [1]."),
    Bad(lambda: F.multi_margin_loss(zero, 0), S, "multi_margin_loss: the scores must be [n, c] or [c], got []."),
    Bad(lambda: F.multi_margin_loss(scores, [0.5, 1]), T, "multi_margin_loss: indices must be integers, got float64. "),
    Bad(lambda: F.multilabel_margin_loss(v, [0, -2, 1]), I, "multilabel_margin_loss: target: index -2 is out of range [-1, 3)."),
    Bad(lambda: F.multilabel_margin_loss(v, [0, 3, 1]), I, "multilabel_margin_loss: target: index 3 is out of range [-1, 3)."),
    Bad(lambda: F.multilabel_margin_loss(v, [0, -1]), S, "multilabel_margin_loss: shapes differ: [3] and [2]. Reshape one."),
    Bad(lambda: F.triplet_margin_loss(v, v, v, p=0), A, "triplet_margin_loss: p must be positive, got 0."),
    Bad(lambda: F.triplet_margin_loss(v, v, v, margin=0), A, "triplet_margin_loss: margin must be positive, got 0."),
    Bad(lambda: F.triplet_margin_loss(v, v, x), S, "triplet_margin_loss: needs as many dimensions each, and one: [3], [3], [2, 3]."),
    Bad(lambda: F.triplet_margin_loss(v, v, v[:2]), S, "triplet_margin_loss: shapes do not broadcast: [3] and [2]."),
    Bad(lambda: F.triplet_margin_with_distance_loss(v, v, v, distance_function=2), T,  # type: ignore[arg-type]
        f"{TRIPLET}: distance_function is a int, not a function."),
)  # fmt: skip
