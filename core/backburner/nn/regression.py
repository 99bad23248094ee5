"""Losses of numbers as modules."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._loss import Loss


class MSELoss(Loss):
    """``functional.mse_loss`` with these options."""

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(x, target, self.reduction)


class L1Loss(Loss):
    """``functional.l1_loss`` with these options."""

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(x, target, self.reduction)


class SmoothL1Loss(Loss):
    """``functional.smooth_l1_loss`` with these options."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        self.reduction = reduction
        self.beta = beta

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(x, target, self.reduction, self.beta)


class HuberLoss(Loss):
    """``functional.huber_loss`` with these options."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self.reduction = reduction
        self.delta = delta

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(x, target, self.reduction, self.delta)


class PoissonNLLLoss(Loss):
    """``functional.poisson_nll_loss`` with these options."""

    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
    ) -> None:
        self.log_input = log_input
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(x, target, self.log_input, self.full, self.eps, self.reduction)


class GaussianNLLLoss(Loss):
    """``functional.gaussian_nll_loss`` with these options."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(x, target, var, self.full, self.eps, self.reduction)
