"""Making tensors, from data or from nothing.

Common arguments: ``dtype`` is a dtype or ``None`` for what the values suggest (float32, int64, bool);
``device`` is a device or ``None`` for ``Device()``. On an autodiff device the result is a constant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import _tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.dtype import DEFAULT_FLOAT, DEFAULT_INT, DType, bool_, canonical, result_type
from backburner.errors import ArgumentError, DTypeError, GraphError, ShapeError
from backburner.ops import shape as shape_ops
from backburner.ops._operands import (
    MOST,
    Scalar,
    chosen,
    element,
    flag,
    integer,
    number,
    optional_flag,
    primitive,
    scalar_kind,
    shape_of,
)

if TYPE_CHECKING:
    from backburner._tensor import Tensor

_DEFAULTS: dict[str, DType] = {"b": bool_, "i": DEFAULT_INT, "f": DEFAULT_FLOAT}


def tensor(data: Any, dtype: Any = None, device: Device | None = None) -> Tensor:
    """Return a tensor over a copy of ``data``.

    Args:
        data: numbers, nested lists of them, a NumPy array, or a tensor without a graph.
        dtype: see the module; Python floats become float32, NumPy data keeps its dtype.
        device: see the module; a tensor's own device if ``data`` is one.

    Shape:
        That of the data.

    Raises:
        DTypeError: there is no such dtype here.
        ShapeError: nested lists have different lengths.
        GraphError: ``data`` is tracked.

    Example:
        >>> import backburner as bb
        >>> bb.tensor([[1, 2], [3, 4]]).dtype, bb.tensor([0.5]).dtype
        (dtype('int64'), dtype('float32'))
    """
    if isinstance(data, _tensor.Tensor):
        if data.is_tracked():
            raise GraphError("tensor: the data is tracked. Use detach() on it first.")
        device = data.device if device is None else device
        data = data.numpy()
    return _tensor.wrap(_copied("tensor", data, dtype), Device(device))


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Device | None = None, copy: bool | None = None
) -> Tensor:
    """Return ``obj`` as a tensor: a tensor as it is, anything else as ``tensor`` has it.

    Args:
        obj: what ``tensor`` takes; a tensor, also one in nested lists, keeps its graph and dtype.
        dtype: see the module.
        device: see the module.
        copy: ``False`` shares the memory of a NumPy array, which must not be written to any more; by default
            and with ``True`` it is copied.

    Shape:
        That of the data.

    Raises:
        ArgumentError: ``copy=False`` and there is no way without one.
    """
    copy = optional_flag("asarray", "copy", copy)
    if isinstance(obj, _tensor.Tensor):
        if copy:
            return tensor(obj, dtype, device)
        moved = obj if device is None else obj.to(device)
        if dtype is None or moved.dtype == canonical(dtype, "asarray"):
            return moved
        if copy is False:
            raise ArgumentError(f"asarray: from {moved.dtype} to {dtype} takes a copy. Leave out copy=False.")
        return moved.astype(dtype)
    if copy is not False:
        if _holds_tensors(obj):
            return _stacked(obj, dtype, device)
        return tensor(obj, dtype, device)
    if not isinstance(obj, np.ndarray) or obj.dtype != canonical(
        obj.dtype if dtype is None else dtype, "asarray"
    ):
        raise ArgumentError("asarray: copy=False takes a NumPy array of the dtype that is asked for.")
    return _tensor.wrap(obj.view(np.ndarray), Device(device))


def _holds_tensors(obj: Any) -> bool:
    """Say whether a tensor is somewhere in nested lists."""
    if not isinstance(obj, (list, tuple)):
        return isinstance(obj, _tensor.Tensor)
    kinds = set(map(type, obj))  # far faster than looking at a million numbers one by one
    if any(issubclass(kind, _tensor.Tensor) for kind in kinds):
        return True
    nested = any(issubclass(kind, (list, tuple)) for kind in kinds)
    return nested and any(_holds_tensors(part) for part in obj)


def _stacked(obj: Any, dtype: Any, device: Device | None) -> Tensor:
    """Return nested lists that hold tensors as one, in the dtype in which all that is in them meets."""
    wanted = result_type(*_leaves(obj)) if dtype is None else canonical(dtype, "asarray")

    def joined(part: Any) -> Tensor:
        if isinstance(part, (list, tuple)):
            return shape_ops.stack([joined(p) for p in part])
        return asarray(part, dtype=wanted)

    y = joined(obj)
    return y if device is None else y.to(device)


def _leaves(obj: Any) -> list[Any]:
    if isinstance(obj, (list, tuple)):
        return [leaf for part in obj for leaf in _leaves(part)]
    return [obj]


def from_dlpack(obj: Any, /, *, device: Device | None = None, copy: bool | None = None) -> Tensor:
    """Return another library's array, or a tensor without a graph, as a tensor, by the DLPack protocol.

    Args:
        obj: what has ``__dlpack__``, in the memory of this machine.
        device: see the module; that of ``obj`` if it is a tensor.
        copy: by default and with ``False`` the memory is shared and must not be written to any more.

    Shape:
        That of the data.

    Raises:
        DTypeError: ``obj`` has no ``__dlpack__``, or a dtype that there is not here.
        ArgumentError: ``obj`` does not give its memory away.
        GraphError: ``obj`` is a tracked tensor.
    """
    copied = optional_flag("from_dlpack", "copy", copy)
    if not hasattr(obj, "__dlpack__"):
        raise DTypeError(f"from_dlpack: {type(obj).__name__} has no __dlpack__. Use bb.asarray.")
    try:
        array: Array = np.from_dlpack(obj)
    except (BufferError, RuntimeError) as e:
        if isinstance(e, GraphError):
            raise
        raise ArgumentError(
            f"from_dlpack: the {type(obj).__name__} does not give its memory away: {e}"
        ) from e
    canonical(array.dtype, "from_dlpack")
    if device is None and isinstance(obj, _tensor.Tensor):
        device = obj.device
    return _tensor.wrap(array.copy() if copied else array, Device(device))


def _copied(op: str, data: Any, dtype: Any) -> Array:
    try:
        array = np.array(data)
    except ValueError as e:
        raise ShapeError(f"{op}: nested lists have different lengths, or hold arrays that do: {e}") from None
    beyond = array.dtype == np.float64 and array.size and np.abs(array).max() >= 2.0**63
    if (array.dtype.kind == "O" or beyond) and not _is_numpy(data):
        array = _exact(data, array)
    if array.dtype.kind == "O" and all(isinstance(value, int) for value in array.flat):
        wanted = DEFAULT_INT if dtype is None else canonical(dtype, op)
        for value in array.flat:
            element(op, "an element", value, wanted)
        return array.astype(wanted)
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"{op}: data of {array.dtype} is neither numbers nor bools. Convert it first.")
    if dtype is not None:
        wanted = canonical(dtype, op)
        if wanted.kind in "iu" and array.dtype.kind in "iu" and array.size and not _is_numpy(data):
            for value in (array.min(), array.max()):  # a Python number would silently become another
                element(op, "an element", value, wanted)
        return array.astype(wanted, copy=False)
    if array.dtype.kind == "f" and not _is_numpy(data) or array.size == 0 and not _is_numpy(data):
        return array.astype(DEFAULT_FLOAT)
    return array.astype(canonical(array.dtype, op), copy=False)


def _exact(data: Any, array: Array) -> Array:
    """Return Python's integers, some beyond int64, as objects, which NumPy reads as floats beside others."""
    exact = np.array(data, object)
    if all(isinstance(value, int) for value in exact.flat):
        return exact
    return exact.astype(np.float64) if all(isinstance(value, (int, float)) for value in exact.flat) else array


