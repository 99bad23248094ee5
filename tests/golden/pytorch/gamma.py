"""PyTorch's functions for the rows of ``ops/gamma.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Torch = Callable[..., Any]

# not digamma, whose gradient PyTorch has to ten digits only
PYTORCH: dict[str, Torch] = {"lgamma": torch.lgamma}
