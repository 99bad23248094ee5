"""Activations that are not plain functions of their input; the others are in ``backburner.ops.activation``."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.nn.functional._options import probability
from backburner.ops._operands import floating


def dropout(x: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zero each element with probability ``p`` and scale the others by ``1 / (1 - p)`` (Srivastava et al. 2014).

    The mask comes from one seed of the device's stream, so ``device.seed(n)`` decides it, and a recomputation
    in the backward pass draws the same.

    Args:
        x: a tensor.
        p: the probability; with 1 all is zero.
        training: without it ``x`` comes back as it is.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``p`` is not a probability.
    """
    p = probability("dropout", p)
    held = floating("dropout", x)
    if not training or p == 0:
        return x
    return Tensor(x.device.backend.dropout(held, p=p, seed=x.device.seeds.next()), x.device)
