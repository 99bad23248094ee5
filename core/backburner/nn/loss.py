"""Losses of probabilities and classes as modules."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._loss import Loss, constant


class CrossEntropyLoss(Loss):
    """``functional.cross_entropy`` with these options."""

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        self.weight = constant(weight)
        self.ignore_index = ignore_index
        self.reduction = reduction
        self.label_smoothing = label_smoothing

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.cross_entropy(
            x, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class NLLLoss(Loss):
    """``functional.nll_loss`` with these options."""

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        self.weight = constant(weight)
        self.ignore_index = ignore_index
        self.reduction = reduction

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.nll_loss(x, target, self.weight, self.ignore_index, self.reduction)


class BCELoss(Loss):
    """``functional.binary_cross_entropy`` with these options."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        self.weight = constant(weight)
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(x, target, self.weight, self.reduction)


class BCEWithLogitsLoss(Loss):
    """``functional.binary_cross_entropy_with_logits`` with these options."""

    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean", pos_weight: Tensor | None = None
    ) -> None:
        self.weight = constant(weight)
        self.reduction = reduction
        self.pos_weight = constant(pos_weight)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(x, target, self.weight, self.reduction, self.pos_weight)


class KLDivLoss(Loss):
    """``functional.kl_div`` with these options."""

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        self.reduction = reduction
        self.log_target = log_target

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(x, target, self.reduction, self.log_target)
