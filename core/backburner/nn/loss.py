"""Losses of probabilities and classes as modules."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._checks import flag, within
from backburner.nn._loss import Loss, constant, known_reduction
from backburner.nn.functional._reduction import REDUCTIONS
from backburner.ops._operands import integer


class CrossEntropyLoss(Loss):
    """``functional.cross_entropy`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> round(nn.CrossEntropyLoss()(bb.tensor([[2.0, 0.0], [0.0, 0.0]]), [0, 1]).item(), 3)
        0.41
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        self.weight = constant("CrossEntropyLoss", "weight", weight)
        self.ignore_index = integer("CrossEntropyLoss", "ignore_index", ignore_index)
        self.reduction = known_reduction("CrossEntropyLoss", reduction)
        self.label_smoothing = within("CrossEntropyLoss", "label_smoothing", label_smoothing, 0, 1)

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.cross_entropy(
            x, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class NLLLoss(Loss):
    """``functional.nll_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.NLLLoss(reduction="sum")(bb.tensor([[-1.0, -2.0], [-3.0, -4.0]]), [0, 1])
        tensor(5.)
    """

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        self.weight = constant("NLLLoss", "weight", weight)
        self.ignore_index = integer("NLLLoss", "ignore_index", ignore_index)
        self.reduction = known_reduction("NLLLoss", reduction)

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.nll_loss(x, target, self.weight, self.ignore_index, self.reduction)


class BCELoss(Loss):
    """``functional.binary_cross_entropy`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> round(nn.BCELoss()(bb.tensor([0.5, 1.0]), bb.tensor([1.0, 1.0])).item(), 3)
        0.347
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        self.weight = constant("BCELoss", "weight", weight)
        self.reduction = known_reduction("BCELoss", reduction)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(x, target, self.weight, self.reduction)


class BCEWithLogitsLoss(Loss):
    """``functional.binary_cross_entropy_with_logits`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> round(nn.BCEWithLogitsLoss()(bb.tensor([0.0, 1000.0]), bb.tensor([1.0, 1.0])).item(), 3)
        0.347
    """

    def __init__(
        self, weight: Tensor | None = None, reduction: str = "mean", pos_weight: Tensor | None = None
    ) -> None:
        self.weight = constant("BCEWithLogitsLoss", "weight", weight)
        self.reduction = known_reduction("BCEWithLogitsLoss", reduction)
        self.pos_weight = constant("BCEWithLogitsLoss", "pos_weight", pos_weight)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(x, target, self.weight, self.reduction, self.pos_weight)


class KLDivLoss(Loss):
    """``functional.kl_div`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.KLDivLoss(reduction="sum")(bb.tensor([-1.0, -1.0]), bb.tensor([0.0, 1.0]))
        tensor(1.)
    """

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        self.reduction = known_reduction("KLDivLoss", reduction, (*REDUCTIONS, "batchmean"))
        self.log_target = flag("KLDivLoss", "log_target", log_target)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(x, target, self.reduction, self.log_target)
