"""What dropout refuses; see ``errors.py``."""

from __future__ import annotations

from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, image, n, v, x

REFUSED = (
    Bad(lambda: F.dropout1d(v), S, "dropout1d: the input must be [n, c, l] or [c, l], got [3]."),
    Bad(lambda: F.dropout2d(x), S, "dropout2d: the input must be [n, c, h, w] or [n, c, l], got [2, 3]."),
    Bad(lambda: F.dropout3d(x), S, "dropout3d: the input must be [n, c, d, h, w] or [c, d, h, w], got [2, 3]."),
    Bad(lambda: F.dropout2d(image, -0.5), A, "dropout2d: p must be in [0, 1], got -0.5."),
    Bad(lambda: F.alpha_dropout(v, 1.5), A, "alpha_dropout: p must be in [0, 1], got 1.5."),
    Bad(lambda: F.alpha_dropout(v, n), T, "alpha_dropout: p: takes a number here, not a Tensor. Use item() on it."),
    Bad(lambda: F.feature_alpha_dropout(v), S, "feature_alpha_dropout: the input must be [n, c, ...], got [3]."),
)  # fmt: skip
