"""Losses as modules."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._module import Module
from backburner.nn._parameter import Buffer


class CrossEntropyLoss(Module):
    """``functional.cross_entropy`` with these options."""

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        self.weight = None if weight is None else Buffer(weight)
        self.ignore_index = ignore_index
        self.reduction = reduction
        self.label_smoothing = label_smoothing

    def forward(self, x: Tensor, target: Any) -> Tensor:
        return F.cross_entropy(
            x, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )

    def extra_repr(self) -> str:
        return (
            f"ignore_index={self.ignore_index}, reduction={self.reduction!r}, "
            f"label_smoothing={self.label_smoothing}"
        )


class MSELoss(Module):
    """``functional.mse_loss`` with this reduction."""

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = reduction

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(x, target, self.reduction)

    def extra_repr(self) -> str:
        return f"reduction={self.reduction!r}"
