"""NumPy's archives of arrays, ``.npz``; what is pickled in them is not read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from backburner.record import _zip
from backburner.record._arrays import number_dtype, packed
from backburner.record._dtypes import Array, Malformed
from backburner.record._format import product, short
from backburner.record._tensors import Tensor

HEADER = 10_000  # bytes, NumPy's own limit
# The header is a dict as Python writes it; it is not evaluated.
_DESCR = re.compile(r"""['"]descr['"]: *['"]([^'"]*)['"]""")
_ORDER = re.compile(r"""['"]fortran_order['"]: *(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]: *\(([0-9, L]*)\)""")


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
        tensors[name] = packed(name, shape, dtype, fortran, block)
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
    text = content[begin:end].tobytes().decode("latin-1")
    descr, order, shape = (pattern.search(text) for pattern in (_DESCR, _ORDER, _SHAPE))
    dtype = number_dtype(descr[1]) if descr else None
    if dtype is None:
        objects = descr is not None and descr[1].lstrip("|<>=").startswith("O")
        raise Malformed(
            f"is one of {'objects, which are pickled' if objects else 'neither numbers nor bools'}"
        )
    sizes = [size.strip().removesuffix("L") for size in shape[1].split(",")] if shape else ["x"]
    if sizes[-1] == "":
        sizes.pop()
    if order is None or not all(size.isdecimal() and len(size) < 20 for size in sizes):
        raise Malformed("has a broken header")
    return dtype, tuple(map(int, sizes)), order[1] == "True", end
