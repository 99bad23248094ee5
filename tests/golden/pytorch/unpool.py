"""PyTorch's functions for the rows of ``ops/unpool.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "max_unpool1d": F.max_unpool1d,
    "max_unpool2d": F.max_unpool2d,
    "max_unpool3d": F.max_unpool3d,
}
