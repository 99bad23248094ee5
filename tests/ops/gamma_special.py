"""Poles, roots and large values of the gamma function's logarithm and its derivative; see ``special.py``."""

from __future__ import annotations

import math

import backburner as bb
from ops.special import Special, inf, nan

EULER = 0.5772156649015329

SPECIALS = (
    Special("lgamma-at-its-roots", bb.lgamma, ([1, 2],), [0, 0], ([-EULER, 1 - EULER],), atol=0),
    Special("lgamma-at-poles-and-infinities", bb.lgamma, ([0, -0.0, -3, inf, -inf, nan],), [inf, inf, inf, inf, inf, nan],
            ([-inf, inf, nan, inf, nan, nan],)),
    Special("lgamma-of-large-and-tiny", bb.lgamma, ([1e30, 1e-30],), [6.807755278982137e31, 30 * math.log(10)],
            ([30 * math.log(10), -1e30],)),
    Special("lgamma-of-negative-halves", bb.lgamma, ([-0.5, -1.5],), [1.2655121234846454, 0.860047015376481],
            ([0.03648997397857652, 0.7031566406452432],)),
    Special("digamma-at-its-poles", bb.digamma, ([0, -0.0, -1, inf, nan],), [-inf, inf, nan, inf, nan],
            ([inf, inf, inf, 0, nan],)),
    Special("digamma-of-1-and-a-half", bb.digamma, ([1, 0.5],), [-EULER, -EULER - 2 * math.log(2)],
            ([math.pi**2 / 6, math.pi**2 / 2],)),
    Special("digamma-of-negative-halves", bb.digamma, ([-0.5],), [0.03648997397857652], ([math.pi**2 / 2 + 4],)),
    Special("erfinv-at-its-ends", bb.erfinv, ([1, -1, 2, 0, nan],), [inf, -inf, nan, 0, nan],
            ([inf, inf, nan, math.sqrt(math.pi) / 2, nan],)),
    Special("erfinv-of-tiny", bb.erfinv, ([1e-30],), [1e-30 * math.sqrt(math.pi) / 2], (None,), atol=0),
)  # fmt: skip
