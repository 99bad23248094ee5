"""What the activations refuse; see ``errors.py``."""

from __future__ import annotations

import math

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, X, array, v, x

zero = bb.tensor(1.0)

REFUSED = (
    Bad(lambda: F.silu(3), T, "silu: the input is a int, not a Tensor. Use bb.tensor."),
    Bad(lambda: F.mish(array), T, "mish: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: F.elu(v, math.inf), A, "elu: alpha must be finite, got inf."),
    Bad(lambda: F.elu(v, math.nan), A, "elu: alpha is NaN."),
    Bad(lambda: F.elu(v, v), T, "elu: alpha: takes a number here, not a Tensor. Use item() on it."),
    Bad(lambda: F.celu(v, 0), A, "celu: alpha must not be 0, or nearly so, got 0.0."),
    Bad(lambda: F.softplus(v, 0), A, "softplus: beta must not be 0."),
    Bad(lambda: F.softplus(v, threshold=math.nan), A, "softplus: threshold is NaN."),
    Bad(lambda: F.glu(x), S, "glu: axis -1 of [2, 3] has no halves."),
    Bad(lambda: F.glu(x, 2), X, "glu: axis 2 is out of range for 2 dimensions."),
    Bad(lambda: F.glu(zero), S, "glu: the input is 0-d and has no axis. Use reshape."),
    Bad(lambda: F.softmin(zero), S, "softmin: the input is 0-d and has no axis. Use reshape."),
    Bad(lambda: F.softmin(v, dtype="int32"), T, "softmin: dtype must be of floats, got int32."),
    Bad(lambda: F.quiet_softmax(zero), S, "quiet_softmax: the input is 0-d and has no axis. Use reshape."),
    Bad(lambda: F.gumbel_softmax(zero), S, "gumbel_softmax: the input is 0-d and has no axis. Use reshape."),
    Bad(lambda: F.gumbel_softmax(v, 0), A, "gumbel_softmax: tau must be positive, got 0.0."),
    Bad(lambda: F.gumbel_softmax(v, axis=1), X, "gumbel_softmax: axis 1 is out of range for 1 dimensions."),
)  # fmt: skip
