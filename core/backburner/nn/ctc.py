"""The loss of sequences without an alignment as a module."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._checks import count, flag
from backburner.nn._loss import Loss, known_reduction


class CTCLoss(Loss):
    """``functional.ctc_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> round(nn.CTCLoss()(bb.full((4, 1, 3), -1.0), [[1, 2]], [4], [2]).item(), 3)
        0.646
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        self.blank = count("CTCLoss", "blank", blank, 0)
        self.reduction = known_reduction("CTCLoss", reduction)
        self.zero_infinity = flag("CTCLoss", "zero_infinity", zero_infinity)

    def forward(self, log_probs: Tensor, targets: Any, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
