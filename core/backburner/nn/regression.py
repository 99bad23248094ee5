"""Losses of numbers as modules."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.errors import ArgumentError
from backburner.nn import functional as F
from backburner.nn._checks import flag, within
from backburner.nn._loss import Loss, known_reduction


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
