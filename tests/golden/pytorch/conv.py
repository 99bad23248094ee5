"""PyTorch's functions for the rows of ``ops/conv.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


def conv2d(x: Any, weight: Any, bias: Any, **options: Any) -> Any:
    return F.conv2d(x, weight, bias, **options)


PYTORCH: dict[str, Torch] = {
    "conv2d": conv2d,
}