def _is_numpy(data: Any) -> bool:
    """Say whether the innermost of nested lists has a dtype, which was somebody's choice."""
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    return isinstance(data, (np.ndarray, np.generic, _tensor.Tensor))


def full(
    shape: int | Sequence[int], fill_value: Scalar, *, dtype: Any = None, device: Device | None = None
) -> Tensor:
    """Return a tensor of one value.

    Shape:
        That of ``shape``.
    """
    return _filled("full", shape, fill_value, dtype, device)


def _filled(
    op: str, shape: int | Sequence[int], fill_value: Scalar, dtype: Any, device: Device | None
) -> Tensor:
    kind = scalar_kind(op, fill_value)
    wanted = _DEFAULTS[kind] if dtype is None else canonical(dtype, op)
    value = element(op, "fill_value", fill_value, wanted)
    device = Device(device)
    held = device.backend.full(shape=shape_of(op, shape), value=value, dtype=wanted)
    return _tensor.wrap(held, device)


def zeros(shape: int | Sequence[int], *, dtype: Any = None, device: Device | None = None) -> Tensor:
    """Return zeros, float32 unless said otherwise.

    Shape:
        That of ``shape``.
    """
    return _filled("zeros", shape, 0.0, dtype, device)


def ones(shape: int | Sequence[int], *, dtype: Any = None, device: Device | None = None) -> Tensor:
    """Return ones, float32 unless said otherwise.

    Shape:
        That of ``shape``.
    """
    return _filled("ones", shape, 1.0, dtype, device)


