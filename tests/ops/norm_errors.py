"""What the normalisations refuse; see ``errors.py``."""

from __future__ import annotations

import math

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, image, v, x

REFUSED = (
    Bad(lambda: F.rms_norm(x, 4), S, "rms_norm: [2, 3] does not end in normalized_shape [4]."),
    Bad(lambda: F.rms_norm(x, ()), S, "rms_norm: [2, 3] does not end in normalized_shape []."),
    Bad(lambda: F.rms_norm(x, 3, v[:2]), S, "rms_norm: weight must have shape [3], got [2]."),
    Bad(lambda: F.rms_norm(x, 3, eps=math.nan), A, "rms_norm: eps is NaN."),
    Bad(lambda: F.group_norm(v, 1), S, "group_norm: the input must be [n, c, ...], got [3]."),
    Bad(lambda: F.group_norm(image, 3), S, "group_norm: 2 channels do not divide into 3 groups."),
    Bad(lambda: F.group_norm(image, 0), S, "group_norm: 2 channels do not divide into 0 groups."),
    Bad(lambda: F.group_norm(image, 1.0), T, "group_norm: num_groups must be an integer, got 1.0."),
    Bad(lambda: F.group_norm(image, 1, v), S, "group_norm: weight must have shape [2], got [3]."),
    Bad(lambda: F.group_norm(x[:1], 3), S,
        "group_norm: one value per group of one example has no variance: [1, 3], 3 groups."),
    Bad(lambda: F.instance_norm(v), S, "instance_norm: the input must be [n, c, ...], got [3]."),
    Bad(lambda: F.instance_norm(x), S, "instance_norm: one value per channel has no variance: [2, 3]."),
    Bad(lambda: F.instance_norm(image, v), S, "instance_norm: running_mean must have shape [2], got [3]."),
    Bad(lambda: F.instance_norm(image, use_input_stats=False), A,
        "instance_norm: without running statistics it takes use_input_stats=True."),
    Bad(lambda: F.local_response_norm(x, 3), S, "local_response_norm: the input must be [n, c, l, ...], got [2, 3]."),
    Bad(lambda: F.local_response_norm(image, 0), A, "local_response_norm: size must be at least 1, got 0."),
    Bad(lambda: F.local_response_norm(image, 2, math.inf), A, "local_response_norm: alpha must be finite, got inf."),
    Bad(lambda: F.local_response_norm(bb.zeros((1, 2, 3)), 2.5), T,
        "local_response_norm: size must be an integer, got 2.5."),
)  # fmt: skip
