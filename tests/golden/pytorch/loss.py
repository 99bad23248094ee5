"""PyTorch's functions for the rows of ``ops/loss.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "cross_entropy": F.cross_entropy,
    "mse_loss": F.mse_loss,
}
