"""What the public ops do to their inputs before a backend sees them: check, promote, merge devices."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import _tensor
from backburner.contracts import Array, Axes, Pair, Shape
from backburner.device import Device, merge
from backburner.dtype import DEFAULT_FLOAT, DEFAULT_INT, DType, canonical, float64, promote
from backburner.errors import ArgumentError, AxisError, DTypeError, ShapeError

if TYPE_CHECKING:
    from backburner._tensor import Tensor

Scalar = bool | int | float
_KINDS: dict[type, str] = {float: "f", int: "i", bool: "b"}
Axis = int | Sequence[int] | None
COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
MOST = 1 << 60
MOST_RANKS = 64  # NumPy's own limit; beyond it some of its functions crash
_EVERY = [tuple(range(ndim)) for ndim in range(MOST_RANKS + 1)]


def operands(op: str, x: Tensor | Scalar, y: Tensor | Scalar) -> tuple[Any, Any, Device]:
    """Return two primitives of one dtype whose shapes broadcast, and the device on which they meet."""
    if isinstance(x, _tensor.Tensor) and isinstance(y, _tensor.Tensor):
        a, b, device = x._primitive, y._primitive, x.device
        if device is not y.device:
            device = merge(op, device, y.device)
        if a.dtype is not b.dtype:
            a, b = _promoted(op, a, b, device)
        left, right = a.shape, b.shape
        if left != right and left and right and right != left[-len(right) :]:
            broadcast_shape(op, left, right)
        return a, b, device
    if isinstance(x, _tensor.Tensor):
        a, b = _with_scalar(op, x, y)
        return a, b, x.device
    if isinstance(y, _tensor.Tensor):
        b, a = _with_scalar(op, y, x)
        return a, b, y.device
    raise DTypeError(f"{op}: no operand is a Tensor: {type(x).__name__}, {type(y).__name__}. Use bb.tensor.")


def floats(op: str, x: Tensor | Scalar, y: Tensor | Scalar) -> tuple[Any, Any, Device]:
    """Return ``operands``, integers and bools as float32."""
    a, b, device = operands(op, x, y)
    dtype = a.dtype
    if dtype is not DEFAULT_FLOAT and dtype.kind != "f":
        a, b = cast(a, DEFAULT_FLOAT, device), cast(b, DEFAULT_FLOAT, device)
    return a, b, device


def _promoted(op: str, a: Any, b: Any, device: Device) -> tuple[Any, Any]:
    dtype = promote(op, a.dtype, b.dtype)
    return cast(a, dtype, device), cast(b, dtype, device)


def cast(primitive: Any, dtype: DType, device: Device) -> Any:
    """Return a primitive in ``dtype``, by a recorded ``astype`` where it is not."""
    return primitive if primitive.dtype == dtype else device.backend.astype(primitive, dtype=dtype)


def _with_scalar(op: str, x: Tensor, scalar: object) -> tuple[Any, Array]:
    a = x._primitive
    dtype = a.dtype
    kind = _KINDS.get(scalar.__class__) or scalar_kind(op, scalar)
    if kind == "f" and dtype.kind != "f":
        dtype = DEFAULT_FLOAT
    elif kind == "i" and dtype.kind == "b":
        dtype = DEFAULT_INT
    if kind == "i":
        scalar = int(scalar)  # type: ignore[call-overload]  # NumPy's integers would wrap where Python's overflow
    try:
        constant = np.asarray(scalar, dtype)
    except OverflowError:
        if op not in COMPARISONS:
            raise ArgumentError(
                f"{op}: {scalar!r} does not fit into {dtype}. Cast the tensor first."
            ) from None
        dtype, constant = float64, np.asarray(np.inf if scalar > 0 else -np.inf)  # type: ignore[operator]
    return (a if a.dtype is dtype else cast(a, dtype, x.device)), constant


def scalar_kind(op: str, scalar: object) -> str:
    """Return ``"b"``, ``"i"`` or ``"f"`` of a Python or NumPy number, which is weak: it takes a tensor's dtype.

    Raises:
        DTypeError: it is something else.
    """
    if isinstance(scalar, (bool, np.bool_)):
        return "b"
    if isinstance(scalar, (int, np.integer)):
        return "i"
    if isinstance(scalar, (float, np.floating)):
        return "f"
    if isinstance(scalar, np.ndarray):
        raise DTypeError(
            f"{op}: an operand is a NumPy array of shape {list(scalar.shape)}. Use bb.asarray on it."
        )
    if isinstance(scalar, _tensor.Tensor):
        raise DTypeError(f"{op}: takes a number here, not a Tensor. Use item() on it.")
    raise DTypeError(f"{op}: {type(scalar).__name__} is not a Tensor or a number. Use bb.tensor.")


def primitive(op: str, x: Tensor) -> Any:
    """Return what a tensor holds; anything else is a ``DTypeError``."""
    if isinstance(x, _tensor.Tensor):
        return x._primitive
    if isinstance(x, np.ndarray):
        raise DTypeError(f"{op}: the input is a NumPy array of shape {list(x.shape)}. Use bb.asarray on it.")
    raise DTypeError(f"{op}: the input is a {type(x).__name__}, not a Tensor. Use bb.tensor.")


def floating(op: str, x: Tensor) -> Any:
    """Return what a tensor holds, integers and bools as float32."""
    held = x._primitive if isinstance(x, _tensor.Tensor) else primitive(op, x)
    dtype = held.dtype
    if dtype is DEFAULT_FLOAT or dtype.kind == "f":
        return held
    return x.device.backend.astype(held, dtype=DEFAULT_FLOAT)


def floats_along(op: str, x: Tensor, axis: int, dtype: Any) -> tuple[Any, int]:
    """Return what a tensor holds in a dtype of floats, and an axis of it counted from the front."""
    if dtype is None:
        held = floating(op, x)
    else:
        held = primitive(op, x)
        wanted = canonical(dtype, op)
        if wanted.kind != "f":
            raise DTypeError(f"{op}: dtype must be of floats, got {wanted}.")
        held = cast(held, wanted, x.device)
    ndim = held.ndim
    if ndim == 0:
        raise ShapeError(f"{op}: the input is 0-d and has no axis. Use reshape.")
    return held, one_axis(op, axis, ndim)


def numeric(op: str, x: Tensor) -> Any:
    """Return what a tensor holds, which is not bool."""
    held = x._primitive if isinstance(x, _tensor.Tensor) else primitive(op, x)
    dtype = held.dtype
    if dtype is not DEFAULT_FLOAT and dtype.kind == "b":
        raise DTypeError(f"{op}: bool has no arithmetic of its own. Use astype first.")
    return held


def matrices(op: str, x: Tensor, y: Tensor) -> tuple[Any, Any, Device]:
    """Return the primitives of two tensors in their common dtype, and where they meet."""
    if isinstance(x, _tensor.Tensor) and isinstance(y, _tensor.Tensor):
        a, b = x._primitive, y._primitive
    else:
        a, b = primitive(op, x), primitive(op, y)
    device = x.device
    if device is not y.device:
        device = merge(op, device, y.device)
    if a.dtype is not b.dtype:
        a, b = _promoted(op, a, b, device)
    return a, b, device


def three_floats(op: str, x: Tensor, y: Tensor | None, z: Tensor | None) -> tuple[Any, Any, Any, Device]:
    """Return ``same_floats`` of an input and two parameters, where these are as they mostly are at less cost."""
    if isinstance(x, _tensor.Tensor) and isinstance(y, _tensor.Tensor):
        a, b, c, device = x._primitive, y._primitive, None, x.device
        if a.dtype is DEFAULT_FLOAT is b.dtype and y.device is device:
            if z is None:
                return a, b, None, device
            if isinstance(z, _tensor.Tensor) and z.device is device:
                c = z._primitive
                if c.dtype is DEFAULT_FLOAT:
                    return a, b, c, device
    (a, b, c), device = same_floats(op, x, y, z)
    return a, b, c, device


def same_floats(op: str, *xs: Tensor | None, required: int = 1) -> tuple[list[Any], Device]:
    """Return the primitives of an op's float inputs in their common float dtype, and where they meet.

    ``None`` stays; the first ``required`` are tensors.
    """
    found: list[Any] = []
    device: Any = None
    dtype: Any = None
    mixed = False
    for x in xs:
        if x is None and len(found) >= required:
            found.append(None)
            continue
        held = x._primitive if isinstance(x, _tensor.Tensor) else primitive(op, x)  # type: ignore[arg-type]
        found.append(held)
        if device is None:
            device, dtype = x.device, held.dtype  # type: ignore[union-attr]
            continue
        if x.device is not device:  # type: ignore[union-attr]
            device = merge(op, device, x.device)  # type: ignore[union-attr]
        if held.dtype is not dtype:
            dtype = promote(op, dtype, held.dtype)
            mixed = True
    if dtype is not DEFAULT_FLOAT and dtype.kind != "f":
        dtype, mixed = DEFAULT_FLOAT, True
    if mixed:
        found = [x if x is None or x.dtype is dtype else cast(x, dtype, device) for x in found]
    return found, device


def same_dtypes(op: str, xs: Sequence[Tensor]) -> tuple[list[Any], Device]:
    """Return the primitives of a sequence of tensors in their common dtype, and where they meet."""
    if not isinstance(xs, (tuple, list, Sequence)) or not xs:
        raise ArgumentError(f"{op}: needs a sequence of at least one tensor. Give a list, {op}([x, y]).")
    held: list[Any] = []
    device: Any = None
    dtype: Any = None
    mixed = False
    for x in xs:
        a = x._primitive if isinstance(x, _tensor.Tensor) else primitive(op, x)
        held.append(a)
        if device is None:
            device, dtype = x.device, a.dtype
            continue
        if x.device is not device:
            device = merge(op, device, x.device)
        if a.dtype is not dtype:
            dtype = promote(op, dtype, a.dtype)
            mixed = True
    return [cast(a, dtype, device) for a in held] if mixed else held, device


def bools(op: str, x: Tensor) -> Any:
    """Return what a bool tensor holds."""
    held = primitive(op, x)
    if held.dtype.kind != "b":
        raise DTypeError(f"{op}: needs bool, got {held.dtype}. Compare, or use astype(bb.bool).")
    return held


def broadcast_shape(op: str, left: Shape, right: Shape) -> Shape:
    """Return the shape that two shapes broadcast to.

    Raises:
        ShapeError: they do not.
    """
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    shape = list(longer)
    offset = len(longer) - len(shorter)
    for i, n in enumerate(shorter, offset):
        if shape[i] == 1:
            shape[i] = n
        elif n not in (1, shape[i]):
            raise ShapeError(f"{op}: shapes do not broadcast: {list(left)} and {list(right)}.")
    return tuple(shape)


def one_axis(op: str, axis: int, ndim: int) -> int:
    """Return ``axis`` counted from the front."""
    index = axis if axis.__class__ is int else integer(op, "axis", axis)
    if 0 <= index < ndim:
        return index
    if not -ndim <= index < ndim:
        raise AxisError(f"{op}: axis {index} is out of range for {ndim} dimensions.")
    return index + ndim


def all_axes(op: str, axis: Axis, ndim: int) -> Axes:
    """Return the axes as a sorted tuple counted from the front; ``None`` is all of them."""
    if axis is None:
        return _EVERY[ndim]
    named: Any = axis
    if named.__class__ is int and 0 <= named < ndim:
        return (named,)
    if isinstance(axis, (int, str)) or not isinstance(axis, (tuple, list, Sequence)):
        return (one_axis(op, axis, ndim),)
    found = tuple(sorted(one_axis(op, a, ndim) for a in axis))
    if len(set(found)) != len(found):
        raise AxisError(f"{op}: an axis is named twice: {tuple(axis)}.")
    return found


def integer(op: str, name: str, value: Any) -> int:
    """Return an option that must be an integer as an ``int``."""
    if value.__class__ is int:
        return value
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise DTypeError(f"{op}: {name} must be an integer, got {value!r}.")


def flag(op: str, name: str, value: Any) -> bool:
    """Return an option that must be true or false as a ``bool``."""
    if value.__class__ is bool:
        return value
    if isinstance(value, (np.bool_, int)) and value in (0, 1):
        return bool(value)
    raise DTypeError(f"{op}: {name} must be True or False, got {type(value).__name__}.")


def optional_flag(op: str, name: str, value: Any) -> bool | None:
    """Return an option that may be ``None``, else true or false."""
    return None if value is None else flag(op, name, value)


def chosen(op: str, name: str, value: Any, known: Sequence[str]) -> None:
    """Refuse an option that is none of the words there are."""
    if not isinstance(value, str) or value not in known:
        words = " or ".join(map(repr, known)) if len(known) == 2 else f"one of {', '.join(known)}"
        raise ArgumentError(f"{op}: {name} must be {words}, got {value!r}.")


def number(op: str, name: str, value: Any) -> float:
    """Return an option that must be a number, not NaN, as a ``float``."""
    if value.__class__ is not float and value.__class__ is not int:
        scalar_kind(f"{op}: {name}", value)
    try:
        found = float(value)
    except OverflowError:
        raise ArgumentError(f"{op}: {name} does not fit into a float.") from None
    if math.isnan(found):
        raise ArgumentError(f"{op}: {name} is NaN.")
    return found


def element(op: str, name: str, value: Any, dtype: DType) -> Scalar:
    """Return an option that is to be an element of ``dtype``: a number, and a whole one in range for integers."""
    kind = scalar_kind(f"{op}: {name}", value)
    if dtype.kind not in "iu":
        return bool(value) if dtype.kind == "b" else number(op, name, value) if kind == "i" else float(value)
    if kind == "f" and not (math.isfinite(value) and value == int(value)):
        raise DTypeError(f"{op}: {name} {value!r} is not an integer, as {dtype} is. Use another dtype.")
    limits = np.iinfo(dtype)
    if not limits.min <= int(value) <= limits.max:
        raise ArgumentError(f"{op}: {name} {value!r} does not fit into {dtype}. Use another dtype.")
    return int(value)


def rank(op: str, ndim: int) -> None:
    """Refuse more dimensions than there can be."""
    if ndim > MOST_RANKS:
        raise ShapeError(f"{op}: {ndim} dimensions are more than {MOST_RANKS}, the most there can be.")


def shape_of(op: str, shape: int | Sequence[int]) -> Shape:
    """Return a shape given as an int or a sequence of ints as a tuple of sizes, none negative."""
    sizes: Any = shape
    if sizes.__class__ is tuple:  # as it is, if it is sound
        count = 1
        for n in sizes:
            if n.__class__ is not int or n < 1:
                break
            count *= n
        else:
            if count < MOST and len(sizes) <= MOST_RANKS:
                return sizes
    elif sizes.__class__ is int:
        sizes = (sizes,)
    elif not isinstance(shape, (list, Sequence)) or isinstance(shape, bytes):
        sizes = (shape,)
    found = tuple([n if n.__class__ is int else integer(op, "a size", n) for n in sizes])
    rank(op, len(found))
    if found and min(found) < 0:
        raise ShapeError(f"{op}: a shape has a negative size: {list(found)}.")
    count = math.prod(found)
    if count >= MOST or (count == 0 and math.prod([n for n in found if n]) >= MOST):
        raise ShapeError(f"{op}: a shape has more elements than fit into memory: {list(found)}.")
    return found


def pad_widths(pad_width: Any, ndim: int) -> tuple[Pair, ...]:
    """Return ``(before, after)`` for each axis: of one number, one pair or a pair for each."""
    if not isinstance(pad_width, Sequence):
        width = integer("pad", "a width", pad_width)
        return ((width, width),) * ndim
    if len(pad_width) == 2 and not any(isinstance(n, Sequence) for n in pad_width):
        return (_pad_pair(pad_width),) * ndim
    return tuple(_pad_pair(pair) for pair in pad_width)


def _pad_pair(pair: Any) -> Pair:
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise ShapeError(f"pad: {pair!r} is not a pair (before, after).")
    return integer("pad", "a width", pair[0]), integer("pad", "a width", pair[1])
