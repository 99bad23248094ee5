"""PyTorch's functions for the rows of ``ops/distance.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "cdist": torch.cdist,
    "normalize": lambda x, p=2.0, axis=1, eps=1e-12: F.normalize(x, p, axis, eps),
    "cosine_similarity": lambda x1, x2, axis=1, eps=1e-8: F.cosine_similarity(x1, x2, axis, eps),
    "pairwise_distance": lambda x1, x2, p=2.0, eps=1e-6, keepdims=False: F.pairwise_distance(
        x1, x2, p, eps, keepdims
    ),
    "pdist": F.pdist,
}
