"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from backburner.errors import ArgumentError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim._optimizer import Optimizer, Rate, option


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015), with PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: how much of the last mean of the gradients and of their squares the next one keeps.
        eps: added to the root of the mean of squares.
        weight_decay: the share of a parameter that is added to its gradient.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import Adam
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> optimizer = Adam(model, lr=lambda step: 0.1 / (1 + step))
        >>> optimizer.step(model(bb.ones((4, 2))).mean().backward())
        >>> optimizer.steps
        1
    """

    letters = ("m", "v")
    _decoupled: ClassVar[bool] = False

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(model, lr)
        try:
            beta1, beta2 = betas
        except (TypeError, ValueError):
            raise ArgumentError(f"{self._op}: betas are two numbers, not {betas!r}.") from None
        self.betas = option(self, "betas[0]", beta1, 0.0, 1.0), option(self, "betas[1]", beta2, 0.0, 1.0)
        self.eps = option(self, "eps", eps, 0.0)
        self.weight_decay = option(self, "weight_decay", weight_decay, 0.0)

    def _update(self, g: Array, lr: float, step: int, p: Array, state: dict[str, Array]) -> None:
        kernels.adam(
            g, lr, *self.betas, self.eps, step, self.weight_decay, self._decoupled, p, state["m"], state["v"]
        )

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("betas", "eps", "weight_decay")}


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters apart from the gradient (Loshchilov and Hutter, 2019).

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: as for ``Adam``.
        eps: as for ``Adam``.
        weight_decay: the share of a parameter, times the learning rate, that each step takes away.

    Raises:
        ArgumentError: an option has a value that makes no sense.
    """

    _decoupled = True

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(model, lr, betas, eps, weight_decay)
