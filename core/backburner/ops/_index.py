"""Checks of indices, before a kernel could read past an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from backburner import _tensor
from backburner.contracts import Array, Shape
from backburner.device import Device, merge
from backburner.dtype import DEFAULT_INT
from backburner.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from backburner.ops._operands import MOST_RANKS, broadcast_shape, integer, rank

_min, _max = np.minimum.reduce, np.maximum.reduce
_ZERO = np.zeros((), np.int8)
_FEW = 32  # so many numbers Python looks through faster than NumPy begins to


def index_device(op: str, device: Device, *indices: Any) -> Device:
    """Return the device on which a tensor on ``device`` meets indices, those of which that are tensors."""
    for index in indices:
        if isinstance(index, _tensor.Tensor):
            if index.device is not device:
                device = merge(op, device, index.device)
        elif isinstance(index, (list, tuple)):
            device = index_device(op, device, *index)
    return device


def index_array(op: str, indices: Any) -> Array:
    """Return integer indices, from a tensor, an array or a list, as an array that nobody writes to.

    Raises:
        DTypeError: they are not integers.
    """
    if isinstance(indices, _tensor.Tensor):
        found = indices._primitive
        if found.dtype is DEFAULT_INT:  # which has no graph, so that it is an array
            return found  # type: ignore[no-any-return]
    else:
        found = _copied(op, indices)
    if found.size == 0 and not isinstance(indices, (_tensor.Tensor, np.ndarray)):
        found = found.astype(np.int64)
    if found.dtype.kind not in "iu":
        raise DTypeError(f"{op}: indices must be integers, got {found.dtype}. Use astype(bb.int64).")
    return np.asarray(found)


def _copied(op: str, indices: Any) -> Array:
    """Return an array of its own, for a graph may keep it."""
    try:
        return np.array(indices)
    except ValueError:
        raise ShapeError(f"{op}: indices are nested lists of different lengths.") from None


def bounds(indices: Array) -> tuple[int, int]:
    """Return the least and the largest of some indices."""
    size = indices.size
    if size > _FEW:
        return int(_min(indices, None)), int(_max(indices, None))
    numbers = (indices if indices.ndim == 1 else indices.reshape(size)).tolist()
    return min(numbers), max(numbers)


def checked_indices(op: str, indices: Array, n: int, negative: bool = True) -> Array:
    """Return ``indices`` as int64 in ``[0, n)``; where ``negative``, those below 0 count from the end.

    Raises:
        IndexOutOfRange: one is outside.
    """
    lowest = -n if negative else 0
    if indices.size:
        low, high = bounds(indices)
        if low < lowest or high >= n:
            worst = low if low < lowest else high
            raise IndexOutOfRange(f"{op}: index {worst} is out of range [{lowest}, {n}).")
        if low < 0:
            found = indices.astype(np.int64)
            return np.where(found < 0, found + n, found)
    return indices if indices.dtype is DEFAULT_INT else indices.astype(np.int64, copy=False)


def basic_index(shape: Shape, index: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return an index of ints, slices, ``None`` and ``...`` as a backend takes it.

    Of any other index, and of one that is wrong, the answer is ``None``: ``checked_index`` says what it is.
    """
    axis, axes = 0, len(shape)
    positive: list[Any] | None = None
    for place, part in enumerate(index):
        kind = part.__class__
        if kind is int:
            if axis >= axes:
                return None
            n = shape[axis]
            if not 0 <= part < n:
                if not -n <= part < 0:
                    return None
                if positive is None:
                    positive = list(index)
                positive[place] = part + n
            axis += 1
        elif kind is slice:
            start, stop, step = part.start, part.stop, part.step
            if (
                (start is not None and start.__class__ is not int)
                or (stop is not None and stop.__class__ is not int)
                or (step is not None and (step.__class__ is not int or step == 0))
            ):
                return None
            axis += 1
        elif part is Ellipsis:
            end = axes
            for other in index[place + 1 :]:
                if other is Ellipsis:
                    return None
                end -= other is not None
            if end < axis:
                return None
            axis = end
        elif part is not None:
            return None
    if axis > axes or axes + len(index) > MOST_RANKS:
        return None
    return index if positive is None else tuple(positive)


