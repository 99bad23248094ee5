"""Extremes of the activations; see ``special.py``."""

from __future__ import annotations

import math

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, inf, nan

ENDS = [inf, -inf, nan, 1e30, -1e30, 1000, -1000]


def _ends(name: str, value: list[float], slopes: list[float], call=None) -> Special:  # type: ignore[no-untyped-def]
    """Return the row of what lies far out; the gradient at NaN is not the point."""
    cotangent = [1, 1, 0, 1, 1, 1, 1]
    return Special(f"{name}-far-out", call or getattr(F, name), (ENDS,), value, (slopes,), cotangent)


def _straight_through(x: bb.Tensor) -> bb.Tensor:
    """Return the hard draw less the soft one of the same noise, whose gradients are one."""
    bb.Device.cpu().seed(5)
    hard = F.gumbel_softmax(x, tau=0.7, hard=True)
    bb.Device.cpu().seed(5)
    return hard - F.gumbel_softmax(x, tau=0.7)


GATED = [inf, 0, nan, 1e30, 0, 1000, 0]
UP = [1, 0, 0, 1, 0, 1, 0]

SPECIALS = (
    _ends("silu", GATED, UP),
    _ends("mish", GATED, UP),
    _ends("gelu", GATED, UP),
    _ends("gelu-by-tanh", GATED, UP, lambda x: F.gelu(x, "tanh")),
    _ends("elu", [inf, -2, nan, 1e30, -2, 1000, -2], UP, lambda x: F.elu(x, 2)),
    _ends("celu", [inf, -2, nan, 1e30, -2, 1000, -2], UP, lambda x: F.celu(x, 2)),
    _ends("softplus", GATED, UP),
    _ends("softplus-without-threshold", GATED, UP, lambda x: F.softplus(x, threshold=inf)),
    _ends("logsigmoid", [0, -inf, nan, 0, -1e30, 0, -1000], [0, 1, 0, 0, 1, 0, 1]),
    _ends("softsign", [1, -1, nan, 1, -1, 1000 / 1001, -1000 / 1001], [0, 0, 0, 0, 0, 1001.0**-2, 1001.0**-2]),
    _ends("tanhshrink", [inf, -inf, nan, 1e30, -1e30, 999, -999], [1, 1, 0, 1, 1, 1, 1]),
    Special("B075-softplus-of-far-numbers", F.softplus, ([-200, 200],), [0, 200], ([0, 1],)),
    Special("B075-logsigmoid-of-far-numbers", F.logsigmoid, ([-200, 200],), [-200, 0], ([1, 0],)),
    Special("softplus-keeps-its-digits", F.softplus, ([-15],), [math.log1p(math.exp(-15))], ([1 / (1 + math.exp(15))],),
            atol=0),
    Special("softplus-at-its-threshold", lambda x: F.softplus(x, 2, 4), ([2, 2.5],), [math.log1p(math.exp(4)) / 2, 2.5],
            ([1 / (1 + math.exp(-4)), 1],)),
    Special("elu-at-0", lambda x: F.elu(x, 3), ([0, -0.0],), [0, 0], ([3, 3],)),
    Special("elu-near-0", F.elu, ([-1e-5],), [math.expm1(-1e-5)], ([math.exp(-1e-5)],), atol=0),
    Special("selu-at-0", F.selu, ([0],), [0], ([1.0507009873554805 * 1.6732632423543772],)),
    Special("celu-of-a-negative-alpha", lambda x: F.celu(x, -0.5), ([-25, -6.5, 1],),
            [-0.5 * math.expm1(50), -0.5 * math.expm1(13), 1], ([math.exp(50), math.exp(13), 1],)),
    Special("celu-at-0", lambda x: F.celu(x, 3), ([0],), [0], ([1],)),
    Special("softsign-at-0", F.softsign, ([0],), [0], ([1],)),
    Special("silu-mish-at-0", lambda x: F.silu(x) + F.mish(x), ([0],), [0], ([1.1],)),
    Special("glu-of-a-shut-gate", F.glu, ([5, -inf],), [0], ([0, 0],)),
    Special("quiet_softmax-of-all-minus-infinity", F.quiet_softmax, ([-inf, -inf],), [0, 0], ([0, 0],), [1, 2]),
    Special("quiet_softmax-without-overflow", F.quiet_softmax, ([1000, 1000, -1000],), [0.5, 0.5, 0], ([0, 0, 0],)),
    Special("softmin-without-overflow", F.softmin, ([-1000, 0],), [1, 0], ([0, 0],)),
    Special("gumbel_softmax-hard-has-the-gradient-of-soft", _straight_through, ([1, 2, 3],), None, ([0, 0, 0],),
            [1, 2, 4]),
    Special("gumbel_softmax-hard-is-one-hot", lambda x: bb.sort(F.gumbel_softmax(x, hard=True)), ([1, 1.5, 2],),
            [0, 0, 1], atol=0),
    Special("gumbel_softmax-of-the-impossible", lambda x: F.gumbel_softmax(x)[1], ([0, -inf],), 0, ([0, 0],)),
)  # fmt: skip
