"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import _tensor
from backburner.device import Device
from backburner.errors import ArgumentError, AxisError, DTypeError, ShapeError
from backburner.ops import elementwise, reduction
from backburner.ops._einsum import contract, parse
from backburner.ops._operands import (
    MOST_RANKS,
    broadcast_shape,
    cast,
    flag,
    integer,
    matrices,
    number,
    one_axis,
    primitive,
    rank,
    same_dtypes,
    same_floats,
)

if TYPE_CHECKING:
    from backburner._tensor import Tensor

_NEXT, _AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])


def matmul(x: Tensor, y: Tensor, /) -> Tensor:
    """Return the matrix product ``x @ y``; batch dimensions broadcast.

    A vector on the left is a row, on the right a column, and that dimension leaves the result.

    Shape:
        x ``[..., n, k]`` or ``[k]``, y ``[..., k, m]`` or ``[k]``; result ``[..., n, m]``.

    Raises:
        ShapeError: the inner dimensions differ, the batches do not broadcast, or an operand is 0-d.
        DTypeError: an operand is bool.

    Example:
        >>> import backburner as bb
        >>> (bb.ones((3, 4)) @ bb.ones((4, 2))).shape
        (3, 2)
    """
    a, b, device = matrices("matmul", x, y)
    if a.dtype.kind == "b":
        raise DTypeError("matmul: bool has no arithmetic of its own. Use astype first.")
    left, right = a.shape, b.shape
    if not left or not right:
        raise ShapeError(f"matmul: an operand is 0-d: {list(left)} @ {list(right)}. Use multiply.")
    inner = right[-2] if len(right) > 1 else right[0]
    if left[-1] != inner:
        raise ShapeError(f"matmul: inner dimensions differ: {list(left)} @ {list(right)}")
    if len(left) > 2 or len(right) > 2:
        try:
            broadcast_shape("matmul", left[:-2], right[:-2])
        except ShapeError:
            raise ShapeError(
                f"matmul: batch dimensions do not broadcast: {list(left)} @ {list(right)}"
            ) from None
    return _tensor.wrap(device.backend.matmul(a, b), device)


