"""Kinks, infinities and NaN of the activations made of lines; see ``special.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, inf, nan

ENDS = [inf, -inf, nan, 1e30, -1e30]


def _ends(name: str, value: list[float], slopes: list[float], call=None) -> Special:  # type: ignore[no-untyped-def]
    """Return the row of what lies far out; the gradient at NaN is not the point."""
    cotangent = [1, 1, 0, 1, 1]
    return Special(f"{name}-far-out", call or getattr(F, name), (ENDS,), value, (slopes,), cotangent)


SPECIALS = (
    Special("B026-relu6-at-its-kinks", F.relu6, ([0, -0.0, 6, 3],), [0, 0, 6, 3], ([0, 0, 0, 1],)),
    Special("B026-hardtanh-at-its-kinks", F.hardtanh, ([-1, 1, 0],), [-1, 1, 0], ([0, 0, 1],)),
    Special("hardtanh-between-equal-bounds", lambda x: F.hardtanh(x, 1, 1), ([0, 1, 2],), [1, 1, 1], ([0, 0, 0],)),
    Special("hardtanh-without-bounds", lambda x: F.hardtanh(x, -inf, inf), ([inf, -inf, 1e30],), [inf, -inf, 1e30],
            ([0, 0, 1],)),
    Special("hardsigmoid-at-its-kinks", F.hardsigmoid, ([-3, 3, 0],), [0, 1, 0.5], ([0, 0, 1 / 6],)),
    Special("hardswish-at-its-kinks", F.hardswish, ([-3, 3, 0],), [0, 3, 0], ([0, 1, 0.5],)),
    Special("B026-leaky_relu-at-0", F.leaky_relu, ([0, -0.0, -1],), [0, 0, -0.01], ([1, 1, 0.01],)),
    Special("rrelu-at-0", lambda x: F.rrelu(x, training=True), ([0, -0.0, 2],), [0, 0, 2], ([1, 1, 1],)),
    Special("prelu-at-0", F.prelu, ([0, -0.0, -1, 2], 0.25), [0, 0, -0.25, 2], ([1, 1, 0.25, 1], -1)),
    Special("prelu-far-out", F.prelu, ([inf, -inf, -1e30], 0.5), [inf, -inf, -5e29], ([1, 0.5, 0.5], None)),
    Special("threshold-at-its-kink", lambda x: F.threshold(x, 1, 5), ([1, 2, 0],), [5, 2, 5], ([0, 1, 0],)),
    Special("thresholded_relu-at-its-kink", F.thresholded_relu, ([1, 2, 0],), [0, 2, 0], ([0, 1, 0],)),
    Special("hardshrink-at-its-kinks", F.hardshrink, ([-0.5, 0.5, 1, 0],), [0, 0, 1, 0], ([0, 0, 1, 0],)),
    Special("hardshrink-of-nothing", lambda x: F.hardshrink(x, 0), ([0, 1e-30],), [0, 1e-30], ([0, 1],), atol=0),
    Special("softshrink-at-its-kinks", F.softshrink, ([-0.5, 0.5, 1, 0],), [0, 0, 0.5, 0], ([0, 0, 1, 0],)),
    Special("shrink-at-its-kinks", lambda x: F.shrink(x, 0.5, 2), ([-0.5, 0.5, 1, -1],), [0, 0, -1, 1], ([0, 0, 1, 1],)),
    Special("an-infinite-cotangent-stops-at-slope-0", F.relu6, ([-1, 3, 7],), [0, 3, 6], ([0, inf, 0],), [inf] * 3),
    _ends("relu6", [6, 0, nan, 6, 0], [0, 0, 0, 0, 0]),
    _ends("hardtanh", [1, -1, nan, 1, -1], [0, 0, 0, 0, 0]),
    _ends("hardsigmoid", [1, 0, nan, 1, 0], [0, 0, 0, 0, 0]),
    _ends("hardswish", [inf, 0, nan, 1e30, 0], [1, 0, 0, 1, 0]),
    _ends("leaky_relu", [inf, -inf, nan, 1e30, -1e28], [1, 0.01, 0, 1, 0.01]),
    _ends("leaky_relu-of-slope-0", [inf, 0, nan, 1e30, 0], [1, 0, 0, 1, 0], lambda x: F.leaky_relu(x, 0)),
    _ends("threshold", [inf, 5, nan, 1e30, 5], [1, 0, 0, 1, 0], lambda x: F.threshold(x, 1, 5)),
    _ends("hardshrink", [inf, -inf, nan, 1e30, -1e30], [1, 1, 0, 1, 1]),
    _ends("softshrink", [inf, -inf, nan, 1e30, -1e30], [1, 1, 0, 1, 1]),
    Special("integers-become-float32", lambda x: F.hardswish(x.astype(bb.int32)).astype(x.dtype), ([-4, 1, 4],),
            [0, 2 / 3, 4]),
)  # fmt: skip
