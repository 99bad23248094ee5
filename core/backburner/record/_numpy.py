"""NumPy's archives of arrays, ``.npz``; what is pickled in them is not read."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from backburner.record import _zip
from backburner.record._dtypes import COMPLEX, Array, Malformed, dtype_name
from backburner.record._format import product, short
from backburner.record._objects import Storage, Tensor

HEADER = 10_000  # characters, NumPy's own limit


def read_npz(
    data: Array, files: Mapping[str, _zip.File]
) -> tuple[dict[str, Tensor], dict[str, Literal["<", ">"]]]:
    """Return the arrays of an archive by name, and their byte orders.

    Raises:
        Malformed: a file in it is broken, or of anything but numbers and bools.
    """
    tensors: dict[str, Tensor] = {}
    orders: dict[str, Literal["<", ">"]] = {}
    for name, file in files.items():
        content = _zip.content(data, file, name)
        name = name.removesuffix(".npy")
        try:
            dtype, shape, fortran, begin = _header(content)
        except Malformed as error:
            raise Malformed(f"its array {name[:80]!r} {error}") from None
        block = content[begin:]
        if product(shape) * dtype.itemsize != block.size:
            raise Malformed(f"its array {name[:80]!r} of shape {short(list(shape))} has {block.size:,} bytes")
        stored = COMPLEX if dtype == np.complex128 else dtype_name(dtype)
        steps, step = [], 1
        for n in shape if fortran else reversed(shape):
            steps.append(step)
            step *= n
        storage = Storage(name, stored, product(shape), data=block)
        tensors[name] = Tensor(storage, 0, shape, steps if fortran else steps[::-1])
        orders[name] = ">" if dtype.str[0] == ">" else "<"
    return tensors, orders


def _header(content: Array) -> tuple[np.dtype[Any], tuple[int, ...], bool, int]:
    head = content[:12].tobytes()
    if head[:6] != b"\x93NUMPY" or len(head) < 12 or head[6] not in (1, 2, 3):
        raise Malformed("is no .npy file of a known version")
    wide = head[6] > 1
    begin = 12 if wide else 10
    end = begin + int.from_bytes(head[8:12] if wide else head[8:10], "little")
    if end > content.size or end - begin > HEADER:
        raise Malformed("has a broken header")
    try:
        told = ast.literal_eval(content[begin:end].tobytes().decode("utf-8").strip())
        dtype = np.dtype(told["descr"]) if isinstance(told["descr"], str) else None
        shape, fortran = told["shape"], told["fortran_order"]
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError):
        raise Malformed("has a broken header") from None
    if type(shape) is not tuple or not all(type(n) is int and n >= 0 for n in shape):
        raise Malformed("has a broken header")
    if dtype is None or dtype.kind not in "biufc" or dtype.itemsize > 8 and dtype != np.complex128:
        what = (
            "objects, which are pickled"
            if dtype is not None and dtype.kind == "O"
            else "neither numbers nor bools"
        )
        raise Malformed(f"is one of {what}")
    return dtype, shape, bool(fortran), end
