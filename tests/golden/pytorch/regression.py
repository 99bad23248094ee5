"""PyTorch's functions for the rows of ``ops/regression.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "mse_loss": lambda x, y, w, **options: F.mse_loss(x, y, weight=w, **options),
    "l1_loss": lambda x, y, w, **options: F.l1_loss(x, y, weight=w, **options),
    "huber_loss": lambda x, y, w, **options: F.huber_loss(x, y, weight=w, **options),
    "smooth_l1_loss": F.smooth_l1_loss,
    "poisson_nll_loss": F.poisson_nll_loss,
    "gaussian_nll_loss": F.gaussian_nll_loss,
}
