"""PyTorch's functions for the rows of ``ops/pool.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "max_pool2d": F.max_pool2d,
    "avg_pool2d": F.avg_pool2d,
}
