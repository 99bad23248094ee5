"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backburner.errors import ArgumentError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim._optimizer import Optimizer, Rate, option


class SGD(Optimizer):
    """Gradient descent, with momentum if asked; PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        momentum: the share of the last move that the next one keeps.
        dampening: the share of the gradient that momentum leaves out.
        weight_decay: the share of a parameter that is added to its gradient.
        nesterov: look ahead along the momentum.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import SGD
        >>> model = nn.Linear(2, 1, bias=False).to(bb.Device.cpu().autodiff())
        >>> model.weight.assign(bb.ones((1, 2)))
        >>> SGD(model, lr=0.5).step(model(bb.tensor([[1.0, 2.0]])).sum().backward())
        >>> model.weight.tolist()
        [[0.5, 0.0]]
    """

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(model, lr)
        self.momentum = option(self, "momentum", momentum, 0.0)
        self.dampening = option(self, "dampening", dampening, 0.0)
        self.weight_decay = option(self, "weight_decay", weight_decay, 0.0)
        self.nesterov = bool(nesterov)
        if nesterov and (not momentum or dampening):
            raise ArgumentError(
                f"SGD: nesterov needs a momentum and no dampening, got momentum={momentum}, dampening={dampening}."
            )
        if momentum:
            self.letters = ("b",)

    def _update(self, g: Array, lr: float, step: int, p: Array, state: dict[str, Array]) -> None:
        if not self.momentum:
            kernels.sgd(g, lr, self.weight_decay, p)
            return
        kernels.sgd_momentum(
            g, lr, self.momentum, self.dampening, self.nesterov, self.weight_decay, step == 1, p, state["b"]
        )

    def _options(self) -> dict[str, Any]:
        names = ("momentum", "dampening", "weight_decay", "nesterov")
        return {name: getattr(self, name) for name in names if getattr(self, name)}
