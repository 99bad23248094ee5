"""Picking elements by index. Every index is checked here, before a kernel could read past an end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import _tensor
from backburner.contracts import Array, Shape
from backburner.device import Device
from backburner.dtype import DEFAULT_INT, DType, promote
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.ops._index import (
    basic_index,
    checked_index,
    checked_indices,
    index_array,
    index_device,
    picked_shape,
)
from backburner.ops._operands import (
    MOST_RANKS,
    Scalar,
    bools,
    broadcast_shape,
    cast,
    chosen,
    element,
    flag,
    integer,
    numeric,
    one_axis,
    primitive,
    rank,
    shape_of,
)

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def getitem(x: Tensor, index: Any, /) -> Tensor:
    """Return ``x[index]``, as NumPy has it.

    An index is an int, a slice, ``None``, ``...``, a tensor, array or list of integers, a bool mask, or a
    tuple of these. Negative integers count from the end. A position that is picked twice gets both gradients.

    Raises:
        IndexOutOfRange: an integer is outside its axis, there are more indices than axes, or a mask has not
            the shape of the axes it covers.
        ShapeError: index arrays do not broadcast.
        DTypeError: an index is of another kind.
    """
    held = x._primitive if isinstance(x, _tensor.Tensor) else primitive("getitem", x)
    parts = index if isinstance(index, tuple) else (index,)
    checked = basic_index(held.shape, parts)
    device = x.device
    if checked is None:
        device = index_device("getitem", device, *parts)
        checked = checked_index("getitem", held.shape, parts)
    return _tensor.wrap(device.backend.getitem(held, index=checked), device)


def take(x: Tensor, indices: Any, /, axis: int | None = None) -> Tensor:
    """Return the entries ``indices`` along ``axis``, which a 1-d tensor need not name.

    Shape:
        x ``[a..., n, b...]``, indices ``[i...]`` in ``[-n, n)``; result ``[a..., i..., b...]``.

    Raises:
        IndexOutOfRange: an index is outside the axis.
        ShapeError: no axis is named and there are several.
    """
    held = primitive("take", x)
    device = x.device
    if indices.__class__ is not _tensor.Tensor or indices.device is not device:
        device = index_device("take", device, indices)
    shape = held.shape
    if axis is None and len(shape) != 1:
        raise ShapeError(f"take: {list(shape)} has {len(shape)} axes. Name one with axis.")
    place = one_axis("take", 0 if axis is None else axis, len(shape))
    found = checked_indices("take", index_array("take", indices), shape[place])
    if len(shape) + found.ndim > MOST_RANKS:
        rank("take", len(shape) - 1 + found.ndim)
    return _tensor.wrap(device.backend.take(held, found, axis=place), device)


class At:
    """Gives ``x.at[index]``, from which a new tensor is made that differs from ``x`` at ``index`` only."""

    __slots__ = ("_x",)

    def __init__(self, x: Tensor) -> None:
        self._x = x

    def __getitem__(self, index: Any) -> Place:
        """Name what is to differ: any index that ``x[index]`` takes."""
        return Place(self._x, index)


class Place:
    """The elements ``x[index]``, to be given other values in a new tensor.

    Values are a number, or a tensor that broadcasts to ``x[index]``; floats take the dtype of ``x``. All five
    have gradients. Where an index names an element twice, ``add`` and ``multiply`` take each of its values
    and ``min`` and ``max`` the least and largest; ``set`` keeps the last, which alone gets the gradient.
    """

    __slots__ = ("_x", "_index")

    def __init__(self, x: Tensor, index: Any) -> None:
        self._x = x
        self._index = index

    def set(self, values: Tensor | Scalar) -> Tensor:
        """Return ``x`` with ``x[index]`` replaced by ``values``.

        Example:
            >>> import backburner as bb
            >>> bb.zeros((3,)).at[[0, 2]].set(bb.tensor([5.0, 7.0])).tolist()
            [5.0, 0.0, 7.0]
        """
        return self._with(values, "set")

    def add(self, values: Tensor | Scalar) -> Tensor:
        """Return ``x`` with ``values`` added at ``index``."""
        return self._with(values, "add")

    def multiply(self, values: Tensor | Scalar) -> Tensor:
        """Return ``x`` with ``x[index]`` multiplied by ``values``."""
        return self._with(values, "multiply")

    def min(self, values: Tensor | Scalar) -> Tensor:
        """Return ``x`` with the smaller of ``x[index]`` and ``values``; ties share the gradient evenly."""
        return self._with(values, "min")

    def max(self, values: Tensor | Scalar) -> Tensor:
        """Return ``x`` with the larger of ``x[index]`` and ``values``; ties share the gradient evenly."""
        return self._with(values, "max")

    def _with(self, values: Tensor | Scalar, mode: str) -> Tensor:
        op, x = f"at.{mode}", self._x
        held = primitive(op, x)
        if held.dtype.kind == "b" and mode != "set":
            raise DTypeError(f"{op}: bool has no arithmetic of its own. Use astype first.")
        parts = self._index if isinstance(self._index, tuple) else (self._index,)
        index = checked_index(op, held.shape, parts)
        device = index_device(op, x.device, values, *parts)
        given = _values(op, values, held.dtype, device)
        wanted = picked_shape(held.shape, index)
        if len(given.shape) > len(wanted) or broadcast_shape(op, given.shape, wanted) != wanted:
            raise ShapeError(f"{op}: values of {list(given.shape)} do not broadcast to {list(wanted)}.")
        return _tensor.wrap(device.backend.at(held, given, index=index, mode=mode), device)


def _values(op: str, values: Tensor | Scalar, dtype: DType, device: Device) -> Any:
    """Return values to be put into a tensor of ``dtype``, whose kind they must not exceed."""
    if not isinstance(values, _tensor.Tensor):
        return np.asarray(element(op, "a value", values, dtype), dtype)
    if dtype.kind != "f" and promote(op, dtype, values.dtype) != dtype:
        raise DTypeError(f"{op}: values are {values.dtype} and do not fit into {dtype}. Use astype.")
    return cast(values._primitive, dtype, device)


def take_along_axis(x: Tensor, indices: Any, /, *, axis: int = -1) -> Tensor:
    """Return from each line of ``x`` along ``axis`` the entries that the same line of ``indices`` names.

    Shape:
        x ``[a..., n, b...]``, indices ``[a..., k, b...]`` in ``[-n, n)``; result ``[a..., k, b...]``. The
        dimensions but ``axis`` broadcast.

    Raises:
        IndexOutOfRange: an index is outside the axis.
        ShapeError: the ranks differ, or the other dimensions do not broadcast.
    """
    held = primitive("take_along_axis", x)
    device = index_device("take_along_axis", x.device, indices)
    found = index_array("take_along_axis", indices)
    if found.ndim != held.ndim:
        raise ShapeError(
            f"take_along_axis: indices must have as many dimensions as x: {list(found.shape)} for "
            f"{list(held.shape)}."
        )
    place = one_axis("take_along_axis", axis, held.ndim)
    found = checked_indices("take_along_axis", found, held.shape[place])
    left, right = (shape[:place] + (1,) + shape[place + 1 :] for shape in (held.shape, found.shape))
    lines = broadcast_shape("take_along_axis", left, right)
    if lines != left:
        shape = (*lines[:place], held.shape[place], *lines[place + 1 :])
        held = device.backend.broadcast_to(held, shape=shape)
    if lines != right:
        found = np.broadcast_to(found, (*lines[:place], found.shape[place], *lines[place + 1 :]))
    return _tensor.wrap(device.backend.take_along_axis(held, found, axis=place), device)


def gather(x: Tensor, axis: int, index: Any, /) -> Tensor:
    """Return ``x`` at the places that ``index`` names along ``axis`` and its own places name elsewhere.

    ``result[i][j] = x[index[i][j]][j]`` for two dimensions and ``axis=0``. Other than for
    ``take_along_axis``, ``index`` may be smaller than ``x`` in the other dimensions, and does not broadcast.

    Shape:
        x ``[a..., n, b...]``, index ``[a'..., k, b'...]`` in ``[-n, n)`` with ``a' <= a`` and ``b' <= b``;
        result like index.

    Raises:
        IndexOutOfRange: an index is outside the axis.
        ShapeError: the ranks differ, or ``index`` is larger than ``x`` in another dimension.
    """
    held, place, found = _lines("gather", x, axis, index)
    device = index_device("gather", x.device, index)
    held = _cut(device, held, (*found.shape[:place], held.shape[place], *found.shape[place + 1 :]))
    return _tensor.wrap(device.backend.take_along_axis(held, found, axis=place), device)


def scatter_add(x: Tensor, axis: int, index: Any, src: Tensor, /) -> Tensor:
    """Return ``x`` with ``src`` added at the places that ``index`` names along ``axis``: ``gather`` reversed.

    Shape:
        x ``[a..., n, b...]``, index ``[a'..., k, b'...]`` in ``[-n, n)`` with ``a' <= a`` and ``b' <= b``;
        src at least as large as index, and what is beyond it is left out.

    Raises:
        IndexOutOfRange: an index is outside the axis.
        ShapeError: the ranks differ, or ``index`` is larger than ``x`` or ``src`` in another dimension.
        DTypeError: ``src`` is not of the kind of ``x``, or ``x`` is bool.
    """
    return _scattered("scatter_add", x, axis, index, src, "sum", include_self=True)


_REDUCTIONS = {"sum": "add", "mean": "add", "prod": "multiply", "amax": "max", "amin": "min"}


def scatter_reduce(
    x: Tensor, axis: int, index: Any, src: Tensor, /, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Return ``x`` with each place reduced together with what ``src`` brings to it, as ``scatter_add`` does.

    Where ``index`` names no place ``x`` stays. Products with zeros have exact gradients; of equal extrema each
    gets an even share.

    Args:
        x: a tensor.
        axis: along which ``index`` names places.
        index: as for ``scatter_add``.
        src: as for ``scatter_add``.
        reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``; the mean of integers is floored.
        include_self: whether the element of ``x`` counts as one of them.

    Shape:
        As for ``scatter_add``.

    Raises:
        ArgumentError: ``reduce`` is something else.
        IndexOutOfRange: an index is outside the axis.
        ShapeError: the ranks differ, or ``index`` is larger than ``x`` or ``src`` in another dimension.
        DTypeError: ``src`` is not of the kind of ``x``, or ``x`` is bool.
    """
    chosen("scatter_reduce", "reduce", reduce, tuple(_REDUCTIONS))
    keep = flag("scatter_reduce", "include_self", include_self)
    return _scattered("scatter_reduce", x, axis, index, src, reduce, keep)


