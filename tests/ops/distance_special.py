"""Vectors of no length, rows that coincide or nearly do, and sizes whose squares overflow or vanish."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, inf, nan

NEAR: Any = 1 + 3 * 2.0**-22  # exact in float32, and lost in the square of it
ONES: Any = [1.0] * 20


def _one(values: Any) -> Any:
    """Return rows of twenty, of which the first element is given and the others are equal, and no short fractions."""
    return [[value, *[1.1] * 19] for value in values]


def _first(values: Any) -> Any:
    return [[value, *[0.0] * 19] for value in values]


SPECIALS = (
    Special("B009-normalize-with-zero-elements", lambda x: F.normalize(x, 1, axis=0).sum(), ([0, 0, 0.2],), 1, ([5, 5, 0],)),
    Special("B009-normalize-of-zero", lambda x: F.normalize(x, axis=0), ([0, 0],), [0, 0], ([1e12, 1e12],)),
    Special("normalize-of-huge", lambda x: F.normalize(x, axis=0), ([3e30, 4e30],), [0.6, 0.8], (None,)),
    Special("normalize-of-what-is-below-eps", lambda x: F.normalize(x, axis=0, eps=10), ([3, 4],), [0.3, 0.4], ([0.1, 0.1],)),
    Special("normalize-of-a-zero-row-in-a-batch", F.normalize, ([[0, 0], [3, 4]],), [[0, 0], [0.6, 0.8]],
            ([[1e12, 1e12], [0.032, -0.024]],)),
    Special("cosine-with-a-zero-vector", lambda x, y: F.cosine_similarity(x, y, axis=0), ([0, 0], [3, 4]), 0,
            ([0.6e8, 0.8e8], [0, 0])),
    Special("cosine-of-huge-and-tiny", lambda x, y: F.cosine_similarity(x, y, axis=0, eps=0), ([3e30, 4e30], [3e-30, 4e-30]), 1,
            ([0, 0], None)),
    Special("cosine-of-what-is-below-eps", lambda x, y: F.cosine_similarity(x, y, axis=0, eps=10), ([3, 4], [10, 0]), 0.3,
            ([0.1, 0], [0, 0.04])),
    Special("pairwise_distance-of-equals", lambda x, y: F.pairwise_distance(x, y, eps=0), ([1, 2], [1, 2]), 0, ([0, 0], [0, 0])),
    *(Special(f"cdist-of-equals-{p}", lambda x, y, p=p: bb.cdist(x, y, p), ([[1, 2]], [[1, 2]]), [[0]], ([[0, 0]], [[0, 0]]))
      for p in (0, 0.5, 1, 2, 3, inf)),
    Special("cdist-of-equal-long-rows", bb.cdist, ([ONES], [ONES]), [[0]], ([[0] * 20], [[0] * 20])),
    Special("cdist-of-rows-that-are-close", lambda x, y: bb.cdist(x, y)[:, :1], (_one([NEAR, 3]), [*_one([1]), [-1.0] * 20]),
            [[3 * 2.0**-22], [2]], (_first([1, 1]), [*_first([-2]), [0.0] * 20]), atol=1e-12),
    Special("cdist-of-rows-that-are-close-beside-one-far-away", lambda x, y: bb.cdist(x, y)[:, :1],
            (_one([NEAR]), [*_one([1]), [-1e6] * 20]), [[3 * 2.0**-22]], (_first([1]), [*_first([-1]), [0.0] * 20])),
    Special("cdist-of-rows-far-from-0", bb.cdist, ([[8192.0] * 20], [[8192.0] * 18 + [8195.0, 8196.0]]), [[5]],
            ([[0] * 18 + [-0.6, -0.8]], [[0] * 18 + [0.6, 0.8]])),
    *(Special(f"cdist-of-{name}-rows-of-{'many' if pad else 'few'}", bb.cdist, ([[0, 0, *[0] * pad]], [[3 * size, 4 * size, *[0] * pad]]),
              [[5 * size]], ([[-0.6, -0.8, *[0] * pad]], None), atol=1e-6 if size > 1 else 0)
      for name, size in (("huge", 1e30), ("tiny", 1e-30)) for pad in (0, 20)),
    Special("cdist-of-infinities-and-nan", bb.cdist, ([[0, inf], [nan, 0], [0, 0]], [[0, 0]]), [[inf], [nan], [0]]),
    Special("cdist-of-long-rows-with-nan", bb.cdist, ([ONES, [nan] * 20], [[2.0] * 20]), [[np.sqrt(20)], [nan]]),
    Special("cdist-of-equal-differences", lambda x, y: bb.cdist(x, y, inf), ([[0, 0]], [[2, -2]]), [[2]],
            ([[-0.5, 0.5]], [[0.5, -0.5]])),
    Special("cdist-of-a-power-with-an-element-that-is-equal", lambda x, y: bb.cdist(x, y, 0.5), ([[0, 0]], [[4, 0]]), [[4]],
            ([[-1, 0]], [[1, 0]])),
    Special("pdist-of-equals", F.pdist, ([[1, 2], [1, 2], [4, 6]],), [0, 5, 5], ([[-0.6, -0.8], [-0.6, -0.8], [1.2, 1.6]],)),
    Special("corrcoef-of-what-does-not-vary", bb.corrcoef, ([[1, 1, 1], [1, 2, 3]],), [[nan, nan], [nan, 1]]),
    Special("corrcoef-of-huge-and-tiny", bb.corrcoef, ([[1e30, 2e30, 3e30], [3e-30, 2e-30, 1e-30]],), [[1, -1], [-1, 1]]),
    Special("cov-of-one-observation", bb.cov, ([[1], [2]],), [[nan, nan], [nan, nan]]),
)  # fmt: skip
