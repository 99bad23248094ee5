"""The dtypes, what they promote to, and the defaults.

A dtype is a ``numpy.dtype``: ``bb.float32 == np.float32`` holds, and either may be passed.
"""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

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

# Those by the type or the name of Python and of NumPy, which hot paths ask for.
_BY_NAME: dict[object, DType] = {kind: dtype for dtype in ALL for kind in (dtype.type, dtype.name)}
_BY_NAME |= _BY_PYTHON_TYPE


def canonical(dtype: Any, op: str = "dtype") -> DType:
    """Return ``dtype`` as one of the dtypes above, in native byte order.

    ``float`` and ``int``, also as strings, mean the defaults, float32 and int64.

    Raises:
        DTypeError: Backburner has no such dtype.
    """
    if dtype is float32 or dtype is int64 or dtype is float64 or dtype is bool_:
        return dtype
    if isinstance(dtype, (type, str)):
        found = _BY_NAME.get(dtype)
        if found is not None:
            return found
    try:
        native = np.dtype(dtype).newbyteorder("=")
    except (TypeError, ValueError, SyntaxError):
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


_KINDS: dict[str, tuple[DType, ...]] = {
    "bool": (bool_,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "integral": (int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (),
    "numeric": ALL[1:],
}


def of_kind(op: str, kind: str | tuple[str, ...]) -> tuple[DType, ...]:
    """Return the dtypes of one of the standard's kinds, or of several.

    Raises:
        DTypeError: there is no such kind.
    """
    if isinstance(kind, tuple):
        return tuple(dtype for part in kind for dtype in of_kind(op, part))
    found = _KINDS.get(kind) if isinstance(kind, str) else None
    if found is None:
        raise DTypeError(f"{op}: there is no kind {kind!r}. Use one of: {', '.join(map(repr, _KINDS))}.")
    return found


def isdtype(dtype: Any, kind: Any) -> bool:
    """Say whether a dtype is another one or of a kind; of several kinds or dtypes, whether of any.

    Args:
        dtype: a dtype.
        kind: a dtype, or ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``,
            ``"real floating"``, ``"complex floating"`` or ``"numeric"``; or a tuple of these.

    Raises:
        DTypeError: there is no such dtype or kind.

    Example:
        >>> import backburner as bb
        >>> bb.isdtype(bb.int8, "integral"), bb.isdtype(bb.int8, ("bool", bb.float32))
        (True, False)
    """
    found = canonical(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any([isdtype(found, part) for part in kind])
    return found in of_kind("isdtype", kind) if isinstance(kind, str) else found == canonical(kind, "isdtype")


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the dtype in which tensors, dtypes and Python numbers meet; the numbers are weak.

    Raises:
        DTypeError: there is neither a tensor nor a dtype, or they have no common dtype.

    Example:
        >>> import backburner as bb
        >>> bb.result_type(bb.int8, bb.int16), bb.result_type(bb.ones((2,)), 2.5)
        (dtype('int16'), dtype('float32'))
    """
    weak, found = "", None
    for x in arrays_and_dtypes:
        if isinstance(x, (bool, int, float, np.generic)):
            kind = np.result_type(x).kind
            weak = max(weak, "i" if kind == "u" else kind, key="bif".find)
            continue
        dtype = _held("result_type", x)
        found = dtype if found is None else promote("result_type", found, dtype)
    if found is None:
        raise DTypeError("result_type: needs at least one tensor or dtype.")
    if weak == "f" and found.kind != "f":
        return DEFAULT_FLOAT
    return DEFAULT_INT if weak == "i" and found.kind == "b" else found


def _held(op: str, x: Any) -> DType:
    """Return a dtype, or that of a tensor or array."""
    return canonical(x if isinstance(x, builtins.type) else getattr(x, "dtype", x), op)


def can_cast(from_: Any, to: Any, /) -> bool:
    """Say whether promotion alone could turn one dtype, or that of a tensor, into another."""
    start, end = _held("can_cast", from_), canonical(to, "can_cast")
    try:
        return promote("can_cast", start, end) == end
    except DTypeError:
        return False


class FInfo(NamedTuple):
    """What a float dtype can hold, in Python's numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IInfo(NamedTuple):
    """What an integer dtype can hold, in Python's numbers."""

    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type: Any, /) -> FInfo:
    """Return what a float dtype, or that of a tensor, can hold.

    Raises:
        DTypeError: it is not floating.
    """
    dtype = _held("finfo", type)
    if dtype.kind != "f":
        raise DTypeError(f"finfo: needs a float dtype, got {dtype}. Use iinfo.")
    found = np.finfo(dtype)
    eps, high, low, normal = (float(x) for x in (found.eps, found.max, found.min, found.smallest_normal))
    return FInfo(dtype.itemsize * 8, eps, high, low, normal, dtype)


def iinfo(type: Any, /) -> IInfo:
    """Return what an integer dtype, or that of a tensor, can hold.

    Raises:
        DTypeError: it is not integral.
    """
    dtype = _held("iinfo", type)
    if dtype.kind not in "iu":
        raise DTypeError(f"iinfo: needs an integer dtype, got {dtype}. Use finfo.")
    found = np.iinfo(dtype)
    return IInfo(dtype.itemsize * 8, int(found.max), int(found.min), dtype)
