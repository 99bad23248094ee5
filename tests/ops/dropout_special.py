"""Infinities and NaN that are dropped; see ``special.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, inf, nan


def _share(function, low: float = 0.0):  # type: ignore[no-untyped-def]
    """Return a call that sums what is finite of 1000 channels, all infinite or NaN: what was dropped."""

    def call(x: bb.Tensor) -> bb.Tensor:
        bb.Device.cpu().seed(3)
        y = function(bb.broadcast_to(x.reshape((1, -1, 1, 1)), (500, 2, 1, 1)), 0.5, True)
        return bb.where(bb.isfinite(y), y - low, 0.0).sum()

    return call


SPECIALS = (
    Special("dropout2d-drops-infinities-and-nan", _share(F.dropout2d), ([inf, nan],), 0, ([0, 0],)),
    Special("feature_alpha_dropout-drops-infinities-and-nan", _share(F.feature_alpha_dropout, -0.7791939), ([inf, nan],), 0,
            ([0, 0],), atol=1e-3),
    Special("dropout2d-of-everything", lambda x: F.dropout2d(x, 1.0), ([[[[inf]]]],), [[[[0]]]], ([[[[0]]]],)),
    Special("alpha_dropout-of-everything", lambda x: F.alpha_dropout(x, 1.0, True), ([inf, 1],), [0, 0], ([0, 0],)),
)  # fmt: skip
