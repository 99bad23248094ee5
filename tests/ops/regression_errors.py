"""What the losses of numbers refuse; see ``errors.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, array, v, x

REFUSED = (
    Bad(lambda: F.mse_loss(v, v[:1]), S, "mse_loss: shapes differ: [3] and [1]. Reshape one."),
    Bad(lambda: F.mse_loss(v, v, reduction="max"), A, "mse_loss: reduction must be one of mean, sum, none, got 'max'."),
    Bad(lambda: F.mse_loss(v, v, weight=v[:1]), S, "mse_loss: weight [1] does not fit [3]. Reshape it."),
    Bad(lambda: F.l1_loss(x, x, weight=x[:1]), S, "l1_loss: weight [1, 3] does not fit [2, 3]. Reshape it."),
    Bad(lambda: F.l1_loss(v, array), T, "l1_loss: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: F.huber_loss(v, v, weight=2.0), T, "huber_loss: weight: the input is a float, not a Tensor."),  # type: ignore[arg-type]
    Bad(lambda: F.huber_loss(v, v, delta=0), A, "huber_loss: delta must be positive, got 0."),
    Bad(lambda: F.huber_loss(v, v, delta=float("nan")), A, "huber_loss: delta is NaN."),
    Bad(lambda: F.smooth_l1_loss(v, v, beta=-1), A, "smooth_l1_loss: beta must not be negative, got -1."),
    Bad(lambda: F.poisson_nll_loss(v, v, eps=-1), A, "poisson_nll_loss: eps must not be negative, got -1."),
    Bad(lambda: F.gaussian_nll_loss(v, v, v[:2]), S, "gaussian_nll_loss: var [2] does not fit [3]. "),
    Bad(lambda: F.gaussian_nll_loss(x, x, bb.zeros((1, 1))), S, "gaussian_nll_loss: var [1, 1] does not fit [2, 3]. "),
    Bad(lambda: F.gaussian_nll_loss(v, v, -v), A, "gaussian_nll_loss: a variance is negative: -3.0."),
    Bad(lambda: F.gaussian_nll_loss(v, v, -1.0), A, "gaussian_nll_loss: a variance is negative: -1.0."),
)  # fmt: skip
