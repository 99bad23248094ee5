"""NumPy's arrays as files hold them, in pickles and in archives: descriptions too."""

from __future__ import annotations

import re
from typing import Any, Literal

import numpy as np

from backburner.record._dtypes import COMPLEX, Array, Malformed, dtype_name
from backburner.record._format import product, short
from backburner.record._machine import Opaque
from backburner.record._tensors import MAX_AXES, Storage, Tensor

_NUMBER = re.compile(r"[<>|=]?(\?|b1|[iu][1248]|f[248]|c8|c16)")


def number_dtype(code: str) -> np.dtype[Any] | None:
    """Return the dtype of numbers or bools that a code such as ``<f4`` stands for; ``None`` if it is of others."""
    return np.dtype(code) if _NUMBER.fullmatch(code) else None


def packed(key: str, shape: tuple[int, ...], dtype: np.dtype[Any], fortran: bool, block: Array) -> Tensor:
    """Return an array whose elements lie in a block one after the other, in the order of C or of Fortran."""
    if len(shape) > MAX_AXES:  # before the steps, which could be numbers of millions of digits
        raise Malformed(f"a tensor has a shape that NumPy cannot hold: {short(list(shape[:40]))}")
    steps, step = [], 1
    for n in shape if fortran else reversed(shape):
        steps.append(step)
        step *= n
    name = COMPLEX if dtype.kind == "c" and dtype.itemsize == 16 else dtype_name(dtype)
    storage = Storage(key, name, product(shape), data=block)
    return Tensor(storage, 0, shape, steps if fortran else steps[::-1])


class _DType:
    """A NumPy dtype that gets its byte order afterwards."""

    __slots__ = ("code", "order")

    def __init__(self, code: str) -> None:
        self.code = code
        self.order: Literal["<", ">"] = "<"

    def set_state(self, state: Any) -> None:
        if type(state) is not tuple or len(state) < 2 or state[1] not in ("<", ">", "|", "="):
            raise Malformed("its pickle has a NumPy dtype of an unknown byte order")
        self.order = ">" if state[1] == ">" else "<"

    def numpy(self) -> np.dtype[Any] | None:
        """Return the dtype if it is one of numbers or bools."""
        return number_dtype(self.order + self.code.lstrip("<>|="))


def dtype(arguments: list[Any]) -> Any:
    """Stand for ``numpy.dtype``."""
    if not arguments or type(arguments[0]) is not str or not 0 < len(arguments[0]) <= 8:
        raise Malformed("its pickle has a NumPy dtype of something that is no text")
    return _DType(arguments[0])


class NumPyArray:
    """A NumPy array that gets its contents afterwards.

    Attributes:
        tensor: what it is; ``None`` for arrays of anything but numbers and bools.
        order: the byte order of its elements.
    """

    __slots__ = ("order", "tensor")

    def __init__(self) -> None:
        self.tensor: Tensor | None = None
        self.order: Literal["<", ">"] = "<"

    def set_state(self, state: Any) -> None:
        """Take version, shape, dtype, whether the order is Fortran's, and the bytes."""
        if type(state) is not tuple or len(state) != 5:
            raise Malformed("its pickle has a NumPy array of unknown parts")
        _, shape, dtype, fortran, data = state
        self.fill(shape, dtype, bool(fortran), data)

    def fill(self, shape: Any, kind: Any, fortran: bool, data: Any) -> None:
        if not isinstance(kind, _DType) or type(shape) is not tuple:
            raise Malformed("its pickle has a NumPy array of unknown parts")
        found = kind.numpy()
        if found is None:
            return
        if type(data) is str:  # of Python 2
            data = data.encode("utf-8")
        if type(data) is not bytes or not all(type(n) is int and n >= 0 for n in shape):
            raise Malformed("its pickle has a NumPy array whose contents are no bytes")
        if product(shape) * found.itemsize != len(data):
            raise Malformed(
                f"its pickle has a NumPy array of shape {short(list(shape))} and {len(data):,} bytes"
            )
        self.tensor = packed("", shape, found, fortran, np.frombuffer(data, np.uint8))
        self.order = kind.order


def new(arguments: list[Any]) -> Any:
    """Stand for ``numpy.core.multiarray._reconstruct``."""
    return NumPyArray()


def of_buffer(arguments: list[Any]) -> Any:
    """Stand for ``numpy.core.numeric._frombuffer``."""
    if len(arguments) not in (4, 5):
        raise Malformed("its pickle has a NumPy array of unknown parts")
    data, kind, shape, order = arguments[:4]
    made = NumPyArray()
    if order != "K":
        made.fill(shape, kind, order == "F", data)
        return made
    axes = arguments[4] if len(arguments) > 4 else None  # since NumPy 2.3, in which order to take the axes
    made.fill(shape, kind, False, data)
    if type(axes) is not tuple or not all(type(n) is int for n in axes) or len(axes) > MAX_AXES:
        raise Malformed("its pickle has a NumPy array of unknown parts")
    if sorted(axes) != list(range(len(shape))):
        raise Malformed(f"its pickle has a NumPy array of shape {short(list(shape))} and other axes")
    if made.tensor is not None:
        made.tensor = made.tensor.transposed(axes)
    return made


def scalar(arguments: list[Any]) -> Any:
    """Stand for ``numpy.core.multiarray.scalar``."""
    if len(arguments) != 2 or not isinstance(arguments[0], _DType):
        raise Malformed("its pickle has a NumPy number of unknown parts")
    kind, data = arguments[0].numpy(), arguments[1]
    if kind is None:
        return Opaque("a NumPy scalar")
    if type(data) is str:  # of Python 2
        data = data.encode("utf-8")
    if type(data) is not bytes or len(data) != kind.itemsize:
        raise Malformed("its pickle has a NumPy number of unknown parts")
    return np.frombuffer(data, kind)[0].item()
