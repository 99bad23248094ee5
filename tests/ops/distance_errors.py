"""What distances refuse, and covariances; see ``errors.py``."""

from __future__ import annotations

import math

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, X, n, v, x

zero = bb.tensor(1.0)
four = bb.ones((4,))

REFUSED = (
    Bad(lambda: bb.cdist(v, x), S, "cdist: needs at least two dimensions, got [3] and [2, 3]."),
    Bad(lambda: bb.cdist(x, x.mT), S, "cdist: rows differ in length: [2, 3] and [3, 2]."),
    Bad(lambda: bb.cdist(bb.ones((2, 1, 3)), bb.ones((3, 1, 3))), S, "cdist: shapes do not broadcast: [2] and [3]."),
    Bad(lambda: bb.cdist(x, x, -1), A, "cdist: p must not be negative, got -1."),
    Bad(lambda: bb.cdist(x, x, math.nan), A, "cdist: p is NaN."),
    Bad(lambda: bb.cdist(x, x, compute_mode="fast"), A, "cdist: compute_mode must be one of use_mm_for_euclid_dist_if_necessary,"),
    Bad(lambda: bb.cdist(x, [[1.0]]), T, "cdist: the input is a list, not a Tensor."),  # type: ignore[arg-type]
    Bad(lambda: F.normalize(x, eps=-1), A, "normalize: eps must not be negative, got -1."),
    Bad(lambda: F.normalize(v), X, "normalize: axis 1 is out of range for 1 dimensions."),
    Bad(lambda: F.cosine_similarity(x, x, eps=math.nan), A, "cosine_similarity: eps is NaN."),
    Bad(lambda: F.cosine_similarity(x, bb.ones((2, 2))), S, "cosine_similarity: shapes do not broadcast: [2, 3] and [2, 2]."),
    Bad(lambda: F.pairwise_distance(zero, zero), S, "pairwise_distance: the inputs are 0-d and have no axis. Use reshape."),
    Bad(lambda: F.pairwise_distance(x, x, keepdims=v), T, "pairwise_distance: keepdims must be True or False, got "),  # type: ignore[arg-type]
    Bad(lambda: F.pdist(v), S, "pdist: needs a matrix, [n, d], got [3]."),
    Bad(lambda: F.pdist(x, -2), A, "pdist: p must not be negative, got -2."),
    Bad(lambda: bb.cov(bb.ones((2, 2, 2))), S, "cov: needs a vector or a matrix, got [2, 2, 2]."),
    Bad(lambda: bb.cov(x, four), S, "cov: 3 observations of x, and 4 of y."),
    Bad(lambda: bb.cov(x, ddof=1, correction=1), A, "cov: ddof and correction are two words for one thing. Give one."),
    Bad(lambda: bb.cov(x, fweights=v), T, "cov: fweights must be integers, got float32."),
    Bad(lambda: bb.cov(x, aweights=v > 1), T, "cov: aweights must be numbers, got bool."),
    Bad(lambda: bb.cov(x, aweights=four), S, "cov: aweights has shape [4], and there are 3 observations."),
    Bad(lambda: bb.cov(x, fweights=-n), A, "cov: fweights has a negative weight."),
    Bad(lambda: bb.corrcoef(x, rowvar="no"), T, "corrcoef: rowvar must be True or False, got str."),  # type: ignore[arg-type]
)  # fmt: skip
