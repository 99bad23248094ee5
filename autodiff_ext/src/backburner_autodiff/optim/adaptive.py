"""Optimizers that divide by the root of squared gradients and are older than Adam: Adagrad, Adadelta, RMSprop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._each import Each
from backburner_autodiff.optim._options import Groups, Rate


class Adagrad(Each):
    """Steps over the root of the sum of all squared gradients (Duchi and others, 2011); PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        lr_decay: after ``n`` steps of a parameter its rate is divided by ``1 + n * lr_decay``.
        weight_decay: the share of a parameter that is added to its gradient.
        initial_accumulator_value: where the sums of squares start.
        eps: added to the root of the sum.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import Adagrad
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> Adagrad(model).step(model(bb.ones((4, 2))).mean().backward())
    """

    letters = ("v",)
    elementwise = True
    checks = {
        "lr_decay": _options.number(),
        "weight_decay": _options.number(),
        "initial_accumulator_value": _options.number(),
        "eps": _options.number(),
        "maximize": _options.flag,
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "maximize": maximize,
        }
        super().__init__(model, lr, options, groups)

    def _start(self, p: Array, *, initial_accumulator_value: float, **_: Any) -> dict[str, Array]:
        return {"v": np.full(p.shape, initial_accumulator_value, p.dtype)}

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, lr_decay: float, weight_decay: float, eps: float, maximize: bool, **_: Any,
    ) -> None:  # fmt: skip
        rate = lr / (1 + (step - 1) * lr_decay)
        kernels.rmsprop(g, -1.0 if maximize else 1.0, rate, weight_decay, 1.0, 1.0, eps, p, state["v"])


class Adadelta(Each):
    """Steps whose length follows from the last ones (Zeiler, 2012); PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: a factor of the steps, or a function from the number of steps done so far to it.
        rho: how much of the mean squares of gradients and of steps the next ones keep.
        eps: added to both before the root.
        weight_decay: the share of a parameter that is added to its gradient.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import Adadelta
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> Adadelta(model).step(model(bb.ones((4, 2))).mean().backward())
    """

    letters = ("v", "u")
    elementwise = True
    checks = {
        "rho": _options.number(0.0, 1.0),
        "eps": _options.number(),
        "weight_decay": _options.number(),
        "maximize": _options.flag,
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {"rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(model, lr, options, groups)

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, rho: float, eps: float, weight_decay: float, maximize: bool,
    ) -> None:  # fmt: skip
        kernels.adadelta(g, -1.0 if maximize else 1.0, lr, weight_decay, rho, eps, p, state["v"], state["u"])


class RMSprop(Each):
    """Steps over the root of a mean of squared gradients (Hinton, 2012); PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        alpha: how much of the last mean of squares the next one keeps.
        eps: added to the root.
        weight_decay: the share of a parameter that is added to its gradient.
        momentum: the share of the last move that the next one keeps.
        centered: divide by the root of the variance of the gradients instead. One that rounding takes below 0
            counts as 0.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import RMSprop
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> RMSprop(model, momentum=0.9).step(model(bb.ones((4, 2))).mean().backward())
    """

    elementwise = True
    checks = {
        "alpha": _options.number(),
        "eps": _options.number(),
        "weight_decay": _options.number(),
        "momentum": _options.number(),
        "centered": _options.flag,
        "maximize": _options.flag,
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "maximize": maximize,
        }
        super().__init__(model, lr, options, groups)

    def _start(self, p: Array, *, momentum: float, centered: bool, **_: Any) -> dict[str, Array]:
        letters = "vab" if centered else "vb" if momentum else "v"
        return {letter: np.zeros(p.shape, p.dtype) for letter in letters}

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, alpha: float, eps: float, weight_decay: float, momentum: float, centered: bool,
        maximize: bool,
    ) -> None:  # fmt: skip
        rates = (-1.0 if maximize else 1.0, lr, weight_decay, alpha)
        if centered:
            kernels.rmsprop_centered(g, *rates, eps, momentum, p, state["v"], state["a"], state["b"])
        elif momentum:
            kernels.rmsprop_momentum(g, *rates, eps, momentum, p, state["v"], state["b"])
        else:
            kernels.rmsprop(g, *rates, 1 - alpha, eps, p, state["v"])
