"""PyTorch's functions for the rows of ``ops/pool.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "adaptive_avg_pool1d": F.adaptive_avg_pool1d,
    "adaptive_avg_pool2d": F.adaptive_avg_pool2d,
    "adaptive_avg_pool3d": F.adaptive_avg_pool3d,
    "avg_pool1d": F.avg_pool1d,
    "avg_pool2d": F.avg_pool2d,
    "avg_pool3d": F.avg_pool3d,
    "lp_pool1d": F.lp_pool1d,
    "lp_pool1d_of_positive": F.lp_pool1d,
    "lp_pool2d": F.lp_pool2d,
    "lp_pool2d_of_positive": F.lp_pool2d,
    "lp_pool3d": F.lp_pool3d,
    "lp_pool3d_of_positive": F.lp_pool3d,
}
