"""Large means, constants and extremes of the normalisations; see ``special.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, inf

FAR = [[[1e6 + 1, 1e6 - 1], [1e6 + 1, 1e6 - 1]]]
UNIT = [[[1, -1], [1, -1]]]


def _plain(x: bb.Tensor) -> bb.Tensor:
    return F.instance_norm(x)[0]


SPECIALS = (
    Special("group_norm-far-from-0", lambda x: F.group_norm(x, 1, eps=0.0), (FAR,), UNIT, ([[[0, 0], [0, 0]]],)),
    Special("instance_norm-far-from-0", lambda x: F.instance_norm(x, eps=0.0)[0], (FAR,), UNIT, ([[[0, 0], [0, 0]]],)),
    Special("B061-group_norm-of-a-constant", lambda x: F.group_norm(x, 1), ([[[2, 2]]],), [[[0, 0]]],
            ([[[-158.11388, 158.11388]]],), [[[0, 1]]], atol=1e-3),
    Special("instance_norm-of-a-constant", _plain, ([[[2, 2]]],), [[[0, 0]]], ([[[0, 0]]],)),
    Special("rms_norm-of-zeros", lambda x: F.rms_norm(x, 2, eps=1e-4), ([[0, 0]],), [[0, 0]], ([[100, 100]],)),
    Special("B062-rms_norm-of-one-element", lambda x, w: F.rms_norm(x, 1, w, 0.0), ([1e6], [2]), [2], ([0], [1])),
    Special("local_response_norm-beside-an-infinity", lambda x: F.local_response_norm(x, 1)[:, 1:],
            ([[[inf], [2]]],), [[[2 / (1 + 4e-4) ** 0.75]]]),
)  # fmt: skip
