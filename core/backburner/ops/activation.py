"""Activations; ``backburner.nn.functional`` has them too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backburner import _tensor
from backburner.dtype import DType, canonical
from backburner.errors import ArgumentError, DTypeError, ShapeError
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
    held = floating("softmax", x if dtype is None else x.astype(_float_dtype("softmax", dtype)))
    place = _softmax_axis("softmax", axis, held.ndim)
    return _tensor.Tensor(x.device.backend.softmax(held, axis=place), x.device)


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
    held = floating("log_softmax", x if dtype is None else x.astype(_float_dtype("log_softmax", dtype)))
    place = _softmax_axis("log_softmax", axis, held.ndim)
    return _tensor.Tensor(x.device.backend.log_softmax(held, axis=place), x.device)


def _softmax_axis(op: str, axis: int, ndim: int) -> int:
    if ndim == 0:
        raise ShapeError(f"{op}: the input is 0-d and has no axis. Use reshape.")
    return one_axis(op, axis, ndim)


def _float_dtype(op: str, dtype: Any) -> DType:
    """Return an option that must be a dtype of floats."""
    found = canonical(dtype, op)
    if found.kind != "f":
        raise DTypeError(f"{op}: dtype must be of floats, got {found}.")
    return found
