"""Muon: momentum whose matrices are made orthogonal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from backburner.errors import ArgumentError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._each import Each
from backburner_autodiff.optim._optimizer import Move
from backburner_autodiff.optim._options import Groups, Rate


class Muon(Each):
    """Momentum whose matrices are made nearly orthogonal (Jordan and others, 2024); PyTorch's formulas.

    It is for the weight matrices inside a model. What has another number of dimensions is refused, and embeddings
    and the last layer do better with ``AdamW``: ``Partition`` gives each parameter its optimizer.

    Where PyTorch multiplies in bfloat16 this multiplies in the dtype of the parameter. The products are NumPy's:
    their last bits depend on the number of threads unless ``bb.deterministic(True)``.

    Args:
        model: a module whose parameters are matrices, or such parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.
        weight_decay: the share of a parameter, times the learning rate, that each step takes away.
        momentum: how much of the last mean of gradients the next one keeps.
        nesterov: look ahead along the momentum.
        ns_coefficients: those of ``x``, ``x**3`` and ``x**5`` in a step of the Newton-Schulz iteration, which
            brings singular values near to 1.
        eps: the least that a matrix is divided by, before the iteration.
        ns_steps: the number of its steps, below 100.
        adjust_lr_fn: ``"original"``, as ``None``, for a rate times the root of rows over columns where that is
            above 1; ``"match_rms_adamw"`` for one times 0.2 of the root of the greater of the two, with which
            rates of ``AdamW`` do.
        groups: options of their own for parameters by pattern of names; see ``Optimizer``.

    Raises:
        ArgumentError: a parameter is no matrix, an option has a value that makes no sense, or a pattern matches no
            parameter.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import AdamW, Muon, Partition
        >>> model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2)).to(bb.Device.cpu().autodiff())
        >>> optimizer = Partition(
        ...     model,
        ...     {"0.weight": lambda part: Muon(part, lr=0.02), "*": lambda part: AdamW(part, lr=3e-4)},
        ... )
        >>> optimizer.step(model(bb.ones((3, 4))).mean().backward())
    """

    letters = ("b",)
    checks = {
        "weight_decay": _options.number(),
        "momentum": _options.number(),
        "nesterov": _options.flag,
        "ns_coefficients": _options.several(3, _options.number(-math.inf)),
        "eps": _options.number(),
        "ns_steps": _options.whole(0, 100),
        "adjust_lr_fn": _options.one_of("original", "match_rms_adamw", None),
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
        *,
        groups: Groups | None = None,
    ) -> None:
        options = {
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(model, lr, options, groups)
        self._refuse_others("Muon", dict(self._parameters()))

    @staticmethod
    def _refuse_others(op: str, parameters: Mapping[str, Parameter]) -> None:
        others = [f"{name}: {list(p.shape)}" for name, p in parameters.items() if p.ndim != 2]
        if others:
            more = ", ..." if len(others) > 8 else ""
            raise ArgumentError(
                f"{op}: takes matrices alone, and these are none: {', '.join(others[:8])}{more}. Give them another "
                "optimizer: Partition(model, {'*.bias': AdamW, ..., '*': Muon})."
            )

    def _planned(self, moves: Iterable[Move]) -> Any:
        moves = list(moves)
        self._refuse_others("Muon.step", {name: parameter for name, parameter, _ in moves})
        return super()._planned(moves)

    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int,
        *, lr: float, weight_decay: float, momentum: float, nesterov: bool,
        ns_coefficients: tuple[float, float, float], eps: float, ns_steps: int, adjust_lr_fn: str | None,
    ) -> None:  # fmt: skip
        kernels.sgd(g, -1.0, 1 - momentum, 1.0, state["b"])  # b - (1 - momentum) * (b - g)
        kind = p.dtype.type
        b = state["b"]
        x = g + kind(momentum) * (b - g) if nesterov else b
        rows, columns = p.shape
        if rows > columns:
            x = x.T
        if p.size:
            x = orthogonal(x, ns_coefficients, ns_steps, eps)
        if rows > columns:
            x = x.T
        if adjust_lr_fn == "match_rms_adamw":
            rate = lr * 0.2 * math.sqrt(max(rows, columns))
        else:
            rate = lr * math.sqrt(max(1.0, rows / max(columns, 1)))
        p *= kind(1 - lr * weight_decay)
        p -= kind(rate) * x


def orthogonal(x: Array, coefficients: tuple[float, float, float], steps: int, eps: float) -> Array:
    """Return a matrix with the singular vectors of ``x``, whose singular values come near to 1.

    Args:
        x: a matrix with no more rows than columns.
        coefficients: of the polynomial that each step applies to the singular values.
        steps: how many there are.
        eps: the least that ``x`` is divided by.
    """
    a, b, c = (x.dtype.type(number) for number in coefficients)
    # The greatest first: squares of float32 may overflow.
    most = np.abs(x).max()
    size = most * np.sqrt(np.square(x / most).sum()) if 0 < most < np.inf else most
    x = x / max(size, x.dtype.type(eps))
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return np.asarray(x)
