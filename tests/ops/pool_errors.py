"""What average pooling refuses; see ``errors.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, image

line = bb.zeros((2, 4))

REFUSED = (
    Bad(lambda: F.avg_pool1d(line, 2, padding=2), A, "avg_pool1d: padding 2 is over half the kernel, [2].", "B057-avg_pool1d"),
    Bad(lambda: F.avg_pool3d(image, 2, padding=2), A, "avg_pool3d: padding 2 is over half the kernel, [2, 2, 2].", "B057-avg_pool3d"),
    Bad(lambda: F.avg_pool1d(line, 5), S, "avg_pool1d: windows that span [5] do not fit into [4], padding [0]."),
    Bad(lambda: F.avg_pool2d(image, 2, divisor_override=0), A, "avg_pool2d: divisor_override must be within 2^31 and not 0, got 0."),
    Bad(lambda: F.avg_pool3d(image, 2, divisor_override=1.5), T,  # type: ignore[arg-type]
        "avg_pool3d: divisor_override must be an integer, got 1.5."),
    Bad(lambda: F.adaptive_avg_pool1d(line, 0), A, "adaptive_avg_pool1d: output_size must be at least 1, got 0."),
    Bad(lambda: F.adaptive_avg_pool2d(line, 1), S, "adaptive_avg_pool2d: the input must be [n, c, h, w] or [c, h, w], got [2, 4]."),
    Bad(lambda: F.adaptive_avg_pool3d(bb.zeros((2, 3, 0, 1)), 1), S, "adaptive_avg_pool3d: there is nothing to pool along an axis: [3, 0, 1]."),
    Bad(lambda: F.adaptive_avg_pool2d(image, (1, 2, 3)), A, "adaptive_avg_pool2d: output_size takes one int or two, got (1, 2, 3)."),
    Bad(lambda: F.lp_pool1d(line, 0, 2), A, "lp_pool1d: norm_type must not be 0, got 0."),
    Bad(lambda: F.lp_pool2d(image, float("nan"), 2), A, "lp_pool2d: norm_type is NaN."),
    Bad(lambda: F.lp_pool3d(image, 2, 5), S, "lp_pool3d: windows that span [5, 5, 5] do not fit into [2, 4, 4], padding [0, 0, 0]."),
)  # fmt: skip
