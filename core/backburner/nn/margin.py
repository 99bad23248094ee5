"""Margin losses as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backburner._tensor import Tensor
from backburner.errors import ArgumentError, DTypeError
from backburner.nn import functional as F
from backburner.nn._bases import Loss, constant, known_reduction
from backburner.nn._checks import flag, within
from backburner.ops._operands import integer


class SoftMarginLoss(Loss):
    """``functional.soft_margin_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> round(nn.SoftMarginLoss()(bb.tensor([0.0, 100.0]), bb.tensor([1.0, 1.0])).item(), 3)
        0.347
    """

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = known_reduction("SoftMarginLoss", reduction)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(Loss):
    """``functional.multilabel_soft_margin_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> round(nn.MultiLabelSoftMarginLoss()(bb.tensor([[0.0, 100.0]]), bb.tensor([[1.0, 1.0]])).item(), 3)
        0.347
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        self.weight = constant("MultiLabelSoftMarginLoss", "weight", weight)
        self.reduction = known_reduction("MultiLabelSoftMarginLoss", reduction)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class HingeEmbeddingLoss(Loss):
    """``functional.hinge_embedding_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.HingeEmbeddingLoss()(bb.tensor([0.5, 0.25]), bb.tensor([1.0, -1.0]))
        tensor(0.625)
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        self.margin = within("HingeEmbeddingLoss", "margin", margin)
        self.reduction = known_reduction("HingeEmbeddingLoss", reduction)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(x, target, self.margin, self.reduction)


class CosineEmbeddingLoss(Loss):
    """``functional.cosine_embedding_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.CosineEmbeddingLoss()(bb.tensor([[1.0, 0.0]]), bb.tensor([[0.0, 1.0]]), bb.tensor([1]))
        tensor(1.)
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        self.margin = within("CosineEmbeddingLoss", "margin", margin)
        self.reduction = known_reduction("CosineEmbeddingLoss", reduction)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, self.margin, self.reduction)


class MarginRankingLoss(Loss):
    """``functional.margin_ranking_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.MarginRankingLoss(0.5)(bb.tensor([1.0, 2.0]), bb.tensor([3.0, 1.0]), bb.tensor([1.0, 1.0]))
        tensor(1.25)
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        self.margin = within("MarginRankingLoss", "margin", margin)
        self.reduction = known_reduction("MarginRankingLoss", reduction)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class MultiMarginLoss(Loss):
    """``functional.multi_margin_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.MultiMarginLoss()(bb.tensor([[2.0, 1.5]]), [0])
        tensor(0.25)
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, reduction: str = "mean"
    ) -> None:
        self.p = integer("MultiMarginLoss", "p", p)
        if self.p not in (1, 2):
            raise ArgumentError(f"MultiMarginLoss: p must be 1 or 2, got {p}.")
        self.margin = within("MultiMarginLoss", "margin", margin)
        self.weight = constant("MultiMarginLoss", "weight", weight)
        self.reduction = known_reduction("MultiMarginLoss", reduction)

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.multi_margin_loss(x, target, self.p, self.margin, self.weight, self.reduction)


class MultiLabelMarginLoss(Loss):
    """``functional.multilabel_margin_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> round(nn.MultiLabelMarginLoss()(bb.tensor([[0.5, 1.0, 0.0]]), [[1, -1, 0]]).item(), 3)
        0.167
    """

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = known_reduction("MultiLabelMarginLoss", reduction)

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.multilabel_margin_loss(x, target, self.reduction)


class TripletMarginLoss(Loss):
    """``functional.triplet_margin_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.TripletMarginLoss(eps=0.0)(bb.zeros((1, 2)), bb.tensor([[3.0, 4.0]]), bb.tensor([[0.0, 2.0]]))
        tensor(4.)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        self.margin = within("TripletMarginLoss", "margin", margin)
        self.p = within("TripletMarginLoss", "p", p)
        if self.p <= 0:
            raise ArgumentError(f"TripletMarginLoss: p must be positive, got {p}.")
        self.eps = within("TripletMarginLoss", "eps", eps, 0)
        self.swap = flag("TripletMarginLoss", "swap", swap)
        self.reduction = known_reduction("TripletMarginLoss", reduction)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(Loss):
    """``functional.triplet_margin_with_distance_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(axis=-1))(
        ...     bb.zeros((1, 2)), bb.tensor([[3.0, 4.0]]), bb.tensor([[0.0, 2.0]])
        ... )
        tensor(6.)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        if distance_function is not None and not callable(distance_function):
            raise DTypeError(
                f"TripletMarginWithDistanceLoss: distance_function must be a function of two tensors, got "
                f"{distance_function!r:.80}."
            )
        self.distance_function = distance_function
        self.margin = within("TripletMarginWithDistanceLoss", "margin", margin)
        self.swap = flag("TripletMarginWithDistanceLoss", "swap", swap)
        self.reduction = known_reduction("TripletMarginWithDistanceLoss", reduction)

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
