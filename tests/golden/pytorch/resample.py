"""PyTorch's functions for the rows of ``ops/resample.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "interpolate": F.interpolate,
    "grid_sample": F.grid_sample,
    "affine_grid": F.affine_grid,
}
