"""PyTorch's functions for the rows of ``ops/folding.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "unfold": F.unfold,
    "fold": F.fold,
    "pixel_shuffle": F.pixel_shuffle,
    "pixel_unshuffle": F.pixel_unshuffle,
    "channel_shuffle": F.channel_shuffle,
}
