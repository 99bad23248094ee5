"""Losses of probabilities, classes, numbers and sequences as modules."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.errors import ArgumentError
from backburner.nn import functional as F
from backburner.nn._bases import Loss, constant, known_reduction
from backburner.nn._checks import count, flag, within
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


class MSELoss(Loss):
    """``functional.mse_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.MSELoss()(bb.tensor([1.0, 2.0]), bb.tensor([1.0, 4.0]))
        tensor(2.)
    """

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = known_reduction("MSELoss", reduction)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(x, target, self.reduction)


class L1Loss(Loss):
    """``functional.l1_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.L1Loss()(bb.tensor([1.0, 2.0]), bb.tensor([1.0, 4.0]))
        tensor(1.)
    """

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = known_reduction("L1Loss", reduction)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(x, target, self.reduction)


class SmoothL1Loss(Loss):
    """``functional.smooth_l1_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.SmoothL1Loss()(bb.tensor([1.0, 2.0]), bb.tensor([1.5, 4.0]))
        tensor(0.8125)
    """

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        self.reduction = known_reduction("SmoothL1Loss", reduction)
        self.beta = within("SmoothL1Loss", "beta", beta, 0)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(x, target, self.reduction, self.beta)


class HuberLoss(Loss):
    """``functional.huber_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.HuberLoss(delta=0.5)(bb.tensor([1.0, 2.0]), bb.tensor([1.5, 4.0]))
        tensor(0.5)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self.reduction = known_reduction("HuberLoss", reduction)
        self.delta = within("HuberLoss", "delta", delta, 0)
        if self.delta == 0:
            raise ArgumentError("HuberLoss: delta must be positive, got 0.")

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(x, target, self.reduction, self.delta)


class PoissonNLLLoss(Loss):
    """``functional.poisson_nll_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.PoissonNLLLoss()(bb.tensor([0.0]), bb.tensor([2.0]))
        tensor(1.)
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
    ) -> None:
        self.log_input = flag("PoissonNLLLoss", "log_input", log_input)
        self.full = flag("PoissonNLLLoss", "full", full)
        self.eps = within("PoissonNLLLoss", "eps", eps, 0)
        self.reduction = known_reduction("PoissonNLLLoss", reduction)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(x, target, self.log_input, self.full, self.eps, self.reduction)


class GaussianNLLLoss(Loss):
    """``functional.gaussian_nll_loss`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> round(nn.GaussianNLLLoss()(bb.tensor([1.0]), bb.tensor([3.0]), 2.0).item(), 3)
        1.347
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        self.full = flag("GaussianNLLLoss", "full", full)
        self.eps = within("GaussianNLLLoss", "eps", eps, 0)
        self.reduction = known_reduction("GaussianNLLLoss", reduction)

    def forward(self, x: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(x, target, var, self.full, self.eps, self.reduction)


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
