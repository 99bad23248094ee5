"""PyTorch's functions for the rows of ``ops/piecewise.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Torch = Callable[..., Any]


def hardsigmoid(x: torch.Tensor, alpha: float = 1 / 6, beta: float = 0.5) -> torch.Tensor:
    """Return it by hardtanh: PyTorch's own has no options, and 1/6 in float32 as its slope, in float64 too."""
    return F.hardtanh(alpha * x + beta, 0, 1)


def shrink(x: torch.Tensor, lambd: float = 0.5, bias: float = 0.0) -> torch.Tensor:
    """Return hardshrink with a bias, which PyTorch has no function for."""
    return torch.where(x > lambd, x - bias, torch.where(x < -lambd, x + bias, 0.0))


PYTORCH: dict[str, Torch] = {
    "relu6": F.relu6,
    "hardtanh": lambda x, min_val=-1.0, max_val=1.0: F.hardtanh(x, min_val, max_val),
    "hardsigmoid": hardsigmoid,
    "hardswish": F.hardswish,
    "leaky_relu": F.leaky_relu,
    "rrelu": F.rrelu,
    "prelu": F.prelu,
    "threshold": F.threshold,
    "thresholded_relu": lambda x, alpha=1.0: F.threshold(x, alpha, 0.0),
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
    "shrink": shrink,
}
