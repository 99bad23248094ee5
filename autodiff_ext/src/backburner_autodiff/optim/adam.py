"""Adam and its kin, which share a kernel: AdamW, NAdam and RAdam; and Adamax."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._each import Each
from backburner_autodiff.optim._options import Groups, Rate

_COMMON = {"betas": _options.betas, "eps": _options.number(), "weight_decay": _options.number()}


class Adam(Each):
    """Adam (Kingma and Ba, 2015), with PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: how much of the last mean of the gradients and of their squares the next one keeps.
        eps: added to the root of the mean of squares.
        weight_decay: the share of a parameter that is added to its gradient.
        amsgrad: divide by the greatest mean of squares so far (Reddi and others, 2018).
        maximize: go up the gradient.
        decoupled_weight_decay: as ``AdamW``, whose only difference this is.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

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
    elementwise = True
    checks = {
        **_COMMON,
        "amsgrad": _options.flag,
        "maximize": _options.flag,
        "decoupled_weight_decay": _options.flag,
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(model, lr, options, groups)

    def _start(self, p: Array, *, amsgrad: bool, **options: Any) -> dict[str, Array]:
        state = super()._start(p, **options)
        return {**state, "vmax": np.zeros(p.shape, p.dtype)} if amsgrad else state

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, betas: tuple[float, float], eps: float, weight_decay: float, amsgrad: bool, maximize: bool,
        decoupled_weight_decay: bool,
    ) -> None:  # fmt: skip
        shrink, added = decay(lr, weight_decay, decoupled_weight_decay)
        beta1, beta2 = betas
        along, scale = lr / (1 - beta1**step), 1 / math.sqrt(1 - beta2**step)
        options = (-1.0 if maximize else 1.0, shrink, added, beta1, beta2, along)
        if amsgrad:
            kernels.amsgrad(g, *options, scale, eps, p, state["m"], state["v"], state["vmax"])
        else:
            kernels.adam(g, *options, 0.0, scale, eps, True, p, state["m"], state["v"])


def decay(lr: float, weight_decay: float, decoupled: bool) -> tuple[float, float]:
    """Return what a parameter is multiplied by before a step, and its share that is added to the gradient."""
    return (1 - lr * weight_decay, 0.0) if decoupled else (1.0, weight_decay)


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters apart from the gradient (Loshchilov and Hutter, 2019).

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: as for ``Adam``.
        eps: as for ``Adam``.
        weight_decay: the share of a parameter, times the learning rate, that each step takes away.
        amsgrad: as for ``Adam``.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import AdamW
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> optimizer = AdamW(model, lr=3e-4, groups={"bias": {"weight_decay": 0.0}})
        >>> optimizer.step(model(bb.ones((4, 2))).mean().backward())
    """

    checks = {name: check for name, check in Adam.checks.items() if name != "decoupled_weight_decay"}

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
        }
        Each.__init__(self, model, lr, options, groups)

    def _update(self, g: Array, p: Array, state: dict[str, Array], step: int, **options: Any) -> None:
        super()._update(g, p, state, step, decoupled_weight_decay=True, **options)


class NAdam(Each):
    """Adam with Nesterov's momentum (Dozat, 2016), with PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: as for ``Adam``.
        eps: as for ``Adam``.
        weight_decay: the share of a parameter that is added to its gradient.
        momentum_decay: how fast the momentum comes near to ``betas[0]``.
        decoupled_weight_decay: let ``weight_decay`` shrink the parameters as in ``AdamW``.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import NAdam
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> NAdam(model).step(model(bb.ones((4, 2))).mean().backward())
    """

    letters = ("m", "v")
    scalars = ("mu_product",)
    checks = {
        **_COMMON,
        "momentum_decay": _options.number(),
        "decoupled_weight_decay": _options.flag,
        "maximize": _options.flag,
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(model, lr, options, groups)

    def _start(self, p: Array, **options: Any) -> dict[str, Array]:
        return {**super()._start(p, **options), "mu_product": np.ones(())}

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, betas: tuple[float, float], eps: float, weight_decay: float, momentum_decay: float,
        decoupled_weight_decay: bool, maximize: bool,
    ) -> None:  # fmt: skip
        shrink, added = decay(lr, weight_decay, decoupled_weight_decay)
        beta1, beta2 = betas
        now, after = (beta1 * (1 - 0.5 * 0.96 ** (t * momentum_decay)) for t in (step, step + 1))
        product = float(state["mu_product"]) * now
        state["mu_product"][()] = product
        kernels.adam(
            g, -1.0 if maximize else 1.0, shrink, added, beta1, beta2,
            lr * after / (1 - product * after), lr * (1 - now) / (1 - product),
            1 / math.sqrt(1 - beta2**step), eps, True,
            p, state["m"], state["v"],
        )  # fmt: skip


class RAdam(Each):
    """Adam whose first steps are plain momentum (Liu and others, 2020), with PyTorch's formulas.

    A step is divided by the root of the squares once their mean is of enough gradients, about the sixth with the
    usual ``betas``, and not before.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: as for ``Adam``.
        eps: as for ``Adam``.
        weight_decay: the share of a parameter that is added to its gradient.
        decoupled_weight_decay: let ``weight_decay`` shrink the parameters as in ``AdamW``.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import RAdam
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> RAdam(model).step(model(bb.ones((4, 2))).mean().backward())
    """

    letters = ("m", "v")
    elementwise = True
    checks = {**_COMMON, "decoupled_weight_decay": _options.flag, "maximize": _options.flag}
    _ENOUGH: ClassVar[float] = 5.0  # PyTorch's bound; the paper has 4

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(model, lr, options, groups)

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, betas: tuple[float, float], eps: float, weight_decay: float, decoupled_weight_decay: bool,
        maximize: bool,
    ) -> None:  # fmt: skip
        shrink, added = decay(lr, weight_decay, decoupled_weight_decay)
        beta1, beta2 = betas
        correction = 1 - beta2**step
        most = 2 / (1 - beta2) - 1
        rho = most - 2 * step * beta2**step / correction
        rate = lr / (1 - beta1**step)
        if rho > self._ENOUGH:
            share = (rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho)
            rate *= math.sqrt(share * correction)
        kernels.adam(
            g, -1.0 if maximize else 1.0, shrink, added, beta1, beta2, rate, 0.0, 1.0, eps, rho > self._ENOUGH,
            p, state["m"], state["v"],
        )  # fmt: skip


class Adamax(Each):
    """Adam over the weighted maximum of the gradients (Kingma and Ba, 2015, section 7.1); PyTorch's formulas.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: how much of the last mean of the gradients and of their maximum the next one keeps.
        eps: added to the size of a gradient.
        weight_decay: the share of a parameter that is added to its gradient.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import Adamax
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> Adamax(model).step(model(bb.ones((4, 2))).mean().backward())
    """

    letters = ("m", "u")
    elementwise = True
    checks = {**_COMMON, "maximize": _options.flag}

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {"betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(model, lr, options, groups)

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, betas: tuple[float, float], eps: float, weight_decay: float, maximize: bool,
    ) -> None:  # fmt: skip
        beta1, beta2 = betas
        kernels.adamax(
            g, -1.0 if maximize else 1.0, lr / (1 - beta1**step), weight_decay, beta1, beta2, eps,
            p, state["m"], state["u"],
        )  # fmt: skip
