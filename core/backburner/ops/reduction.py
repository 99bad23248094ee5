"""Reductions over one axis, several, or all of them.

Common arguments: ``axis`` an int, several ints, or ``None`` for all; ``keepdims`` keeps reduced axes with
size 1. An axis that is not there is an ``AxisError``.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import _tensor
from backburner.dtype import canonical
from backburner.errors import ShapeError
from backburner.ops import elementwise
from backburner.ops._operands import (
    Axis,
    all_axes,
    cast,
    flag,
    floating,
    integer,
    number,
    one_axis,
    primitive,
)

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def sum(x: Tensor, /, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """Return the sum, accurate for 10^8 float32; 0 of nothing. Integers and bools add up in 64 bits.

    With ``dtype`` the elements are cast to it first, and the result is of it.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held, device = primitive("sum", x), x.device
    if dtype is not None:
        held = cast(held, canonical(dtype, "sum"), device)
    axes = all_axes("sum", axis, held.ndim)
    y = device.backend.sum(held, axis=axes, keepdims=flag("sum", "keepdims", keepdims))
    return _tensor.wrap(y if dtype is None else cast(y, held.dtype, device), device)


def prod(x: Tensor, /, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """Return the product; 1 of nothing. Its gradient is exact with zeros too.

    Integers and bools multiply in 64 bits. With ``dtype`` the elements are cast to it first, and the result
    is of it.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held, device = primitive("prod", x), x.device
    if dtype is not None:
        held = cast(held, canonical(dtype, "prod"), device)
    axes = all_axes("prod", axis, held.ndim)
    y = device.backend.prod(held, axis=axes, keepdims=flag("prod", "keepdims", keepdims))
    return _tensor.wrap(y if dtype is None else cast(y, held.dtype, device), device)


def mean(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the mean, of integers and bools as float32; NaN of nothing.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held = floating("mean", x)
    axes = all_axes("mean", axis, held.ndim)
    return _tensor.wrap(
        x.device.backend.mean(held, axis=axes, keepdims=flag("mean", "keepdims", keepdims)), x.device
    )


def _not_empty(op: str, held: Any, axes: tuple[int, ...]) -> None:
    if not held.size and builtins.any(held.shape[a] == 0 for a in axes):
        raise ShapeError(f"{op}: nothing to reduce: axis {axes} of {list(held.shape)}.")


def max(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the largest element; NaN wins. Equal elements share the gradient evenly.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.

    Raises:
        ShapeError: there is nothing to reduce.
    """
    held = primitive("max", x)
    axes = all_axes("max", axis, held.ndim)
    _not_empty("max", held, axes)
    return _tensor.wrap(
        x.device.backend.max(held, axis=axes, keepdims=flag("max", "keepdims", keepdims)), x.device
    )


def min(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the smallest element; NaN wins. Equal elements share the gradient evenly.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.

    Raises:
        ShapeError: there is nothing to reduce.
    """
    held = primitive("min", x)
    axes = all_axes("min", axis, held.ndim)
    _not_empty("min", held, axes)
    return _tensor.wrap(
        x.device.backend.min(held, axis=axes, keepdims=flag("min", "keepdims", keepdims)), x.device
    )


def var(x: Tensor, /, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Return the variance with divisor ``n - correction``, in two passes.

    Args:
        x: a tensor; integers are taken as float32.
        axis: see the module.
        correction: 0 for the population's variance, 1 for the sample's.
        keepdims: see the module.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held = floating("var", x)
    axes = all_axes("var", axis, held.ndim)
    correction = number("var", "correction", correction)
    return _tensor.wrap(
        x.device.backend.var(
            held, axis=axes, correction=correction, keepdims=flag("var", "keepdims", keepdims)
        ),
        x.device,
    )


def std(x: Tensor, /, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Return the standard deviation, the root of ``var``. Where all elements are equal its gradient is 0.

    Args:
        x: a tensor; integers are taken as float32.
        axis: see the module.
        correction: 0 for the population's deviation, 1 for the sample's.
        keepdims: see the module.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held = floating("std", x)
    axes = all_axes("std", axis, held.ndim)
    correction = number("std", "correction", correction)
    return _tensor.wrap(
        x.device.backend.std(
            held, axis=axes, correction=correction, keepdims=flag("std", "keepdims", keepdims)
        ),
        x.device,
    )


def vector_norm(x: Tensor, /, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """Return the vector norm ``sum(|x|^ord)^(1/ord)``, without overflow; 0 of nothing.

    The gradient at the zero vector is 0, and that of an element that is 0.

    Args:
        x: a tensor; integers are taken as float32.
        axis: see the module; several axes, or all, are one vector.
        keepdims: see the module.
        ord: ``inf`` and ``-inf`` for the largest and the smallest ``|x|``, 0 for how many are not 0.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.

    Raises:
        ShapeError: there is nothing to take the largest or smallest of, which a negative ``ord`` needs, too.
    """
    return _vector_norm("vector_norm", x, axis, keepdims, ord)


def _vector_norm(op: str, x: Tensor, axis: Axis, keepdims: bool, ord: float) -> Tensor:
    held = floating(op, x)
    axes = all_axes(op, axis, held.ndim)
    keepdims = flag(op, "keepdims", keepdims)
    power = number(op, "ord", ord)
    backend = x.device.backend
    if power < 0 or power == np.inf:
        _not_empty(op, held, axes)
    if power in (np.inf, -np.inf):
        extremum = backend.max if power > 0 else backend.min
        return _tensor.wrap(extremum(backend.abs(held), axis=axes, keepdims=keepdims), x.device)
    if power == 1:
        return _tensor.wrap(backend.sum(backend.abs(held), axis=axes, keepdims=keepdims), x.device)
    return _tensor.wrap(backend.vector_norm(held, axis=axes, ord=power, keepdims=keepdims), x.device)


def norm(x: Tensor, /, ord: float = 2, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the vector norm, as ``vector_norm``, with the arguments in NumPy's order.

    A matrix, too, is one vector here: its norm is that of Frobenius.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    return _vector_norm("norm", x, axis, keepdims, ord)


def median(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return the middle element, or the mean of the two; NaN if one is. Integers are taken as float32.

    What equals a middle element shares its gradient evenly.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.

    Raises:
        ShapeError: there is nothing to reduce.
    """
    held = floating("median", x)
    axes = all_axes("median", axis, held.ndim)
    _not_empty("median", held, axes)
    return _tensor.wrap(
        x.device.backend.median(held, axis=axes, keepdims=flag("median", "keepdims", keepdims)), x.device
    )


def logsumexp(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return ``log(sum(exp(x)))`` without overflow; of all ``-inf`` it is ``-inf``, with gradient 0.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held = floating("logsumexp", x)
    axes = all_axes("logsumexp", axis, held.ndim)
    return _tensor.wrap(
        x.device.backend.logsumexp(held, axis=axes, keepdims=flag("logsumexp", "keepdims", keepdims)),
        x.device,
    )


def _searched(op: str, x: Tensor, axis: int | None) -> tuple[Any, int]:
    """Return what is searched and along which axis: the flattened tensor if none is named."""
    held = primitive(op, x)
    if axis is None:
        held, index = x.device.backend.reshape(held, shape=(held.size,)), 0
    else:
        index = one_axis(op, axis, held.ndim)
    if not held.size:
        _not_empty(op, held, (index,))
    return held, index


def _kept(op: str, found: Any, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    """Return the places that were found, with the searched axes as 1 where they are kept."""
    if flag(op, "keepdims", keepdims):
        sizes = [1] * x.ndim if axis is None else list(x.shape)
        if axis is not None:
            sizes[axis] = 1
        found = x.device.backend.reshape(np.asarray(found), shape=tuple(sizes))
    return _tensor.wrap(found, x.device)


def argmax(x: Tensor, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the first index of the largest element, int64; NaN counts as the largest. It has no gradient.

    Without an axis the index is into the flattened tensor.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.

    Raises:
        ShapeError: there is nothing to reduce.
    """
    held, index = _searched("argmax", x, axis)
    return _kept("argmax", x.device.backend.argmax(held, axis=index, keepdims=False), x, axis, keepdims)


def argmin(x: Tensor, /, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the first index of the smallest element, int64; NaN counts as the smallest. It has no gradient.

    Without an axis the index is into the flattened tensor.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.

    Raises:
        ShapeError: there is nothing to reduce.
    """
    held, index = _searched("argmin", x, axis)
    return _kept("argmin", x.device.backend.argmin(held, axis=index, keepdims=False), x, axis, keepdims)


def any(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return whether an element is true, or not 0, as bool; of nothing False. NaN is not 0.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held = primitive("any", x)
    axes = all_axes("any", axis, held.ndim)
    return _tensor.wrap(
        x.device.backend.any(held, axis=axes, keepdims=flag("any", "keepdims", keepdims)), x.device
    )


def all(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return whether every element is true, or not 0, as bool; of nothing True. NaN is not 0.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held = primitive("all", x)
    axes = all_axes("all", axis, held.ndim)
    return _tensor.wrap(
        x.device.backend.all(held, axis=axes, keepdims=flag("all", "keepdims", keepdims)), x.device
    )


def count_nonzero(x: Tensor, /, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Return how many elements are not 0, int64. NaN is not 0.

    Shape:
        x ``[...]``; the result lacks the axes that are reduced, or has 1 there with ``keepdims``.
    """
    held = primitive("count_nonzero", x)
    axes, kept = all_axes("count_nonzero", axis, held.ndim), flag("count_nonzero", "keepdims", keepdims)
    return sum(elementwise.astype(x, np.bool_), axes, kept)


def trace(x: Tensor, /, offset: int = 0, dtype: Any = None) -> Tensor:
    """Return the sum of a diagonal of each matrix.

    Args:
        x: a tensor.
        offset: which diagonal: 0 the main one, positive above it.
        dtype: as in ``sum``.

    Shape:
        x ``[..., n, m]``; result ``[...]``.

    Raises:
        ShapeError: ``x`` has fewer than two dimensions.
    """
    held = primitive("trace", x)
    if held.ndim < 2:
        raise ShapeError(f"trace: needs at least two dimensions, got {list(held.shape)}.")
    rows, columns = held.shape[-2:]
    k = builtins.max(-rows, builtins.min(integer("trace", "offset", offset), columns))
    length = builtins.max(builtins.min(rows + builtins.min(k, 0), columns - builtins.max(k, 0)), 0)
    along = np.arange(length)
    index = (..., along - builtins.min(k, 0), along + builtins.max(k, 0))
    return sum(_tensor.wrap(x.device.backend.getitem(held, index=index), x.device), -1, dtype=dtype)
