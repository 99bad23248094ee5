"""Margin losses as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._loss import Loss, constant


class SoftMarginLoss(Loss):
    """``functional.soft_margin_loss`` with these options."""

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(Loss):
    """``functional.multilabel_soft_margin_loss`` with these options."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        self.weight = constant(weight)
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class HingeEmbeddingLoss(Loss):
    """``functional.hinge_embedding_loss`` with these options."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        self.margin = margin
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(x, target, self.margin, self.reduction)


class CosineEmbeddingLoss(Loss):
    """``functional.cosine_embedding_loss`` with these options."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        self.margin = margin
        self.reduction = reduction

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, self.margin, self.reduction)


class MarginRankingLoss(Loss):
    """``functional.margin_ranking_loss`` with these options."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        self.margin = margin
        self.reduction = reduction

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class MultiMarginLoss(Loss):
    """``functional.multi_margin_loss`` with these options."""

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: str = "mean"
    ) -> None:
        self.p = p
        self.margin = margin
        self.weight = constant(weight)
        self.reduction = reduction

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.multi_margin_loss(x, target, self.p, self.margin, self.weight, self.reduction)


class MultiLabelMarginLoss(Loss):
    """``functional.multilabel_margin_loss`` with these options."""

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.multilabel_margin_loss(x, target, self.reduction)


class TripletMarginLoss(Loss):
    """``functional.triplet_margin_loss`` with these options."""

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap
        self.reduction = reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(Loss):
    """``functional.triplet_margin_with_distance_loss`` with these options."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        self.distance_function = distance_function
        self.margin = margin
        self.swap = swap
        self.reduction = reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