def _scattered(
    op: str, x: Tensor, axis: int, index: Any, src: Tensor, reduce: str, include_self: bool
) -> Tensor:
    held, place, found = _lines(op, x, axis, index)
    if held.dtype.kind == "b":
        raise DTypeError(f"{op}: bool has no arithmetic of its own. Use astype first.")
    if not isinstance(src, _tensor.Tensor):
        primitive(f"{op}: src", src)
    device = index_device(op, x.device, index, src)
    given = _values(op, src, held.dtype, device)
    if given.ndim != found.ndim or any(n < k for n, k in zip(given.shape, found.shape, strict=True)):
        raise ShapeError(
            f"{op}: src must be at least as large as index: {list(given.shape)} for {list(found.shape)}."
        )
    given = _cut(device, given, found.shape)
    backend, places = device.backend, _flat_places(held.shape, found, place)
    flat, values = backend.reshape(held, shape=(held.size,)), backend.reshape(given, shape=(places.size,))
    count = np.bincount(places, minlength=flat.size) if reduce == "mean" else None
    if not include_self:
        # the last value of each place takes that of x, so that every one counts once
        numbers, last = np.arange(places.size), np.empty(flat.size, np.int64)
        last[places] = numbers
        ends = last[places] == numbers
        flat = backend.at(
            flat, backend.take(values, numbers[ends], axis=0), index=(places[ends],), mode="set"
        )
        values, places = backend.take(values, numbers[~ends], axis=0), places[~ends]
    flat = backend.at(flat, values, index=(places,), mode=_REDUCTIONS[reduce])
    if count is not None:
        divisor = np.maximum(count + include_self, 1).astype(held.dtype)
        flat = (
            backend.divide(flat, divisor) if held.dtype.kind == "f" else backend.floor_divide(flat, divisor)
        )
    return _tensor.wrap(backend.reshape(flat, shape=held.shape), device)


