"""The dtypes, what they promote to, and the defaults.

A dtype is a ``numpy.dtype``: ``bb.float32 == np.float32`` holds, and either may be passed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner.errors import DTypeError

DType = np.dtype[Any]

bool_ = np.dtype("bool")  # `bb.bool`; the builtin keeps its name in here
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float32 = np.dtype("float32")
float64 = np.dtype("float64")

ALL: tuple[DType, ...] = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64,
)  # fmt: skip

DEFAULT_FLOAT: DType = float32
DEFAULT_INT: DType = int64

_BY_PYTHON_TYPE: dict[object, DType] = {float: DEFAULT_FLOAT, int: DEFAULT_INT, bool: bool_}
_BY_PYTHON_TYPE |= {
    kind.__name__: dtype for kind, dtype in list(_BY_PYTHON_TYPE.items()) if isinstance(kind, type)
}


def canonical(dtype: Any, op: str = "dtype") -> DType:
    """Return ``dtype`` as one of the dtypes above, in native byte order.

    ``float`` and ``int``, also as strings, mean the defaults, float32 and int64.

    Raises:
        DTypeError: Backburner has no such dtype.
    """
    found = _BY_PYTHON_TYPE.get(dtype) if isinstance(dtype, (type, str)) else None
    if found is not None:
        return found
    try:
        native = np.dtype(dtype).newbyteorder("=")
    except TypeError:
        native = None
    for known in ALL:
        if native is not None and native == known:
            return known  # the one instance, which hot paths compare with `is`
    raise DTypeError(f"{op}: {dtype!r} is not a dtype here. Use one of: {', '.join(map(str, ALL))}.")


def promote(op: str, x: DType, y: DType) -> DType:
    """Return the dtype in which ``x`` and ``y`` meet.

    The table of the Array API standard; what it leaves open follows PyTorch: an integer or bool with a
    float gives that float, a bool with an integer gives that integer.

    Raises:
        DTypeError: uint64 with a signed integer, which no integer dtype holds.
    """
    if x == y:
        return x
    for a, b in ((x, y), (y, x)):
        if a.kind == "f" and b.kind != "f" or b.kind == "b":
            return a
    both = np.promote_types(x, y)
    if both.kind == "f" and x.kind != "f":
        raise DTypeError(f"{op}: {x} and {y} have no common integer dtype. Cast one with astype first.")
    return np.dtype(both)
