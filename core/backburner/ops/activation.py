"""Activations; ``backburner.nn.functional`` has them too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backburner import _tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.ops._operands import floating, numeric, one_axis

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def relu(x: Tensor, /) -> Tensor:
    """Return ``max(x, 0)``, with gradient 0 at 0."""
    held = numeric("relu", x)
    return _tensor.Tensor(x.device.backend.relu(held), x.device)


def sigmoid(x: Tensor, /) -> Tensor:
    """Return ``1 / (1 + exp(-x))``."""
    held = floating("sigmoid", x)
    return _tensor.Tensor(x.device.backend.sigmoid(held), x.device)


def gelu(x: Tensor, /, approximate: str = "none") -> Tensor:
    """Return ``x`` times the standard normal distribution function of ``x`` (Hendrycks and Gimpel 2016).

    Args:
        x: a tensor.
        approximate: ``"none"`` for the exact function, by erf; ``"tanh"`` for the paper's approximation.

    Raises:
        ArgumentError: ``approximate`` is something else.
    """
    if approximate not in ("none", "tanh"):
        raise ArgumentError(f"gelu: approximate must be 'none' or 'tanh', got {approximate!r}.")
    held = floating("gelu", x)
    return _tensor.Tensor(x.device.backend.gelu(held, approximate=approximate), x.device)


def softmax(x: Tensor, /, axis: int = -1) -> Tensor:
    """Return ``exp(x)`` over its sum along ``axis``; along an axis that is all ``-inf`` it is NaN.

    Shape:
        The result has the shape of ``x``, which is not 0-d.
    """
    held = floating("softmax", x)
    place = _softmax_axis("softmax", axis, held.ndim)
    return _tensor.Tensor(x.device.backend.softmax(held, axis=place), x.device)


def log_softmax(x: Tensor, /, axis: int = -1) -> Tensor:
    """Return the logarithm of ``softmax``, accurate where that underflows.

    Shape:
        The result has the shape of ``x``, which is not 0-d.
    """
    held = floating("log_softmax", x)
    place = _softmax_axis("log_softmax", axis, held.ndim)
    return _tensor.Tensor(x.device.backend.log_softmax(held, axis=place), x.device)


def _softmax_axis(op: str, axis: int, ndim: int) -> int:
    if ndim == 0:
        raise ShapeError(f"{op}: the input is 0-d and has no axis. Use reshape.")
    return one_axis(op, axis, ndim)