def _flat_places(shape: Shape, index: Array, place: int) -> Array:
    """Return the numbers, in row-major order, of the places that ``index`` names along the axis ``place``."""
    places = np.zeros(index.shape, np.int64)
    stride = math.prod(shape)
    for axis, n in enumerate(shape):
        stride //= max(n, 1)
        along = index if axis == place else np.arange(index.shape[axis])
        if axis != place:
            along = along.reshape(-1, *(1,) * (index.ndim - axis - 1))
        places += stride * along
    return places.reshape(-1)


def _lines(op: str, x: Tensor, axis: int, index: Any) -> tuple[Any, int, Array]:
    """Return what ``x`` holds, the axis from the front, and an index that fits, as PyTorch has it."""
    held = primitive(op, x)
    place = one_axis(op, axis, held.ndim)
    found = index_array(op, index)
    if found.ndim != held.ndim or any(
        k > n and i != place for i, (n, k) in enumerate(zip(held.shape, found.shape, strict=True))
    ):
        raise ShapeError(
            f"{op}: index must have the rank of x and be no larger outside of axis {axis}: "
            f"{list(found.shape)} for {list(held.shape)}."
        )
    return held, place, checked_indices(op, found, held.shape[place])


def _cut(device: Device, held: Any, shape: Shape) -> Any:
    """Return the first entries along each axis."""
    if held.shape == shape:
        return held
    return device.backend.getitem(held, index=tuple(slice(0, n) for n in shape))


