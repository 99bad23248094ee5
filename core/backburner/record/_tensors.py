"""Tensors as descriptions: which elements of which block of bytes."""

from __future__ import annotations

import sys
from typing import Any, Literal

import numpy as np

from backburner.record._dtypes import Array, Malformed, raw_dtype
from backburner.record._format import product, short

MAX_AXES = 64  # as NumPy


class Storage:
    """A block of bytes in a file.

    Args:
        key: which, by the file's name for it.
        dtype: of its elements; ``None`` if they are bytes of anything.
        size: how many elements it has.
        offset: how many elements of the block come before.
        data: the block, where the pickle itself holds it.
    """

    __slots__ = ("data", "dtype", "key", "offset", "size")

    def __init__(
        self, key: str, dtype: str | None, size: int, offset: int = 0, data: Array | None = None
    ) -> None:
        self.key = key
        self.dtype = dtype
        self.size = size
        self.offset = offset
        self.data = data

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return 1 if self.dtype is None else raw_dtype(self.dtype).itemsize


class Tensor:
    """Where the elements of a tensor lie in a storage; offset and strides count elements.

    Raises:
        Malformed: not all of them lie in the storage.
    """

    __slots__ = ("dtype", "offset", "shape", "storage", "strides")

    def __init__(self, storage: Any, offset: Any, shape: Any, strides: Any, dtype: str | None = None) -> None:
        if not isinstance(storage, Storage):
            raise Malformed(f"its pickle makes a tensor of a {type(storage).__name__}, not of a storage")
        stored = storage.dtype
        found = dtype or stored
        if found is None or stored not in (None, found):
            raise Malformed(f"its pickle makes a tensor of {dtype} from a storage of {stored}")
        for what, sizes in (("shape", shape), ("strides", strides)):
            if type(sizes) not in (tuple, list) or not all(type(n) is int and n >= 0 for n in sizes):
                raise Malformed(f"its pickle gives a tensor the {what} {_told(sizes)}")
        if type(offset) is not int or offset < 0 or len(shape) != len(strides):
            raise Malformed(
                f"its pickle gives a tensor the offset {_told(offset)} and {len(strides)} strides"
            )
        itemsize = raw_dtype(found).itemsize
        if len(shape) > MAX_AXES or product([n for n in shape if n]) * itemsize > sys.maxsize:
            raise Malformed(f"a tensor has a shape that NumPy cannot hold: {short(list(shape))}")
        begin = offset + (storage.offset if stored else 0)
        if 0 not in shape:
            room = storage.size if stored else storage.size // itemsize
            last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
            if last >= room:
                raise Malformed(
                    f"a tensor of shape {short(list(shape))} goes beyond its storage {storage.key[:80]!r}: it takes element "
                    f"{short(last)} of {room:,}"
                )
        self.storage = storage
        self.dtype = found
        self.offset = begin
        self.shape: tuple[int, ...] = tuple(shape)
        # A stride along one element means nothing, and may be any number.
        self.strides = tuple(step if n > 1 else 0 for n, step in zip(shape, strides, strict=True))

    @property
    def place(self) -> object:
        """What is equal for tensors that are the same memory seen in the same way."""
        block = self.storage.key if self.storage.data is None else id(self.storage.data)
        return None if 0 in self.shape else (block, self.dtype, self.offset, self.shape, self.strides)

    def transposed(self, axes: tuple[int, ...]) -> Tensor:
        """Return the same elements with the axes in another order."""
        shape, strides = ([sizes[axis] for axis in axes] for sizes in (self.shape, self.strides))
        return Tensor(self.storage, self.offset - self.storage.offset, shape, strides)

    def set_state(self, state: Any) -> None:
        """Forget what else hung on the tensor, such as hooks."""

    def make(self, block: Array, order: Literal["<", ">"]) -> Array:
        """Return the elements as they lie in the storage's block of bytes."""
        dtype = raw_dtype(self.dtype, order)
        if 0 in self.shape:
            return np.empty(self.shape, dtype)
        strides = tuple(step * dtype.itemsize for step in self.strides)
        return np.ndarray(self.shape, dtype, block.data, self.offset * dtype.itemsize, strides)


class Refused:
    """A tensor of a kind that there is no array for.

    Args:
        what: a clause that says what it is, and a sentence that says what to do.
    """

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        self.what = what

    def set_state(self, state: Any) -> None:
        """Forget the state."""


def _told(value: Any) -> str:
    """Return a value for a message: its contents only where they are few."""
    plain = type(value) is int
    if type(value) in (tuple, list) and len(value) < 10:
        plain = all(type(x) is int for x in value)
    return short(value) if plain else f"of a {type(value).__name__}"