def full_like(x: Tensor, /, fill_value: Scalar, *, dtype: Any = None, device: Device | None = None) -> Tensor:
    """Return a constant of one value with the shape of ``x``, and its dtype and device unless said otherwise.

    Shape:
        That of ``x``.
    """
    return _filled_like("full_like", x, fill_value, dtype, device)


def _filled_like(op: str, x: Tensor, fill_value: Scalar, dtype: Any, device: Device | None) -> Tensor:
    held = primitive(op, x)
    return _filled(
        op,
        held.shape,
        fill_value,
        held.dtype if dtype is None else dtype,
        x.device if device is None else device,
    )


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Device | None = None) -> Tensor:
    """Return zeros with the shape of ``x``, and its dtype and device unless said otherwise.

    Shape:
        That of ``x``.
    """
    return _filled_like("zeros_like", x, 0, dtype, device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Device | None = None) -> Tensor:
    """Return ones with the shape of ``x``, and its dtype and device unless said otherwise.

    Shape:
        That of ``x``.
    """
    return _filled_like("ones_like", x, 1, dtype, device)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    device: Device | None = None,
) -> Tensor:
    """Return ``start, start + step, ...`` up to before ``stop``; ``arange(n)`` starts at 0.

    The dtype is int64 if all three are integers, else float32, unless said otherwise.

    Shape:
        Result ``[n]`` with ``n = ceil((stop - start) / step)``, or 0.

    Raises:
        ArgumentError: ``step`` is 0.
    """
    if stop is None:
        start, stop = 0, start
    kinds = {scalar_kind("arange", v) for v in (start, stop, step)}
    if step == 0:
        raise ArgumentError("arange: step is 0.")
    if not abs((number("arange", "stop", stop) - number("arange", "start", start)) / step) < MOST:
        raise ArgumentError(f"arange: there is no end from {start} to {stop} by {step}.")
    wanted = (DEFAULT_FLOAT if "f" in kinds else DEFAULT_INT) if dtype is None else canonical(dtype, "arange")
    if wanted.kind == "b":
        raise DTypeError("arange: bool has no range. Use an integer dtype.")
    count = math.ceil((stop - start) / step)
    if count > 0 and wanted.kind != "f":
        element("arange", "start", start, wanted)
        element("arange", "the last value", start + (count - 1) * step, wanted)
    device = Device(device)
    return _tensor.wrap(device.backend.arange(start=start, stop=stop, step=step, dtype=wanted), device)


def linspace(
    start: float,
    stop: float,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Device | None = None,
    endpoint: bool = True,
) -> Tensor:
    """Return ``num`` evenly spaced values from ``start`` to ``stop``, float32 unless said otherwise.

    Shape:
        Result ``[num]``.

    Raises:
        ArgumentError: ``num`` is negative.
    """
    shape_of("linspace", (max(integer("linspace", "num", num), 0),))
    if num < 0:
        raise ArgumentError(f"linspace: num must not be negative, got {num}.")
    device = Device(device)
    wanted = DEFAULT_FLOAT if dtype is None else canonical(dtype, "linspace")
    low, high = number("linspace", "start", start), number("linspace", "stop", stop)
    closed = flag("linspace", "endpoint", endpoint)
    held = device.backend.linspace(start=low, stop=high, num=num, dtype=wanted, endpoint=closed)
    return _tensor.wrap(held, device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Device | None = None
) -> Tensor:
    """Return ones on the ``k``-th diagonal and zeros elsewhere, float32 unless said otherwise.

    Shape:
        ``[n_rows, n_cols]``; square by default.
    """
    rows, columns = shape_of("eye", (n_rows, n_rows if n_cols is None else n_cols))
    device = Device(device)
    wanted = DEFAULT_FLOAT if dtype is None else canonical(dtype, "eye")
    held = device.backend.eye(rows=rows, columns=columns, k=integer("eye", "k", k), dtype=wanted)
    return _tensor.wrap(held, device)


