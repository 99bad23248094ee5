"""Kinks, far scores and coincident points of the margin losses; see ``special.py``."""

from __future__ import annotations

import math
from typing import Any

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, nan


def _with(op: str, target: Any, **options: Any) -> Any:
    """Return the loss of its inputs with this target."""
    return lambda *xs: getattr(F, op)(*xs, bb.tensor(target), **{"reduction": "none"} | options)


SPECIALS = (
    Special("soft_margin_loss-of-far-scores", _with("soft_margin_loss", [1, 1, -1, -1]), ([1000, -1000, 1000, -1000],),
            [0, 1000, 1000, 0], ([0, -1, 1, 0],)),
    Special("soft_margin_loss-at-0", _with("soft_margin_loss", [1, -1]), ([0, 0],), [math.log(2)] * 2, ([-0.5, 0.5],)),
    Special("multilabel_soft_margin_loss-of-far-scores", _with("multilabel_soft_margin_loss", [[1, 0]]), ([[-1000, 1000]],),
            [1000], ([[-0.5, 0.5]],)),
    Special("hinge_embedding_loss-at-its-kink", _with("hinge_embedding_loss", [-1, -1, -1]), ([1, 0.5, 2],), [0, 0.5, 0],
            ([-1, -1, 0],)),
    Special("hinge_embedding_loss-of-nan-that-nobody-wants", _with("hinge_embedding_loss", [1, -1]), ([nan, 0],), [nan, 1],
            ([0, -1],), [0, 1]),
    Special("margin_ranking_loss-at-its-kink", _with("margin_ranking_loss", [1, -1]), ([1, 1], [1, 1]), [0, 0],
            ([-1, 1], [1, -1])),
    Special("cosine_embedding_loss-of-zero-vectors", _with("cosine_embedding_loss", [1, -1]), ([[0, 0], [0, 0]], [[0, 0], [0, 0]]),
            [1, 0], ([[0, 0], [0, 0]], [[0, 0], [0, 0]])),
    Special("cosine_embedding_loss-of-one-zero-vector", _with("cosine_embedding_loss", 1), ([0, 0], [3, 4]), 1,
            ([-6e5, -8e5], [0, 0]), atol=1),
    Special("cosine_embedding_loss-without-overflow", _with("cosine_embedding_loss", [1, 1]), ([[3e30, 4e30], [3, 4]], [[3e30, 4e30], [0, 1]]),
            [0, 0.2], (None, [[0, 0], [-0.6, 0]])),
    Special("multi_margin_loss-at-its-kink", _with("multi_margin_loss", [0]), ([[1, 0, 0.5]],), [0.5 / 3],
            ([[-1 / 3, 0, 1 / 3]],)),
    Special("multi_margin_loss-of-far-scores", _with("multi_margin_loss", [0]), ([[1e8, 1e8, -1e8]],), [1 / 3],
            ([[-1 / 3, 1 / 3, 0]],)),
    Special("multi_margin_loss-of-nan-that-nobody-wants", _with("multi_margin_loss", [0, 0], p=2), ([[nan, 0], [0, 0]],), [nan, 0.5],
            ([[0, 0], [-1, 1]],), [0, 1]),
    Special("multilabel_margin_loss-at-its-kink", _with("multilabel_margin_loss", [[0, -1, 2]]), ([[1, 0, 0.5]],), [0.5 / 3],
            ([[-1 / 3, 0, 1 / 3]],)),
    Special("multilabel_margin_loss-of-a-class-named-twice", _with("multilabel_margin_loss", [[0, 0, -1]]), ([[0, 0, 0]],), [4 / 3],
            ([[-4 / 3, 2 / 3, 2 / 3]],)),
    Special("multilabel_margin_loss-of-no-class", _with("multilabel_margin_loss", [[-1, 0, 1]]), ([[0, 0, 0]],), [0], ([[0, 0, 0]],)),
    Special("triplet_margin_loss-of-one-point-alone", lambda a, b, c: F.triplet_margin_loss(a, b, c, eps=0), ([1, 2],) * 3, 1,
            ([0, 0],) * 3),
    Special("triplet_margin_loss-of-coincident-points", F.triplet_margin_loss, ([1, 2], [1, 2], [4, 6]), 0, ([0, 0],) * 3),
    Special("triplet_margin_loss-that-misses-coincident-points", lambda a, b, c: F.triplet_margin_loss(a, b, c, 9, eps=0),
            ([1, 2], [1, 2], [4, 6]), 4, ([0.6, 0.8], [0, 0], [-0.6, -0.8])),
    Special("triplet_margin_loss-swaps-half-of-equal-distances", lambda a, b, c: F.triplet_margin_loss(a, b, c, 2, eps=0, swap=True),
            ([1], [-1], [0]), 3, ([0.5], [-0.5], [0])),
    Special("triplet_margin_loss-of-far-points", lambda a, b, c: F.triplet_margin_loss(a, b, c, 1e30), ([3e30, 0], [0, 4e30], [0, 0]),
            3e30, ([-0.4, -0.8], [-0.6, 0.8], [1, 0]), atol=1e-6),
)  # fmt: skip
