"""Running sums, products and extrema along one axis, and their inverse, the differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backburner import _tensor
from backburner.dtype import canonical
from backburner.errors import ArgumentError, ShapeError
from backburner.ops import elementwise, shape
from backburner.ops._operands import cast, flag, integer, numeric, one_axis, primitive

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def cumulative_sum(
    x: Tensor, /, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Return the sums up to each element, accurate for 10^8 float32. Integers and bools add up in 64 bits.

    Args:
        x: a tensor.
        axis: along which; a 1-d tensor need not name it.
        dtype: the elements are cast to it first, and the result is of it.
        include_initial: start with the sum of nothing, 0, so that the axis grows by one.

    Shape:
        x and the result ``[..., n, ...]``, or the result ``[..., n + 1, ...]`` with ``include_initial``.

    Raises:
        ShapeError: no axis is named, and there is not just one.
    """
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor, /, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """Return the products up to each element. The gradient is exact with zeros too.

    Args:
        x: a tensor.
        axis: along which; a 1-d tensor need not name it.
        dtype: the elements are cast to it first, and the result is of it.
        include_initial: start with the product of nothing, 1, so that the axis grows by one.

    Shape:
        x and the result ``[..., n, ...]``, or the result ``[..., n + 1, ...]`` with ``include_initial``.

    Raises:
        ShapeError: no axis is named, and there is not just one.
    """
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial)


def _cumulative(op: str, x: Tensor, axis: int | None, dtype: Any, include_initial: bool) -> Tensor:
    held, device = primitive(op, x), x.device
    if axis is None and held.ndim != 1:
        raise ShapeError(f"{op}: {list(held.shape)} has {held.ndim} axes. Name one with axis.")
    place = one_axis(op, 0 if axis is None else axis, held.ndim)
    wanted = None if dtype is None else canonical(dtype, op)
    if wanted is not None:
        held = cast(held, wanted, device)
    backend = device.backend
    found = (backend.cumulative_sum if op == "cumulative_sum" else backend.cumulative_prod)(held, axis=place)
    if wanted is not None:
        found = cast(found, wanted, device)
    if flag(op, "include_initial", include_initial):
        before = [n if i != place else 1 for i, n in enumerate(held.shape)]
        start = backend.full(shape=tuple(before), value=int(op == "cumulative_prod"), dtype=found.dtype)
        found = backend.concat(start, found, axis=place)
    return _tensor.wrap(found, device)


def cummax(x: Tensor, /, axis: int) -> tuple[Tensor, Tensor]:
    """Return the largest element up to each place, and its index, int64, without gradient.

    Of equal elements the last is taken, and gets the gradient; NaN counts as the largest.

    Shape:
        x, values and indices ``[...]``.
    """
    held = primitive("cummax", x)
    found = x.device.backend.cummax(held, axis=one_axis("cummax", axis, held.ndim))
    return _tensor.wrap(found[0], x.device), _tensor.wrap(found[1], x.device)


def cummin(x: Tensor, /, axis: int) -> tuple[Tensor, Tensor]:
    """Return the smallest element up to each place, and its index, int64, without gradient.

    Of equal elements the last is taken, and gets the gradient; NaN counts as the smallest.

    Shape:
        x, values and indices ``[...]``.
    """
    held = primitive("cummin", x)
    found = x.device.backend.cummin(held, axis=one_axis("cummin", axis, held.ndim))
    return _tensor.wrap(found[0], x.device), _tensor.wrap(found[1], x.device)


def diff(
    x: Tensor, /, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Return each element less the one before it along an axis, ``n`` times over.

    Args:
        x: a tensor of numbers.
        axis: along which; it gets shorter by ``n``.
        n: how often, not negative.
        prepend: joined to the front first.
        append: joined to the end first.

    Shape:
        x ``[..., m, ...]``; result ``[..., m - n, ...]``, longer by what is prepended and appended.

    Raises:
        ArgumentError: ``n`` is negative.
    """
    held = numeric("diff", x)
    place = one_axis("diff", axis, held.ndim)
    times = integer("diff", "n", n)
    if times < 0:
        raise ArgumentError(f"diff: n must not be negative, got {times}.")
    parts = [part for part in (prepend, x, append) if part is not None]
    around = held.shape[:place] + held.shape[place + 1 :]
    for part in parts:
        size = primitive("diff", part).shape
        if len(size) != held.ndim or size[:place] + size[place + 1 :] != around:
            raise ShapeError(
                f"diff: shapes differ outside of axis {place}: {list(size)} and {list(held.shape)}."
            )
    y = shape.concat(parts, place) if len(parts) > 1 else x
    whole = (slice(None),) * place
    for _ in range(min(times, y.shape[place])):
        y = elementwise.subtract(y[(*whole, slice(1, None))], y[(*whole, slice(None, -1))])
    return y