def checked_index(op: str, shape: Shape, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the index of an array of ``shape`` as a backend takes it."""
    basic = basic_index(shape, index)
    if basic is not None:
        return basic
    parts = [_plain(op, part) for part in index]
    covered = 0
    ellipses = 0
    for part in parts:
        covered += _covers(part)
        ellipses += part is Ellipsis
    if ellipses > 1:
        raise IndexOutOfRange(f"{op}: an index can have a single ellipsis ('...').")
    if covered > len(shape):
        raise IndexOutOfRange(f"{op}: {covered} indices for the {len(shape)} axes of {list(shape)}.")
    checked: list[Any] = []
    axis = 0
    arrays: Shape = ()
    for part in parts:
        if part is Ellipsis:
            axis += len(shape) - covered
        elif isinstance(part, np.ndarray) and part.dtype.kind == "b":
            covers = shape[axis : axis + part.ndim]
            if part.shape != covers:
                part = _empty_mask(op, part, covers)
            arrays = broadcast_shape(op, arrays, (int(np.count_nonzero(part)),))
        elif isinstance(part, np.ndarray):
            part = checked_indices(f"{op}: axis {axis}", part, shape[axis])
            arrays = broadcast_shape(op, arrays, part.shape)
        elif isinstance(part, int):
            n = shape[axis]
            if not -n <= part < n:
                raise IndexOutOfRange(f"{op}: axis {axis}: index {part} is out of range [{-n}, {n}).")
            part %= n
        axis += _covers(part)
        checked.append(part)
    kept = sum([part is None or isinstance(part, slice) for part in checked])
    rank(op, len(shape) - covered + kept + len(arrays))
    return tuple(checked)


def _empty_mask(op: str, mask: Array, covers: Shape) -> Array:
    """Return a mask that is empty along some axes as one that picks nothing; the standard allows it."""
    if any(n not in (0, size) for n, size in zip(mask.shape, covers, strict=True)):
        raise IndexOutOfRange(f"{op}: a mask of {list(mask.shape)} covers axes of {list(covers)}.")
    return np.zeros(covers, np.bool_)


def _covers(part: Any) -> int:
    """How many axes a part of an index takes."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype.kind == "b" else 1


def _plain(op: str, part: Any) -> Any:
    """Return a part of an index as int, slice, ``None``, ``...`` or an array of integers or bools."""
    if part is None or part is Ellipsis or part.__class__ is int:
        return part
    if isinstance(part, slice):
        for bound in (part.start, part.stop, part.step):
            if bound is not None and bound.__class__ is not int:
                bounds = (part.start, part.stop, part.step)
                part = slice(*(None if b is None else integer(op, "a slice bound", b) for b in bounds))
                break
        if part.step == 0:
            raise ArgumentError(f"{op}: the step of a slice must not be 0.")
        return part
    if isinstance(part, (bool, np.bool_)):
        raise DTypeError(f"{op}: a single bool is not an index. Use None to add an axis.")
    if isinstance(part, _tensor.Tensor):
        return part._primitive if part.dtype.kind == "b" else index_array(op, part)
    if isinstance(part, np.ndarray) or isinstance(part, Sequence) and not isinstance(part, str):
        array = _copied(op, part)
        return array if array.dtype.kind == "b" else index_array(op, part)
    return integer(op, "an index", part)


def picked_shape(shape: Shape, index: tuple[Any, ...]) -> Shape:
    """Return the shape of ``x[index]`` for an ``x`` of ``shape``, without an ``x``."""
    picked: Shape = np.broadcast_to(_ZERO, shape)[index].shape
    return picked