def index_add(x: Tensor, axis: int, index: Any, source: Tensor, /, *, alpha: float = 1) -> Tensor:
    """Return ``x`` with ``alpha`` times the entries of ``source`` added at the places ``index`` along ``axis``.

    Shape:
        x ``[a..., n, b...]``, index ``[k]`` in ``[-n, n)``, source ``[a..., k, b...]``.

    Raises:
        IndexOutOfRange: an index is outside the axis.
        ShapeError: ``index`` is no vector, or ``source`` does not fit.
        DTypeError: ``source`` is not of the kind of ``x``, or ``x`` is bool.
    """
    held = primitive("index_add", x)
    if held.dtype.kind == "b":
        raise DTypeError("index_add: bool has no arithmetic of its own. Use astype first.")
    place = one_axis("index_add", axis, held.ndim)
    found = index_array("index_add", index)
    given_shape = primitive("index_add: source", source).shape
    wanted = (*held.shape[:place], found.size, *held.shape[place + 1 :])
    if found.ndim != 1 or given_shape != wanted:
        raise ShapeError(
            f"index_add: source must be {list(wanted)}, and index a vector; got {list(given_shape)} and "
            f"{list(found.shape)}."
        )
    found = checked_indices("index_add", found, held.shape[place])
    device = index_device("index_add", x.device, index, source)
    given = _values("index_add", source, held.dtype, device)
    factor = element("index_add", "alpha", alpha, held.dtype)
    if factor != 1:
        given = device.backend.multiply(given, np.asarray(factor, held.dtype))
    where = (*(slice(None),) * place, found)
    return _tensor.wrap(device.backend.at(held, given, index=where, mode="add"), device)


def masked_fill(x: Tensor, mask: Tensor, value: Tensor | Scalar, /) -> Tensor:
    """Return ``x`` with ``value`` where ``mask`` holds.

    Args:
        x: a tensor.
        mask: bools that broadcast to ``x``.
        value: a number, or a 0-d tensor, which gets a gradient.

    Shape:
        x and mask broadcast to ``[...]``, the shape of the result.

    Raises:
        ShapeError: ``mask`` does not broadcast to ``x``, or ``value`` has dimensions.
        DTypeError: ``value`` does not fit into the dtype of ``x``.
    """
    held, picked = primitive("masked_fill", x), bools("masked_fill", mask)
    device = index_device("masked_fill", x.device, mask, value)
    given = _values("masked_fill", value, held.dtype, device)
    if given.ndim:
        raise ShapeError(f"masked_fill: value must be 0-d, got {list(given.shape)}. Use where.")
    if picked.ndim > held.ndim or broadcast_shape("masked_fill", picked.shape, held.shape) != held.shape:
        raise ShapeError(
            f"masked_fill: a mask of {list(picked.shape)} does not broadcast to {list(held.shape)}."
        )
    return _tensor.wrap(device.backend.where(picked, given, held), device)


