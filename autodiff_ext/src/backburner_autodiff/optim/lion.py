"""Lion and Adan, which PyTorch has not; their formulas are those of their authors' programs."""

from __future__ import annotations

import math
from collections.abc import Mapping

from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._each import Each
from backburner_autodiff.optim._options import Groups, Rate


class Lion(Each):
    """Steps of one length along the sign of a momentum (Chen and others, 2023, algorithm 2).

    Every element of a parameter moves by ``lr``, so that ``lr`` is 3 to 10 times smaller than for Adam, and
    ``weight_decay`` as many times greater.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: the share of the momentum in the direction of a step, and in the next momentum.
        weight_decay: the share of a parameter, times the learning rate, that each step takes away.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import Lion
        >>> w = nn.Parameter(bb.tensor([1.0, 2.0]))
        >>> Lion({"w": w}, lr=0.25).step({"w": bb.tensor([0.001, -100.0])})
        >>> w.tolist()
        [0.75, 2.25]
    """

    letters = ("m",)
    elementwise = True
    checks = {"betas": _options.betas, "weight_decay": _options.number(), "maximize": _options.flag}

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {"betas": betas, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(model, lr, options, groups)

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, betas: tuple[float, float], weight_decay: float, maximize: bool,
    ) -> None:  # fmt: skip
        kernels.lion(g, -1.0 if maximize else 1.0, lr, 1 - lr * weight_decay, *betas, p, state["m"])


class Adan(Each):
    """Nesterov's momentum from the differences of gradients (Xie and others, 2022, algorithm 1).

    As in the authors' program the three means are corrected for having started at 0, and ``betas`` are what is
    kept, where the paper writes what is taken.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        betas: how much of the last means of the gradients, of their differences and of their squares the next
            ones keep.
        eps: added to the root of the mean of squares.
        weight_decay: the share of a parameter, times the learning rate, that each step takes away.
        no_prox: take the decay away before the step, as AdamW does, instead of dividing after it.
        maximize: go up the gradient.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import Adan
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> Adan(model).step(model(bb.ones((4, 2))).mean().backward())
    """

    letters = ("m", "v", "n", "g")
    elementwise = True
    checks = {
        "betas": _options.several(3, _options.number(0.0, 1.0)),
        "eps": _options.number(),
        "weight_decay": _options.number(),
        "no_prox": _options.flag,
        "maximize": _options.flag,
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        betas: tuple[float, float, float] = (0.98, 0.92, 0.99),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        no_prox: bool = False,
        *,
        maximize: bool = False,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "no_prox": no_prox,
            "maximize": maximize,
        }
        super().__init__(model, lr, options, groups)

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, betas: tuple[float, float, float], eps: float, weight_decay: float, no_prox: bool,
        maximize: bool,
    ) -> None:  # fmt: skip
        beta1, beta2, beta3 = betas
        along_m, along_v = lr / (1 - beta1**step), lr * beta2 / (1 - beta2**step)
        shrink, grow = (1 - lr * weight_decay, 1.0) if no_prox else (1.0, 1 / (1 + lr * weight_decay))
        kernels.adan(
            g, -1.0 if maximize else 1.0, shrink, grow, *betas, along_m, along_v, 1 / math.sqrt(1 - beta3**step),
            eps, step == 1, p, *(state[letter] for letter in self.letters),
        )  # fmt: skip