def empty(shape: int | Sequence[int], *, dtype: Any = None, device: Device | None = None) -> Tensor:
    """Return a tensor whose values nobody may rely on: zeros, since a tensor cannot be written to later.

    Shape:
        That of ``shape``.
    """
    return _filled("empty", shape, 0.0, dtype, device)


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Device | None = None) -> Tensor:
    """Return ``empty`` with the shape of ``x``, and its dtype and device unless said otherwise.

    Shape:
        That of ``x``.
    """
    return _filled_like("empty_like", x, 0, dtype, device)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of a grid from those of its axes, without a copy.

    Args:
        arrays: one vector for each axis, all of one dtype.
        indexing: ``"ij"`` for results of shape ``[len(arrays[0]), len(arrays[1]), ...]``, ``"xy"`` for those
            with the first two axes exchanged, as images have it.

    Shape:
        Inputs ``[n]``, ``[m]``, ...; each result ``[m, n, ...]``, or ``[n, m, ...]`` with
        ``indexing="ij"``.

    Raises:
        ShapeError: an input has more than one dimension.
        DTypeError: the dtypes differ.
        ArgumentError: ``indexing`` is something else.
    """
    chosen("meshgrid", "indexing", indexing, ("xy", "ij"))
    held = [primitive("meshgrid", x) for x in arrays]
    for x in held:
        if x.ndim > 1:
            raise ShapeError(f"meshgrid: needs vectors, got {list(x.shape)}. Use reshape(x, -1).")
        if x.dtype != held[0].dtype:
            raise DTypeError(f"meshgrid: the inputs are {held[0].dtype} and {x.dtype}. Use astype.")
    places = list(range(len(held)))
    if indexing == "xy" and len(held) > 1:
        places[:2] = 1, 0
    sizes = [1] * len(held)
    for place, x in zip(places, held, strict=True):
        sizes[place] = x.size
    shape = shape_of("meshgrid", sizes)
    grids = []
    for place, tensor, x in zip(places, arrays, held, strict=True):
        backend = tensor.device.backend
        line = backend.reshape(x, shape=tuple(x.size if i == place else 1 for i in range(len(held))))
        grids.append(_tensor.wrap(backend.broadcast_to(line, shape=shape), tensor.device))
    return tuple(grids)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return ``x`` with zeros above the ``k``-th diagonal of its matrices.

    Shape:
        x ``[..., n, m]``; result the same.

    Raises:
        ShapeError: ``x`` has fewer than two dimensions.
    """
    return _triangle("tril", x, k, lower=True)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Return ``x`` with zeros below the ``k``-th diagonal of its matrices.

    Shape:
        x ``[..., n, m]``; result the same.

    Raises:
        ShapeError: ``x`` has fewer than two dimensions.
    """
    return _triangle("triu", x, k, lower=False)


def _triangle(op: str, x: Tensor, k: int, lower: bool) -> Tensor:
    held = primitive(op, x)
    if held.ndim < 2:
        raise ShapeError(f"{op}: needs at least two dimensions, got {list(held.shape)}.")
    diagonal = np.arange(held.shape[-1]) - np.arange(held.shape[-2])[:, None]
    k = min(max(integer(op, "k", k), -held.shape[-2]), held.shape[-1])  # beyond lies nothing
    kept = diagonal <= k if lower else diagonal >= k
    return _tensor.wrap(x.device.backend.where(kept, held, np.zeros((), held.dtype)), x.device)
