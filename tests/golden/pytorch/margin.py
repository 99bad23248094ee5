"""PyTorch's functions for the rows of ``ops/margin.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


PYTORCH: dict[str, Torch] = {
    "soft_margin_loss": lambda x, y, **options: F.soft_margin_loss(x, y.to(x.dtype), **options),
    "multilabel_soft_margin_loss": F.multilabel_soft_margin_loss,
    "hinge_embedding_loss": F.hinge_embedding_loss,
    "cosine_embedding_loss": F.cosine_embedding_loss,
    "margin_ranking_loss": F.margin_ranking_loss,
    "multi_margin_loss": lambda x, t, w, **options: F.multi_margin_loss(x, t, weight=w, **options),
    "multilabel_margin_loss": F.multilabel_margin_loss,
    "triplet_margin_loss": F.triplet_margin_loss,
    "triplet_margin_with_distance_loss": F.triplet_margin_with_distance_loss,
    "triplet_margin_with_another_distance": lambda a, b, c, **options: F.triplet_margin_with_distance_loss(
        a, b, c, distance_function=lambda x, y: (x - y).abs().sum(-1), **options
    ),
}
