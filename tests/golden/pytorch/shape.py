"""PyTorch's functions for the rows of ``ops/shape.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "pad_of_pytorch": F.pad,
}
