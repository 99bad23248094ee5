"""Activations; ``backburner.nn.functional`` has them too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backburner import _tensor
from backburner.ops._operands import chosen, floating, floats_along, numeric

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def relu(x: Tensor, /) -> Tensor:
    """Return ``max(x, 0)``, with gradient 0 at 0.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("relu", x)
    return _tensor.wrap(x.device.backend.relu(held), x.device)


def sigmoid(x: Tensor, /) -> Tensor:
    """Return ``1 / (1 + exp(-x))``.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("sigmoid", x)
    return _tensor.wrap(x.device.backend.sigmoid(held), x.device)


def gelu(x: Tensor, /, approximate: str = "none") -> Tensor:
    """Return ``x`` times the standard normal distribution function of ``x`` (Hendrycks and Gimpel 2016).

    Args:
        x: a tensor.
        approximate: ``"none"`` for the exact function, by erf; ``"tanh"`` for the paper's approximation.

    Shape:
        x and the result ``[...]``.

    Raises:
        ArgumentError: ``approximate`` is something else.
    """
    chosen("gelu", "approximate", approximate, ("none", "tanh"))
    held = floating("gelu", x)
    return _tensor.wrap(x.device.backend.gelu(held, approximate=approximate), x.device)


def softmax(x: Tensor, /, axis: int = -1, dtype: Any = None) -> Tensor:
    """Return ``exp(x)`` over its sum along ``axis``; along an axis that is all ``-inf`` it is NaN.

    Args:
        x: a tensor.
        axis: the axis.
        dtype: of floats, which ``x`` is turned into first.

    Shape:
        The result has the shape of ``x``, which is not 0-d.

    Raises:
        DTypeError: ``dtype`` is not of floats.
    """
    held, place = floats_along("softmax", x, axis, dtype)
    return _tensor.wrap(x.device.backend.softmax(held, axis=place), x.device)


def log_softmax(x: Tensor, /, axis: int = -1, dtype: Any = None) -> Tensor:
    """Return the logarithm of ``softmax``, accurate where that underflows.

    Args:
        x: a tensor.
        axis: the axis.
        dtype: of floats, which ``x`` is turned into first.

    Shape:
        The result has the shape of ``x``, which is not 0-d.

    Raises:
        DTypeError: ``dtype`` is not of floats.
    """
    held, place = floats_along("log_softmax", x, axis, dtype)
    return _tensor.wrap(x.device.backend.log_softmax(held, axis=place), x.device)
