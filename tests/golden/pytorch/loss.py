"""PyTorch's functions for the rows of ``ops/loss.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "cross_entropy": F.cross_entropy,
    "cross_entropy_of_probabilities": F.cross_entropy,
    "nll_loss": F.nll_loss,
    "binary_cross_entropy": F.binary_cross_entropy,
    "binary_cross_entropy_with_logits": lambda x, t, w, p, **options: F.binary_cross_entropy_with_logits(
        x, t, w, pos_weight=p, **options
    ),
    "kl_div": F.kl_div,
}