def vecdot(x: Tensor, y: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the dot products of the vectors along ``axis``; the other dimensions broadcast.

    Shape:
        x and y ``[a..., n, b...]``; result ``[a..., b...]``.

    Raises:
        ShapeError: the vectors differ in length, or the other dimensions do not broadcast.
        AxisError: ``axis`` counts from the front, and the ranks differ.
    """
    a, b, device = _numbers("vecdot", x, y)
    if a.ndim != b.ndim and integer("vecdot", "axis", axis) >= 0:
        raise AxisError(f"vecdot: axis {axis} is not the same in {list(a.shape)} and {list(b.shape)}.")
    left = _last(device, a, one_axis("vecdot", axis, a.ndim))
    right = _last(device, b, one_axis("vecdot", axis, b.ndim))
    if left.shape[-1] != right.shape[-1]:
        raise ShapeError(f"vecdot: lengths of vectors differ: {list(a.shape)} and {list(b.shape)}.")
    broadcast_shape("vecdot", left.shape[:-1], right.shape[:-1])
    backend = device.backend
    if max(left.ndim, right.ndim) == MOST_RANKS:  # no room for the axis that makes them matrices
        product = backend.multiply(left, right)
        total = backend.sum(product, axis=(product.ndim - 1,), keepdims=False)
        return _tensor.wrap(cast(total, left.dtype, device), device)
    row = backend.reshape(left, shape=(*left.shape[:-1], 1, left.shape[-1]))
    column = backend.reshape(right, shape=(*right.shape, 1))
    product = backend.matmul(row, column)
    return _tensor.wrap(backend.reshape(product, shape=product.shape[:-2]), device)


def _numbers(op: str, x: Tensor, y: Tensor) -> tuple[Any, Any, Device]:
    a, b, device = matrices(op, x, y)
    if a.dtype.kind == "b":
        raise DTypeError(f"{op}: bool has no arithmetic of its own. Use astype first.")
    return a, b, device


def _last(device: Device, x: Any, axis: int) -> Any:
    """Return ``x`` with an axis moved to the end."""
    if axis == x.ndim - 1:
        return x
    order = (*(a for a in range(x.ndim) if a != axis), axis)
    return device.backend.permute_dims(x, axes=order)


def outer(x: Tensor, y: Tensor, /) -> Tensor:
    """Return the products of all elements of one vector with all of another.

    Shape:
        x ``[n]``, y ``[m]``; result ``[n, m]``.

    Raises:
        ShapeError: an input is no vector.
    """
    a, b, device = _numbers("outer", x, y)
    if a.ndim != 1 or b.ndim != 1:
        raise ShapeError(f"outer: needs two vectors, got {list(a.shape)} and {list(b.shape)}.")
    return _tensor.wrap(device.backend.multiply(device.backend.reshape(a, shape=(a.size, 1)), b), device)


def tensordot(x: Tensor, y: Tensor, /, *, axes: int | Sequence[Sequence[int]] = 2) -> Tensor:
    """Return the products of all elements, summed over pairs of axes.

    Args:
        x: a tensor.
        y: a tensor.
        axes: a number ``n`` for the last ``n`` axes of ``x`` with the first ``n`` of ``y``, or two sequences
            of axes, one of ``x`` and one of ``y``.

    Shape:
        The axes of ``x`` that remain, then those of ``y``.

    Raises:
        ShapeError: paired axes differ in length, or there are not as many of one as of the other.
        AxisError: an axis is named twice, or there are fewer than ``axes``.
    """
    a, b, device = _numbers("tensordot", x, y)
    if isinstance(axes, Sequence):
        if len(axes) != 2 or not all(isinstance(side, Sequence) for side in axes):
            raise AxisError(f"tensordot: axes must be a number or two sequences, got {axes!r}.")
        left = [one_axis("tensordot", i, a.ndim) for i in axes[0]]
        right = [one_axis("tensordot", i, b.ndim) for i in axes[1]]
    else:
        n = integer("tensordot", "axes", axes)
        if not 0 <= n <= min(a.ndim, b.ndim):
            raise AxisError(f"tensordot: {list(a.shape)} and {list(b.shape)} have not {n} axes to sum over.")
        left, right = list(range(a.ndim - n, a.ndim)), list(range(n))
    if len(set(left)) != len(left) or len(set(right)) != len(right):
        raise AxisError(f"tensordot: an axis is named twice: {axes}.")
    if [a.shape[i] for i in left] != [b.shape[i] for i in right]:
        raise ShapeError(
            f"tensordot: axes {left} of {list(a.shape)} and {right} of {list(b.shape)} do not pair up."
        )
    return _tensor.wrap(_contracted(device, a, b, left, right), device)


def _contracted(device: Device, a: Any, b: Any, left: Sequence[int], right: Sequence[int]) -> Any:
    """Sum over pairs of axes by one matrix product."""
    backend = device.backend
    rows = [i for i in range(a.ndim) if i not in left]
    columns = [i for i in range(b.ndim) if i not in right]
    inner = math.prod(a.shape[i] for i in left)
    shape = (*(a.shape[i] for i in rows), *(b.shape[i] for i in columns))
    rank("tensordot", len(shape))
    a = backend.permute_dims(a, axes=(*rows, *left))
    b = backend.permute_dims(b, axes=(*right, *columns))
    a = backend.reshape(a, shape=(math.prod(shape[: len(rows)]), inner))
    b = backend.reshape(b, shape=(inner, math.prod(shape[len(rows) :])))
    return backend.reshape(backend.matmul(a, b), shape=shape)


def dot(x: Tensor, y: Tensor, /) -> Tensor:
    """Return the sum of products over the last axis of ``x`` and the second to last of ``y``, as NumPy's.

    Of two vectors that is their dot product, of two matrices ``matmul``; a 0-d tensor multiplies.

    Shape:
        x ``[a..., k]``, y ``[b..., k, c]`` or ``[k]``; result ``[a..., b..., c]``.

    Raises:
        ShapeError: the two axes differ in length.
    """
    a, b, device = _numbers("dot", x, y)
    if not a.ndim or not b.ndim:
        return _tensor.wrap(device.backend.multiply(a, b), device)
    place = max(b.ndim - 2, 0)
    if a.shape[-1] != b.shape[place]:
        raise ShapeError(f"dot: inner dimensions differ: {list(a.shape)} and {list(b.shape)}.")
    return _tensor.wrap(_contracted(device, a, b, [a.ndim - 1], [place]), device)


def cross(x: Tensor, y: Tensor, /, *, axis: int = -1) -> Tensor:
    """Return the cross products of the vectors of three along ``axis``; the other dimensions broadcast.

    Shape:
        x and y ``[a..., 3, b...]``; result the same.

    Raises:
        ShapeError: ``axis`` has not length 3, or the other dimensions do not broadcast.
        AxisError: ``axis`` counts from the front, and the ranks differ.
    """
    a, b, device = _numbers("cross", x, y)
    if a.ndim != b.ndim and integer("cross", "axis", axis) >= 0:
        raise AxisError(f"cross: axis {axis} is not the same in {list(a.shape)} and {list(b.shape)}.")
    left, right = one_axis("cross", axis, a.ndim), one_axis("cross", axis, b.ndim)
    if a.shape[left] != 3 or b.shape[right] != 3:
        raise ShapeError(f"cross: vectors must have 3 elements: {list(a.shape)} and {list(b.shape)}.")
    broadcast_shape("cross", a.shape, b.shape)
    backend = device.backend
    first = backend.multiply(backend.take(a, _NEXT, axis=left), backend.take(b, _AFTER, axis=right))
    second = backend.multiply(backend.take(a, _AFTER, axis=left), backend.take(b, _NEXT, axis=right))
    return _tensor.wrap(backend.subtract(first, second), device)


def einsum(equation: str, /, *operands: Tensor) -> Tensor:
    """Return the sum of products that ``equation`` describes, in the notation of Einstein and NumPy.

    Args:
        equation: for each operand a letter per axis, comma between operands, and after ``->`` the letters of
            the result: ``"ij,jk->ik"``. Letters that do not occur in the result are summed over; one that an
            operand has twice takes its diagonal; ``...`` stands for axes that broadcast. Without ``->`` the
            result has the letters that occur once, in alphabetical order, after the ``...``.
        operands: tensors. Of several, pairs with the smallest result meet first.

    Shape:
        That of the letters on the right of the arrow.

    Raises:
        ArgumentError: the equation is malformed, or describes another number of operands.
        ShapeError: an operand has another number of axes, or sizes of one letter do not broadcast.
        DTypeError: the operands are bool.

    Example:
        >>> import backburner as bb
        >>> bb.einsum("ii->", bb.eye(3)).item()
        3.0
    """
    held, device = same_dtypes("einsum", operands)
    if held[0].dtype.kind == "b":
        raise DTypeError("einsum: bool has no arithmetic of its own. Use astype first.")
    inputs, result = parse("einsum", equation, [x.shape for x in held])
    return _tensor.wrap(contract(device.backend, held, inputs, result), device)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """Return the elements on the diagonal of each matrix, or on one above it (``offset > 0``) or below.

    Shape:
        x ``[..., n, m]``; result ``[..., k]`` with ``k = min(n, m)`` for ``offset=0``.

    Raises:
        ShapeError: ``x`` has fewer than two dimensions.
    """
    held = primitive("diagonal", x)
    if held.ndim < 2:
        raise ShapeError(f"diagonal: needs at least two dimensions, got {list(held.shape)}.")
    rows, columns = held.shape[-2:]
    k = min(max(integer("diagonal", "offset", offset), -rows), columns)  # beyond lies nothing
    places = np.arange(max(min(rows + min(k, 0), columns - max(k, 0)), 0))
    index = (..., places - min(k, 0), places + max(k, 0))
    return _tensor.wrap(x.device.backend.getitem(held, index=index), x.device)


def cov(
    x: Tensor,
    /,
    y: Tensor | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
    *,
    correction: float | None = None,
) -> Tensor:
    """Return the covariances of variables, of which each row is one and each column an observation.

    Args:
        x: a vector, which is one variable, or a matrix; integers are taken as float32.
        y: more variables of as many observations.
        rowvar: ``False`` where columns are variables.
        bias: divide by the number of observations instead of one less.
        ddof: what to subtract from that number, in NumPy's word; it overrides ``bias``.
        fweights: how often each observation counts; integers.
        aweights: how important each observation is.
        correction: PyTorch's word for ``ddof``.

    Shape:
        x ``[n]`` or ``[v, n]``, weights ``[n]``; result ``[v, v]``, of one variable ``[]``.

    Raises:
        ShapeError: an input has too many dimensions, or another number of observations.
        ArgumentError: a weight is negative, or both ``ddof`` and ``correction`` are given.
        DTypeError: ``fweights`` are not integers.
    """
    if ddof is not None and correction is not None:
        raise ArgumentError("cov: ddof and correction are two words for one thing. Give one.")
    given = correction if ddof is None else ddof
    less = number("cov", "correction", (not flag("cov", "bias", bias)) + 0 if given is None else given)
    rows = _variables("cov", x, y, rowvar)
    count = rows.shape[1]
    counts, importance = _weights(fweights, aweights, count, rows)
    weights = counts if importance is None else importance if counts is None else counts * importance
    if weights is None:
        deviation = rows - reduction.mean(rows, 1, True)
        product = matmul(deviation, deviation.mT)
        return _over(product, rows.dtype.type(max(count - less, 0)))
    total = reduction.sum(weights)
    deviation = rows - reduction.sum(rows * weights, 1, True) / total
    product = matmul(deviation, (deviation * weights).mT)
    lost = less if importance is None else reduction.sum(weights * importance) / total * less
    return _over(product, elementwise.clip(total - lost, 0, None))


def _over(product: Tensor, divisor: Any) -> Tensor:
    """Divide, in silence where there are too few observations, and drop the axes of a single variable."""
    with np.errstate(divide="ignore", invalid="ignore"):
        y = elementwise.divide(product, divisor)
    return y.reshape(()) if y.shape == (1, 1) else y


def _variables(op: str, x: Tensor, y: Tensor | None, rowvar: bool) -> Tensor:
    """Return the variables of both inputs as rows of floats."""
    by_rows = flag(op, "rowvar", rowvar)
    held, device = same_floats(op, x, y)
    found = []
    for part in held:
        if part is None:
            continue
        if part.ndim > 2:
            raise ShapeError(f"{op}: needs a vector or a matrix, got {list(part.shape)}.")
        if part.ndim < 2:
            part = device.backend.reshape(part, shape=(1, part.size))
        elif not by_rows:
            part = device.backend.permute_dims(part, axes=(1, 0))
        found.append(part)
    if found[0].shape[1] != found[-1].shape[1]:
        raise ShapeError(f"{op}: {found[0].shape[1]} observations of x, and {found[1].shape[1]} of y.")
    rows = found[0] if len(found) == 1 else device.backend.concat(*found, axis=0)
    return _tensor.wrap(rows, device)


def _weights(
    fweights: Tensor | None, aweights: Tensor | None, count: int, rows: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    """Return both kinds of weights in the dtype of the observations."""
    found: list[Tensor | None] = []
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            found.append(None)
            continue
        held = primitive("cov", weights)
        if held.shape != (count,):
            raise ShapeError(f"cov: {name} has shape {list(held.shape)}, and there are {count} observations.")
        if held.dtype.kind not in ("iu" if name == "fweights" else "iuf"):
            raise DTypeError(
                f"cov: {name} must be {'integers' if name == 'fweights' else 'numbers'}, got {held.dtype}."
            )
        if not (weights.detach().numpy() >= 0).all():
            raise ArgumentError(f"cov: {name} has a negative weight.")
        found.append(elementwise.astype(weights, rows.dtype))
    return found[0], found[1]


def corrcoef(x: Tensor, /, y: Tensor | None = None, rowvar: bool = True) -> Tensor:
    """Return the correlation coefficients of variables, of which each row is one and each column an observation.

    Of a variable that does not vary they are NaN.

    Args:
        x: a vector, which is one variable, or a matrix; integers are taken as float32.
        y: more variables of as many observations.
        rowvar: ``False`` where columns are variables.

    Shape:
        x ``[n]`` or ``[v, n]``; result ``[v, v]`` in ``[-1, 1]``, of one variable ``[]``.

    Raises:
        ShapeError: an input has too many dimensions, or another number of observations.
    """
    rows = _variables("corrcoef", x, y, rowvar)
    deviation = rows - reduction.mean(rows, 1, True)
    with np.errstate(divide="ignore", invalid="ignore"):
        directions = deviation / reduction.vector_norm(deviation, 1, True)
    found = elementwise.clip(matmul(directions, directions.mT), -1, 1)
    return found.reshape(()) if found.shape == (1, 1) else found
