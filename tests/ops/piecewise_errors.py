"""What the activations made of lines refuse; see ``errors.py``."""

from __future__ import annotations

import math

from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, v, x

REFUSED = (
    Bad(lambda: F.relu6("a"), T, "relu6: the input is a str, not a Tensor. Use bb.tensor."),
    Bad(lambda: F.hardtanh(v, 2, 1), A, "hardtanh: min_val 2.0 is above max_val 1.0."),
    Bad(lambda: F.hardsigmoid(v, alpha=0), A, "hardsigmoid: alpha must be positive, got 0.0."),
    Bad(lambda: F.leaky_relu(v, math.inf), A, "leaky_relu: negative_slope must be finite, got inf."),
    Bad(lambda: F.rrelu(v, 0.5, 0.25), A, "rrelu: lower 0.5 is above upper 0.25."),
    Bad(lambda: F.prelu(x, v[:2]), S, "prelu: weight must have shape [] or [1] or [3], got [2], for [2, 3]."),
    Bad(lambda: F.prelu(x, x), S, "prelu: weight must have shape [] or [1] or [3], got [2, 3], for [2, 3]."),
    Bad(lambda: F.prelu(v, v), S, "prelu: weight must have shape [] or [1], got [3], for [3]."),
    Bad(lambda: F.threshold(v, math.nan, 0), A, "threshold: threshold is NaN."),
    Bad(lambda: F.hardshrink(v, -1), A, "hardshrink: lambd must not be negative, got -1.0."),
    Bad(lambda: F.softshrink(v, -0.5), A, "softshrink: lambd must not be negative, got -0.5."),
    Bad(lambda: F.shrink(v, 1, math.nan), A, "shrink: bias is NaN."),
)  # fmt: skip
