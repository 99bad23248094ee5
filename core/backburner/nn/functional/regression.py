"""Losses of numbers: how far predictions are from what they should be.

Common arguments: ``x`` the predictions; ``target`` what they should be, which has a gradient too; ``reduction``
``"mean"``, ``"sum"`` or ``"none"``. Shapes that differ are refused: broadcasting is more often a mistake than meant.
"""

from __future__ import annotations

import math

import numpy as np

from backburner import _tensor
from backburner._tensor import Tensor, wrap
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._reduction import check_reduction, factor, reduced, same_shapes
from backburner.ops import elementwise
from backburner.ops._operands import flag, number, primitive, same_floats


def mse_loss(x: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """Return the squared difference, reduced.

    Args:
        x: see the module.
        target: see the module.
        reduction: see the module.
        weight: a factor for each element; the mean is then over the weights.

    Shape:
        x, target and weight have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction.
    """
    check_reduction("mse_loss", reduction)
    (a, b), device = same_shapes("mse_loss", x, target)
    loss = device.backend.huber_loss(a, b, delta=math.inf, divisor=0.5)  # all parabola
    return _weighted("mse_loss", wrap(loss, device), reduction, weight)


def l1_loss(x: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """Return the absolute difference, reduced. Where there is none the gradient is 0.

    Args:
        x: see the module.
        target: see the module.
        reduction: see the module.
        weight: a factor for each element; the mean is then over the weights.

    Shape:
        x, target and weight have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction.
    """
    check_reduction("l1_loss", reduction)
    (a, b), device = same_shapes("l1_loss", x, target)
    return _weighted("l1_loss", elementwise.abs(Tensor(a, device) - Tensor(b, device)), reduction, weight)


def _weighted(op: str, loss: Tensor, reduction: str, weight: Tensor | None) -> Tensor:
    """Return the loss times the weights, its mean being over these."""
    if weight is None:
        return reduced(loss, reduction)
    w = factor(op, "weight", weight, loss, same=True)
    total = reduced(loss * w, "sum" if reduction == "mean" else reduction)
    return total / w.sum() if reduction == "mean" else total


def smooth_l1_loss(x: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """Return the absolute difference less ``beta / 2``, and a parabola below ``beta`` (Girshick 2015).

    Args:
        x: see the module.
        target: see the module.
        reduction: see the module.
        beta: where the parabola ends; 0 leaves none, and this is ``l1_loss``.

    Shape:
        x and target have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction, or ``beta`` is negative.
    """
    check_reduction("smooth_l1_loss", reduction)
    bound = number("smooth_l1_loss", "beta", beta)
    if bound < 0:
        raise ArgumentError(f"smooth_l1_loss: beta must not be negative, got {beta}.")
    (a, b), device = same_shapes("smooth_l1_loss", x, target)
    if a.dtype.type(min(bound, 1.0)) == 0:  # also what this dtype cannot tell from 0
        loss = elementwise.abs(Tensor(a, device) - Tensor(b, device))
    else:
        loss = Tensor(device.backend.huber_loss(a, b, delta=bound, divisor=bound), device)
    return reduced(loss, reduction)


def huber_loss(
    x: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Return half the squared difference, and a line beyond ``delta`` (Huber 1964).

    Args:
        x: see the module.
        target: see the module.
        reduction: see the module.
        delta: where the line begins; its slope.
        weight: a factor for each element; the mean is over the elements all the same, as PyTorch has it.

    Shape:
        x, target and weight have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction, or ``delta`` is not positive.
    """
    check_reduction("huber_loss", reduction)
    bound = number("huber_loss", "delta", delta)
    if bound <= 0:
        raise ArgumentError(f"huber_loss: delta must be positive, got {delta}.")
    (a, b), device = same_shapes("huber_loss", x, target)
    loss = Tensor(device.backend.huber_loss(a, b, delta=bound, divisor=1.0), device)
    if weight is not None:
        loss = loss * factor("huber_loss", "weight", weight, loss, same=True)
    return reduced(loss, reduction)


def poisson_nll_loss(
    x: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log likelihood of counts under Poisson distributions, up to a constant.

    Args:
        x: the rates, or their logarithms.
        target: the counts.
        log_input: whether ``x`` holds logarithms: ``exp(x) - target * x``, else ``x - target * log(x + eps)``.
        full: add Stirling's approximation of ``log(target!)``, for targets above 1.
        eps: added to rates before their logarithm.
        reduction: see the module.

    Shape:
        x and target have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction, or ``eps`` is negative.
    """
    check_reduction("poisson_nll_loss", reduction)
    op = "poisson_nll_loss"
    shift, logarithms = _epsilon(op, eps), flag(op, "log_input", log_input)
    (a, b), device = same_shapes("poisson_nll_loss", x, target)
    rates, counts = Tensor(a, device), Tensor(b, device)
    logs = rates if logarithms else elementwise.log(rates + shift)
    loss = (elementwise.exp(rates) if logarithms else rates) - _seen(counts, logs)
    if flag(op, "full", full):
        many = counts > 1
        n = elementwise.where(many, counts, 1.0)
        stirling = n * elementwise.log(n) - n + elementwise.log(n * (2 * math.pi)) * 0.5
        loss = loss + elementwise.where(many, stirling, 0.0)
    return reduced(loss, reduction)


def _seen(counts: Tensor, logs: Tensor) -> Tensor:
    """Return the product, which is 0 where nothing was seen of what cannot be, whose logarithm is ``-inf``."""
    impossible = np.isneginf(logs.numpy())
    if impossible.any():
        mask = _tensor.Tensor(impossible & (counts.numpy() == 0), logs.device)
        logs = elementwise.where(mask, 0.0, logs)
    return counts * logs


def gaussian_nll_loss(
    x: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log likelihood of numbers under normal distributions (Nix and Weigend 1994).

    It is ``(log(var) + (x - target)^2 / var) / 2``. A variance below ``eps`` is taken as ``eps``, and gets the
    gradient of that, as in PyTorch, so that it can grow again.

    Args:
        x: the means.
        target: see the module.
        var: the variances, none negative, or one number.
        full: add the constant ``log(2 pi) / 2``.
        eps: the smallest variance.
        reduction: see the module.

    Shape:
        x and target have one shape ``[..., n]``; var has it too, or ``[..., 1]`` or ``[...]``, or one axis elsewhere
        that is 1; result ``[]``, or the shape of ``x`` for ``"none"``.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction, a variance is negative, or ``eps`` is.
    """
    op = "gaussian_nll_loss"
    check_reduction(op, reduction)
    least, constant = _epsilon(op, eps), 0.5 * math.log(2 * math.pi) if flag(op, "full", full) else 0.0
    if not isinstance(var, Tensor):
        var = _tensor.tensor(number(op, "var", var), dtype=primitive(op, x).dtype)
    (a, b), _ = same_shapes(op, x, target)
    (a, b, c), device = same_floats(op, x, target, var, required=3)
    spread = Tensor(c, device)
    if spread.ndim:
        spread = spread.reshape(_variance_shape(a.shape, c.shape))
    plain = spread.numpy()
    low = float(np.minimum.reduce(plain, axis=None, initial=np.inf))
    if low < 0:
        raise ArgumentError(f"{op}: a variance is negative: {low}.")
    if low < least:
        spread = spread + _tensor.Tensor(np.maximum(plain, c.dtype.type(least)) - plain, device)
    loss = (elementwise.log(spread) + (Tensor(a, device) - Tensor(b, device)).square() / spread) * 0.5
    return reduced(loss + constant if constant else loss, reduction)


def _epsilon(op: str, eps: float) -> float:
    """Return ``eps``, which is not negative."""
    found = number(op, "eps", eps)
    if found < 0:
        raise ArgumentError(f"{op}: eps must not be negative, got {eps}.")
    return found


def _variance_shape(shape: tuple[int, ...], given: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape in which variances broadcast to ``shape``."""
    if given == shape[:-1]:
        return (*given, 1)
    differ = [n for m, n in zip(shape, given, strict=False) if m != n]
    if len(given) != len(shape) or differ not in ([], [1]):
        raise ShapeError(
            f"gaussian_nll_loss: var {list(given)} does not fit {list(shape)}. One axis may be 1, or the last absent."
        )
    return given
