"""Kinks, infinities and limits of the losses of numbers; see ``special.py``."""

from __future__ import annotations

import math

from backburner.nn import functional as F
from ops.special import Special, inf, nan

SPECIALS = (
    Special("mse_loss-has-two-gradients", F.mse_loss, ([1, 2], [3, 5]), 6.5, ([-2, -3], [2, 3])),
    Special("l1_loss-at-its-kink", F.l1_loss, ([1, 2], [1, 3]), 0.5, ([0, -0.5], [0, 0.5])),
    Special("smooth_l1_loss-without-a-parabola", lambda x, y: F.smooth_l1_loss(x, y, "none", 0), ([1, 2, 5], [1, 3, 1]),
            [0, 1, 4], ([0, -1, 1], [0, 1, -1])),
    Special("smooth_l1_loss-with-a-tiny-parabola", lambda x, y: F.smooth_l1_loss(x, y, "none", 1e-60),
            ([1, 2, 5], [1, 3, 1]), [0, 1, 4], ([0, -1, 1], [0, 1, -1])),
    Special("smooth_l1_loss-at-its-seam", lambda x, y: F.smooth_l1_loss(x, y, "none", 2), ([2, -2, 0], [0, 0, 0]),
            [1, 1, 0], ([1, -1, 0], [-1, 1, 0])),
    Special("huber_loss-at-its-seam", lambda x, y: F.huber_loss(x, y, "none", 2), ([2, -2, 0], [0, 0, 0]), [2, 2, 0],
            ([2, -2, 0], [-2, 2, 0])),
    Special("huber_loss-of-infinities", lambda x, y: F.huber_loss(x, y, "none", 2), ([inf, -inf], [0, 0]), [inf, inf],
            ([2, -2], [-2, 2])),
    Special("huber_loss-all-parabola", lambda x, y: F.huber_loss(x, y, "none", inf), ([inf, 4], [0, 0]), [inf, 8],
            ([inf, 4], [-inf, -4])),
    Special("huber_loss-of-a-nan-that-nobody-wants", lambda x, y: F.huber_loss(x, y, "none"), ([nan, 3], [0, 0]),
            [nan, 2.5], ([0, 1], [0, -1]), [0, 1]),
    Special("poisson_nll_loss-of-nothing-seen-where-nothing-can-be", lambda x, y: F.poisson_nll_loss(x, y, reduction="none"),
            ([-inf, -inf, 0], [0, 1, 2]), [0, inf, 1], ([0, -1, -1], None)),
    Special("poisson_nll_loss-of-no-rate", lambda x, y: F.poisson_nll_loss(x, y, False, False, 0, "none"),
            ([0, 2], [0, 0]), [0, 2], ([1, 1], [0, -math.log(2)])),
    Special("poisson_nll_loss-has-no-stirling-up-to-1", lambda x, y: F.poisson_nll_loss(x, y, full=True, reduction="none"),
            ([0, 0], [0, 1]), [1, 1], ([1, 0], [0, 0])),
    Special("gaussian_nll_loss-of-no-variance", lambda x, y, v: F.gaussian_nll_loss(x, y, v, eps=0.5, reduction="none"),
            ([1, 1], [0, 1], [0, 0.1]), [1 + math.log(0.5) / 2, math.log(0.5) / 2], ([2, 0], [-2, 0], [-1, 1])),
    Special("gaussian_nll_loss-of-one-number", lambda x, y: F.gaussian_nll_loss(x, y, 2.0), ([1, 3], [0, 1]),
            (math.log(2) + 1.25) / 2, ([0.25, 0.5], [-0.25, -0.5])),
)  # fmt: skip