def masked_select(x: Tensor, mask: Tensor, /) -> Tensor:
    """Return the elements of ``x`` where ``mask`` holds, as a vector; the two broadcast together.

    Shape:
        x and mask broadcast together; result ``[k]``.
    """
    held, picked = primitive("masked_select", x), bools("masked_select", mask)
    device = index_device("masked_select", x.device, mask)
    shape = broadcast_shape("masked_select", held.shape, picked.shape)
    if held.shape != shape:
        held = device.backend.broadcast_to(held, shape=shape)
    index = (np.broadcast_to(picked, shape),) if shape else (np.flatnonzero(picked),)
    if not shape:
        held = device.backend.reshape(held, shape=(1,))
    return _tensor.wrap(device.backend.getitem(held, index=index), device)


def one_hot(indices: Any, num_classes: int = -1) -> Tensor:
    """Return 1 at the class that each index names and 0 elsewhere, int64, along a new last axis.

    Args:
        indices: integers.
        num_classes: how many there are; by default one more than the largest index.

    Shape:
        indices ``[...]`` in ``[0, c)``; result ``[..., c]``.

    Raises:
        IndexOutOfRange: an index is outside the classes; a negative one is.
        ShapeError: there are no indices from which to tell the number of classes.
    """
    found = index_array("one_hot", indices)
    classes = integer("one_hot", "num_classes", num_classes)
    if classes < 0:
        if not found.size:
            raise ShapeError("one_hot: there are no indices. Give num_classes.")
        classes = max(int(found.max()) + 1, 0)
    found = checked_indices("one_hot", found, classes, negative=False)
    shape_of("one_hot", (*found.shape, classes))
    device = indices.device if isinstance(indices, _tensor.Tensor) else Device()
    hot = device.backend.equal(found[..., None], np.arange(classes))
    return _tensor.wrap(device.backend.astype(hot, dtype=DEFAULT_INT), device)


def bincount(x: Tensor, /, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return how often each number occurs, or the sum of the weights of its places.

    Args:
        x: integers, none negative.
        weights: one for each; they have a gradient.
        minlength: the least length of the result.

    Shape:
        x and weights ``[n]``; result ``[c]`` with ``c = max(max(x) + 1, minlength)``, int64 without weights.

    Raises:
        ShapeError: ``x`` is no vector, or ``weights`` has another shape.
        IndexOutOfRange: a number is negative.
        ArgumentError: ``minlength`` is negative.
        DTypeError: ``x`` is not integers, or ``weights`` is bool.
    """
    primitive("bincount", x)
    found = index_array("bincount", x)
    if found.ndim != 1:
        raise ShapeError(f"bincount: needs a vector, got {list(found.shape)}.")
    length = integer("bincount", "minlength", minlength)
    if length < 0:
        raise ArgumentError(f"bincount: minlength must not be negative, got {length}.")
    if found.size:
        length = max(length, int(found.max()) + 1)
    shape_of("bincount", length)
    found = checked_indices("bincount", found, length, negative=False)
    if weights is None:
        held: Any = np.ones((), DEFAULT_INT)
        device = x.device
    else:
        held = numeric("bincount: weights", weights)
        if held.shape != found.shape:
            raise ShapeError(f"bincount: weights of {list(held.shape)} for {list(found.shape)} numbers.")
        device = index_device("bincount", x.device, weights)
    start = device.backend.full(shape=(length,), value=0, dtype=held.dtype)
    return _tensor.wrap(device.backend.at(start, held, index=(found,), mode="add"), device)
