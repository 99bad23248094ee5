"""Reductions over one axis, several, or all of them.

Common arguments: ``axis`` an int, several ints, or ``None`` for all; ``keepdims`` keeps reduced axes with
size 1. An axis that is not there is an ``AxisError``.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from backburner import _tensor
from backburner.errors import ShapeError
from backburner.ops._operands import Axis, all_axes, floating, number, one_axis, primitive

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def sum(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the sum, accurate for 10^8 float32; 0 of nothing. Integers and bools add up in 64 bits."""
    held = primitive("sum", x)
    axes = all_axes("sum", axis, held.ndim)
    return _tensor.Tensor(x.device.backend.sum(held, axis=axes, keepdims=bool(keepdims)), x.device)


def mean(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the mean, of integers and bools as float32; NaN of nothing."""
    held = floating("mean", x)
    axes = all_axes("mean", axis, held.ndim)
    return _tensor.Tensor(x.device.backend.mean(held, axis=axes, keepdims=bool(keepdims)), x.device)


def _not_empty(op: str, held: Any, axes: tuple[int, ...]) -> None:
    if builtins.any(held.shape[a] == 0 for a in axes):
        raise ShapeError(f"{op}: nothing to reduce: axis {axes} of {list(held.shape)}.")


def max(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the largest element; NaN wins. Equal elements share the gradient evenly.

    Raises:
        ShapeError: there is nothing to reduce.
    """
    held = primitive("max", x)
    axes = all_axes("max", axis, held.ndim)
    _not_empty("max", held, axes)
    return _tensor.Tensor(x.device.backend.max(held, axis=axes, keepdims=bool(keepdims)), x.device)


def min(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the smallest element; NaN wins. Equal elements share the gradient evenly.

    Raises:
        ShapeError: there is nothing to reduce.
    """
    held = primitive("min", x)
    axes = all_axes("min", axis, held.ndim)
    _not_empty("min", held, axes)
    return _tensor.Tensor(x.device.backend.min(held, axis=axes, keepdims=bool(keepdims)), x.device)


def var(x: Tensor, /, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Return the variance with divisor ``n - correction``, in two passes.

    Args:
        x: a tensor; integers are taken as float32.
        axis: see the module.
        correction: 0 for the population's variance, 1 for the sample's.
        keepdims: see the module.
    """
    held = floating("var", x)
    axes = all_axes("var", axis, held.ndim)
    correction = number("var", "correction", correction)
    return _tensor.Tensor(
        x.device.backend.var(held, axis=axes, correction=correction, keepdims=bool(keepdims)), x.device
    )


def logsumexp(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return ``log(sum(exp(x)))`` without overflow; of all ``-inf`` it is ``-inf``, with gradient 0."""
    held = floating("logsumexp", x)
    axes = all_axes("logsumexp", axis, held.ndim)
    return _tensor.Tensor(x.device.backend.logsumexp(held, axis=axes, keepdims=bool(keepdims)), x.device)


def argmax(x: Tensor, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the first index of the largest element, int64; NaN counts as the largest. It has no gradient.

    Without an axis the index is into the flattened tensor.

    Raises:
        ShapeError: there is nothing to reduce.
    """
    held = primitive("argmax", x)
    backend = x.device.backend
    ndim = held.ndim
    if axis is None:
        held = backend.reshape(held, shape=(held.size,))
        index = 0
    else:
        index = one_axis("argmax", axis, ndim)
    _not_empty("argmax", held, (index,))
    found = backend.argmax(held, axis=index, keepdims=bool(keepdims) and axis is not None)
    if keepdims and axis is None:
        found = backend.reshape(found, shape=(1,) * ndim)
    return _tensor.Tensor(found, x.device)
