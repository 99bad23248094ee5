"""Checks of indices, before a kernel could read past an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from backburner import _tensor
from backburner.contracts import Array, Shape
from backburner.device import Device, merge
from backburner.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from backburner.ops._operands import broadcast_shape, integer, rank

_min, _max = np.minimum.reduce, np.maximum.reduce
_ZERO = np.zeros((), np.int8)


def index_device(op: str, device: Device, *indices: Any) -> Device:
    """Return the device on which a tensor on ``device`` meets indices, those of which that are tensors."""
    for index in indices:
        if isinstance(index, _tensor.Tensor):
            device = merge(op, device, index.device)
        elif isinstance(index, (list, tuple)):
            device = index_device(op, device, *index)
    return device


def index_array(op: str, indices: Any) -> Array:
    """Return integer indices, from a tensor, an array or a list, as an array that nobody writes to.

    Raises:
        DTypeError: they are not integers.
    """
    found = indices._primitive if isinstance(indices, _tensor.Tensor) else _copied(op, indices)
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


def checked_indices(op: str, indices: Array, n: int, negative: bool = True) -> Array:
    """Return ``indices`` as int64 in ``[0, n)``; where ``negative``, those below 0 count from the end.

    Raises:
        IndexOutOfRange: one is outside.
    """
    lowest = -n if negative else 0
    if indices.size:
        low, high = int(_min(indices, axis=None)), int(_max(indices, axis=None))
        if low < lowest or high >= n:
            worst = low if low < lowest else high
            raise IndexOutOfRange(f"{op}: index {worst} is out of range [{lowest}, {n}).")
        if low < 0:
            found = indices.astype(np.int64)
            return np.where(found < 0, found + n, found)
    return indices.astype(np.int64, copy=False)


def checked_index(op: str, shape: Shape, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the index of an array of ``shape`` as a backend takes it."""
    if len(index) == 1 and index[0].__class__ is int and shape:
        if not -shape[0] <= index[0] < shape[0]:
            raise IndexOutOfRange(
                f"{op}: axis 0: index {index[0]} is out of range [{-shape[0]}, {shape[0]})."
            )
        return (index[0] % shape[0],)
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
