"""PyTorch's functions for the rows of ``ops/ctc.py``: through ``log_softmax``, for its gradient takes that for granted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from ops.ctc import INPUT_LENGTHS, TARGET_LENGTHS

Torch = Callable[..., Any]


def _ctc(x: torch.Tensor, targets: torch.Tensor, packed: bool = False, **options: Any) -> torch.Tensor:
    if packed:
        targets = torch.cat([row[:k] for row, k in zip(targets, TARGET_LENGTHS, strict=True)])
    return F.ctc_loss(F.log_softmax(x, -1), targets, INPUT_LENGTHS, TARGET_LENGTHS, **options)


PYTORCH: dict[str, Torch] = {"ctc_loss_of_log_softmax": _ctc}
