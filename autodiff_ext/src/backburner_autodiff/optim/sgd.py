"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from backburner.errors import ArgumentError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._each import Each
from backburner_autodiff.optim._options import Groups, Rate


class SGD(Each):
    """Gradient descent, with momentum if asked; PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        momentum: the share of the last move that the next one keeps.
        dampening: the share of the gradient that momentum leaves out.
        weight_decay: the share of a parameter that is added to its gradient.
        nesterov: look ahead along the momentum.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

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

    elementwise = True
    checks = {
        "momentum": _options.number(),
        "dampening": _options.number(),
        "weight_decay": _options.number(),
        "nesterov": _options.flag,
        "maximize": _options.flag,
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(model, lr, options, groups)

    def _checked(self, op: str, options: Mapping[str, Any]) -> dict[str, Any]:
        found = super()._checked(op, options)
        if found["nesterov"] and (not found["momentum"] or found["dampening"]):
            raise ArgumentError(
                f"{op}: nesterov needs a momentum and no dampening, got momentum={found['momentum']}, "
                f"dampening={found['dampening']}."
            )
        return found

    def _start(self, p: Array, *, momentum: float, **_: Any) -> dict[str, Array]:
        return {"b": np.zeros(p.shape, p.dtype)} if momentum else {}

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, momentum: float, dampening: float, weight_decay: float, nesterov: bool, maximize: bool,
    ) -> None:  # fmt: skip
        sign = -1.0 if maximize else 1.0
        if not momentum:
            kernels.sgd(g, sign, lr, weight_decay, p)
            return
        kernels.sgd_momentum(
            g, sign, lr, momentum, dampening, nesterov, weight_decay, step == 1, p, state["b"]
        )
