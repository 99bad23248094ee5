"""Functions that change the shape and keep the elements, and those that join and part tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import _tensor
from backburner.contracts import Pair, Shape
from backburner.device import merge
from backburner.errors import ArgumentError, AxisError, DTypeError, ShapeError
from backburner.ops._operands import (
    MOST_RANKS,
    Axis,
    all_axes,
    broadcast_shape,
    element,
    flag,
    integer,
    one_axis,
    pad_widths,
    primitive,
    rank,
    same_dtypes,
    shape_of,
)

if TYPE_CHECKING:
    from backburner._tensor import Tensor

PAD_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
_ALL, _BACKWARDS = slice(None), slice(None, None, -1)


def reshape(x: Tensor, /, shape: int | Sequence[int], *sizes: int, copy: bool | None = None) -> Tensor:
    """Return the elements in row-major order under another shape; one size may be ``-1``.

    Args:
        x: a tensor.
        shape: the sizes: one sequence, or each as an argument of its own, ``x.reshape(-1, 4)``.
        sizes: those after the first.
        copy: ``False`` refuses to copy. Otherwise memory is shared where that can be, which shows nowhere.

    Shape:
        The result has ``shape``, of as many elements as x.

    Raises:
        ShapeError: the numbers of elements differ.
        ArgumentError: ``copy=False`` and there is no way without one.
    """
    held = x._primitive if isinstance(x, _tensor.Tensor) else primitive("reshape", x)
    if sizes:
        shape = (shape, *sizes)  # type: ignore[arg-type]  # a sequence in it is refused below
    if copy is not None:
        copy = flag("reshape", "copy", copy)
    device = x.device
    y = _tensor.wrap(device.backend.reshape(held, shape=_resolved(held, shape)), device)
    if copy is False and held.size and not np.may_share_memory(x.numpy(), y.numpy()):
        raise ArgumentError(
            f"reshape: {list(held.shape)} to {list(y.shape)} takes a copy. Leave out copy=False."
        )
    return y


def _resolved(held: Any, shape: int | Sequence[int]) -> Shape:
    given = shape if isinstance(shape, (tuple, list, Sequence)) else (shape,)
    size, count = held.size, 1
    for n in given:
        if n.__class__ is not int:
            break
        count *= n
    else:  # the usual cases at little cost; any other is looked at below
        if len(given) > MOST_RANKS:
            pass
        elif count == size:
            if not given or min(given) >= 0:
                return tuple(given)
        elif count < 0 and not size % count and given.count(-1) == 1 and min(given) == -1:
            place = given.index(-1)
            return (*given[:place], size // -count, *given[place + 1 :])
    sizes = [n if n.__class__ is int else integer("reshape", "a size", n) for n in given]
    rank("reshape", len(sizes))
    if -1 in sizes and sizes.count(-1) == 1:
        known = -math.prod(sizes)
        sizes[sizes.index(-1)] = size // known if known > 0 else -1
    if math.prod(sizes) != size or (sizes and min(sizes) < 0):
        raise ShapeError(
            f"reshape: {list(held.shape)} has {held.size} elements and does not fit {list(given)}."
        )
    return tuple(sizes)


def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    """Return a tensor whose axis ``i`` is axis ``axes[i]`` of ``x``.

    Shape:
        The axes of x in the order of ``axes``.

    Raises:
        AxisError: ``axes`` is not a permutation.
    """
    held = primitive("permute_dims", x)
    if not isinstance(axes, (tuple, list, Sequence)):
        raise AxisError(f"permute_dims: axes must be a sequence, got {axes!r}.")
    ndim = held.ndim
    order = tuple(axes)
    for a in order:
        if a.__class__ is not int or not 0 <= a < ndim:
            order = tuple([one_axis("permute_dims", a, ndim) for a in axes])
            break
    if len(order) != ndim or len(set(order)) != ndim:
        raise AxisError(f"permute_dims: {tuple(axes)} is not a permutation of {ndim} axes.")
    return _tensor.wrap(x.device.backend.permute_dims(held, axes=order), x.device)


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Return ``x`` with its last two axes exchanged.

    Shape:
        x ``[..., n, m]``; result ``[..., m, n]``.

    Raises:
        ShapeError: ``x`` has fewer than two dimensions.
    """
    held = primitive("matrix_transpose", x)
    ndim = held.ndim
    if ndim < 2:
        raise ShapeError(f"matrix_transpose: needs at least two dimensions, got {list(x.shape)}.")
    axes = (1, 0) if ndim == 2 else (*range(ndim - 2), ndim - 1, ndim - 2)
    return _tensor.wrap(x.device.backend.permute_dims(held, axes=axes), x.device)


def expand_dims(x: Tensor, /, axis: int | Sequence[int] = 0) -> Tensor:
    """Return ``x`` with new axes of size 1 at the places that ``axis`` names in the result.

    Shape:
        x ``[a..., b...]``; result ``[a..., 1, b...]``.
    """
    held = primitive("expand_dims", x)
    named: Any = axis
    if named.__class__ is int and held.ndim < MOST_RANKS:
        shape = held.shape
        place = one_axis("expand_dims", named, len(shape) + 1)
        shape = shape[:place] + (1,) + shape[place:]
        return _tensor.wrap(x.device.backend.reshape(held, shape=shape), x.device)
    new = 1 if isinstance(axis, int) or not isinstance(axis, (tuple, list, Sequence)) else len(axis)
    rank("expand_dims", held.ndim + new)
    sizes = list(held.shape)
    for place in all_axes("expand_dims", axis, held.ndim + new):
        sizes.insert(place, 1)
    return _tensor.wrap(x.device.backend.reshape(held, shape=tuple(sizes)), x.device)


def squeeze(x: Tensor, /, axis: Axis = None) -> Tensor:
    """Return ``x`` without the named axes, which have size 1; by default without all that do.

    Shape:
        x ``[a..., 1, b...]``; result ``[a..., b...]``.

    Raises:
        ShapeError: a named axis has another size.
    """
    held = primitive("squeeze", x)
    if axis is None:
        shape = tuple(n for n in held.shape if n != 1)
    else:
        places = all_axes("squeeze", axis, held.ndim)
        if any(held.shape[a] != 1 for a in places):
            raise ShapeError(f"squeeze: axis {axis} of {list(held.shape)} has not size 1.")
        shape = tuple(n for i, n in enumerate(held.shape) if i not in places)
    return _tensor.wrap(x.device.backend.reshape(held, shape=shape), x.device)


def flatten(x: Tensor, /, start_axis: int = 0, end_axis: int = -1) -> Tensor:
    """Return ``x`` with the axes from ``start_axis`` through ``end_axis`` made one; a 0-d tensor becomes 1-d.

    Shape:
        x ``[a..., n, ..., m, b...]``; result ``[a..., n * ... * m, b...]``.
    """
    held = primitive("flatten", x)
    shape = held.shape
    ndim = len(shape)
    if not ndim:
        return reshape(x, (1,))
    start, end = one_axis("flatten", start_axis, ndim), one_axis("flatten", end_axis, ndim)
    if start > end:
        raise AxisError(f"flatten: start_axis {start_axis} comes after end_axis {end_axis}.")
    flat = shape[:start] + (math.prod(shape[start : end + 1]),) + shape[end + 1 :]
    return _tensor.wrap(x.device.backend.reshape(held, shape=flat), x.device)


def broadcast_to(x: Tensor, /, shape: int | Sequence[int]) -> Tensor:
    """Return ``x`` repeated along axes of size 1 and new leading ones, without a copy.

    Shape:
        The result has ``shape``.

    Raises:
        ShapeError: ``x`` does not broadcast to ``shape``.
    """
    held = primitive("broadcast_to", x)
    if isinstance(shape, (tuple, list)) and -1 in shape:
        raise ShapeError(f"broadcast_to: -1 is no size, in {list(shape)}. Take it from {list(held.shape)}.")
    wanted = shape_of("broadcast_to", shape)
    sizes = held.shape
    if wanted[len(wanted) - len(sizes) :] != sizes and (
        len(sizes) > len(wanted) or broadcast_shape("broadcast_to", sizes, wanted) != wanted
    ):
        raise ShapeError(f"broadcast_to: {list(held.shape)} does not broadcast to {list(wanted)}.")
    return _tensor.wrap(x.device.backend.broadcast_to(held, shape=wanted), x.device)


def _sequence(op: str, xs: Sequence[Tensor]) -> Sequence[Tensor]:
    """Return what must be a sequence of tensors, to be joined."""
    if not isinstance(xs, (tuple, list, Sequence)) or not xs:
        raise ArgumentError(f"{op}: needs a sequence of at least one tensor. Give a list, {op}([x, y]).")
    return xs


def concat(xs: Sequence[Tensor], /, axis: int | None = 0) -> Tensor:
    """Return tensors joined along an axis they have; ``axis=None`` flattens them first.

    Shape:
        Inputs ``[a..., n_i, b...]``; result ``[a..., sum(n_i), b...]``.

    Raises:
        ShapeError: shapes differ in another axis, or a tensor is 0-d.
    """
    if axis is None:
        xs, axis = [flatten(x) for x in _sequence("concat", xs)], 0
    held, device = same_dtypes("concat", xs)
    first = held[0].shape
    place = one_axis("concat", axis, len(first))
    for other in held:
        shape = other.shape
        if shape != first and (
            len(shape) != len(first)
            or shape[:place] != first[:place]
            or shape[place + 1 :] != first[place + 1 :]
        ):
            raise ShapeError(
                f"concat: shapes differ outside of axis {axis}: {', '.join(str(list(x.shape)) for x in held)}"
            )
    return _tensor.wrap(device.backend.concat(*held, axis=place), device)


def stack(xs: Sequence[Tensor], /, axis: int = 0) -> Tensor:
    """Return equally shaped tensors joined along a new axis.

    Shape:
        Inputs ``[a..., b...]``; result ``[a..., k, b...]`` of ``k`` of them.

    Raises:
        ShapeError: shapes differ.
    """
    held, device = same_dtypes("stack", xs)
    shape = held[0].shape
    for other in held:
        if other.shape != shape:
            raise ShapeError(f"stack: shapes differ: {', '.join(str(list(x.shape)) for x in held)}")
    rank("stack", len(shape) + 1)
    place = one_axis("stack", axis, len(shape) + 1)
    return _tensor.wrap(device.backend.stack(*held, axis=place), device)


def split(x: Tensor, /, sizes: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Return parts of ``x`` along ``axis``.

    Args:
        x: a tensor.
        sizes: how long each part is; an int for parts of one size, the last of which may be shorter.
        axis: the axis that is parted.

    Shape:
        x ``[a..., n, b...]``; each result ``[a..., n_i, b...]``.

    Raises:
        ShapeError: the sizes do not add up to the length of the axis.
    """
    held = primitive("split", x)
    shape = held.shape
    place = one_axis("split", axis, len(shape))
    length = shape[place]
    if sizes.__class__ is not int and isinstance(sizes, Sequence):
        parts = shape_of("split", sizes)
    else:
        size = integer("split", "the size of a part", sizes)
        if size < 1:
            raise ArgumentError(f"split: the size of a part must be positive, got {size}.")
        whole, rest = divmod(length, size)
        parts = (size,) * whole + ((rest,) if rest or not whole else ())
    if sum(parts) != length:
        raise ShapeError(f"split: {list(parts)} does not add up to {length}, the length of axis {axis}.")
    if not parts:
        return ()
    found = x.device.backend.split(held, sizes=parts, axis=place)
    device = x.device
    return tuple([_tensor.wrap(part, device) for part in found])


def pad(
    x: Tensor,
    /,
    pad_width: int | Pair | Sequence[Pair],
    mode: str = "constant",
    constant_values: float = 0,
) -> Tensor:
    """Return ``x`` in a frame, of one value or of what is inside; ``nn.functional.pad`` takes PyTorch's arguments.

    Args:
        x: a tensor.
        pad_width: as ``numpy.pad`` takes it: ``(before, after)`` for each axis, one pair or one int for all.
        mode: ``"constant"``; ``"edge"``, the outermost entry; ``"reflect"`` and ``"symmetric"``, a mirror image
            without and with that entry; or ``"wrap"``, what is at the other end.
        constant_values: the value of ``"constant"``.

    Raises:
        ShapeError: there is not one pair for each axis, or an axis is empty and has nothing to repeat.
        ArgumentError: a width is negative, there is no such mode, or it takes no value.
    """
    held = primitive("pad", x)
    if not isinstance(mode, str) or mode not in PAD_MODES:
        raise ArgumentError(f"pad: there is no mode {mode!r}. Use one of {', '.join(PAD_MODES)}.")
    widths = pad_widths(pad_width, held.ndim)
    if len(widths) != held.ndim:
        raise ShapeError(f"pad: {len(widths)} pairs for the {held.ndim} axes of {list(held.shape)}.")
    if any(n < 0 for pair in widths for n in pair):
        raise ArgumentError(f"pad: a width is negative: {widths}. Use a slice to cut.")
    shape_of("pad", [before + n + after for n, (before, after) in zip(held.shape, widths, strict=True)])
    value = element("pad", "constant_values", constant_values, held.dtype)
    if mode != "constant":
        if value:
            raise ArgumentError(f"pad: mode {mode!r} takes no value, got {constant_values!r}.")
        if any(n == 0 and sum(pair) for n, pair in zip(held.shape, widths, strict=True)):
            raise ShapeError(
                f"pad: mode {mode!r} has nothing to repeat along an empty axis: {list(held.shape)}."
            )
    return _tensor.wrap(x.device.backend.pad(held, pad_width=widths, value=value, mode=mode), x.device)


def flip(x: Tensor, /, axis: Axis = None) -> Tensor:
    """Return ``x`` with the order of its elements reversed along the named axes, by default along all.

    Shape:
        x and the result ``[...]``.
    """
    held = primitive("flip", x)
    places = all_axes("flip", axis, held.ndim)
    if not places:
        return x
    index = tuple(_BACKWARDS if i in places else _ALL for i in range(held.ndim))
    return _tensor.wrap(x.device.backend.getitem(held, index=index), x.device)


def roll(x: Tensor, /, shift: int | Sequence[int], axis: Axis = None) -> Tensor:
    """Return ``x`` moved along axes; what leaves at an end comes in at the other.

    Args:
        x: a tensor.
        shift: by how many places, towards the end where it is positive; one for all axes, or one for each.
        axis: the axes, of which one may be named twice; by default ``x`` is rolled as if flat.

    Shape:
        x and the result ``[...]``.

    Raises:
        ShapeError: there is not one shift for each axis.
    """
    held = primitive("roll", x)
    if axis is None:
        if isinstance(shift, Sequence):
            raise ShapeError(f"roll: {len(shift)} shifts and no axes. Name them with axis.")
        return reshape(roll(reshape(x, -1 if held.size else 0), shift, 0), held.shape)
    axes = axis if isinstance(axis, Sequence) else (axis,)
    shifts = shift if isinstance(shift, Sequence) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise ShapeError(f"roll: {len(shifts)} shifts for {len(axes)} axes.")
    backend = x.device.backend
    for by, name in zip(shifts, axes, strict=True):
        place, by = one_axis("roll", name, held.ndim), integer("roll", "shift", by)
        length = held.shape[place]
        by = by % length if length else 0
        if by:
            first, second = backend.split(held, sizes=(length - by, by), axis=place)
            held = backend.concat(second, first, axis=place)
    return _tensor.wrap(held, x.device)


def repeat(x: Tensor, repeats: int | Sequence[int] | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Return ``x`` with each entry along ``axis`` repeated; by default the elements of ``x`` as if flat.

    Args:
        x: a tensor.
        repeats: how often; one number for all entries, or one for each.
        axis: the axis.

    Shape:
        x ``[a..., n, b...]``; result ``[a..., sum(repeats), b...]``.

    Raises:
        ShapeError: there is not one number for each entry.
        ArgumentError: a number is negative.
    """
    held = primitive("repeat", x)
    if axis is None:
        x = reshape(x, held.size)
        held, axis = x._primitive, 0
    place = one_axis("repeat", axis, held.ndim)
    length = held.shape[place]
    if isinstance(repeats, _tensor.Tensor):
        if repeats.dtype.kind not in "iu" or repeats.ndim > 1:
            raise DTypeError(
                f"repeat: repeats must be integers of at most one dimension, got {repeats.dtype} of "
                f"{list(repeats.shape)}."
            )
        device = merge("repeat", x.device, repeats.device)
        repeats = repeats.tolist()
    else:
        device = x.device
    if isinstance(repeats, Sequence):
        counts = [integer("repeat", "repeats", n) for n in repeats]
        if len(counts) == 1:
            counts *= length
    else:
        counts = [integer("repeat", "repeats", repeats)] * length
    if len(counts) != length:
        raise ShapeError(f"repeat: {len(counts)} repeats for the {length} entries of axis {axis}.")
    if counts and min(counts) < 0:
        raise ArgumentError(f"repeat: repeats must not be negative, got {min(counts)}.")
    shape = shape_of("repeat", (*held.shape[:place], sum(counts), *held.shape[place + 1 :]))
    if len(set(counts)) > 1:
        indices = np.repeat(np.arange(length), counts)
        return _tensor.wrap(device.backend.take(held, indices, axis=place), device)
    rank("repeat", held.ndim + 1)
    each = counts[0] if counts else 0
    held = device.backend.reshape(held, shape=(*held.shape[: place + 1], 1, *held.shape[place + 1 :]))
    wide = (*held.shape[: place + 1], each, *held.shape[place + 2 :])
    return _tensor.wrap(
        device.backend.reshape(device.backend.broadcast_to(held, shape=wide), shape=shape), device
    )


def tile(x: Tensor, repetitions: int | Sequence[int], /) -> Tensor:
    """Return copies of ``x`` laid side by side, ``repetitions[i]`` of them along axis ``i``.

    Where there are fewer repetitions than axes they count for the last axes; where there are more, ``x`` gets
    new leading axes.

    Shape:
        x ``[n, ...]``; result ``[n * repetitions[0], ...]``.
    """
    held = primitive("tile", x)
    counts = shape_of("tile", repetitions)
    ndim = max(held.ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    sizes = (1,) * (ndim - held.ndim) + held.shape
    shape = shape_of("tile", [n * count for n, count in zip(sizes, counts, strict=True)])
    backend = x.device.backend
    held = backend.reshape(held, shape=sizes)
    for axis, count in enumerate(counts):
        if count == 0:
            held = backend.split(held, sizes=(0, sizes[axis]), axis=axis)[0]
        elif count > 1:
            held = backend.concat(*(held,) * count, axis=axis)
    return _tensor.wrap(backend.reshape(held, shape=shape), x.device)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the entries of ``x`` along ``axis``, which they lose: what ``stack`` joined.

    Shape:
        x ``[a..., k, b...]``; ``k`` results ``[a..., b...]``.

    Raises:
        AxisError: ``x`` is 0-d, or has no such axis.
    """
    held = primitive("unstack", x)
    place = one_axis("unstack", axis, held.ndim)
    if not held.shape[place]:
        return ()
    shape = (*held.shape[:place], *held.shape[place + 1 :])
    backend = x.device.backend
    parts = backend.split(held, sizes=(1,) * held.shape[place], axis=place)
    return tuple(_tensor.wrap(backend.reshape(part, shape=shape), x.device) for part in parts)


def moveaxis(x: Tensor, source: int | Sequence[int], destination: int | Sequence[int], /) -> Tensor:
    """Return ``x`` with the axes ``source`` at the places ``destination``; the others keep their order.

    Shape:
        The axes of x in another order.

    Raises:
        AxisError: there are not as many places as axes, or one is named twice.
    """
    held = primitive("moveaxis", x)
    froms, tos = (
        [one_axis("moveaxis", a, held.ndim) for a in (axes if isinstance(axes, Sequence) else (axes,))]
        for axes in (source, destination)
    )
    if len(froms) != len(tos) or len(set(froms)) != len(froms) or len(set(tos)) != len(tos):
        raise AxisError(f"moveaxis: axes {source} cannot go to {destination}: name as many, and each once.")
    order = [a for a in range(held.ndim) if a not in froms]
    for to, start in sorted(zip(tos, froms, strict=True)):
        order.insert(to, start)
    return _tensor.wrap(x.device.backend.permute_dims(held, axes=tuple(order)), x.device)


def swapaxes(x: Tensor, axis1: int, axis2: int, /) -> Tensor:
    """Return ``x`` with two axes exchanged.

    Shape:
        x ``[..., n, ..., m, ...]``; result ``[..., m, ..., n, ...]``.
    """
    held = primitive("swapaxes", x)
    ndim = held.ndim
    first, second = one_axis("swapaxes", axis1, ndim), one_axis("swapaxes", axis2, ndim)
    order = list(range(ndim))
    order[first], order[second] = second, first
    return _tensor.wrap(x.device.backend.permute_dims(held, axes=tuple(order)), x.device)


def broadcast_arrays(*xs: Tensor) -> tuple[Tensor, ...]:
    """Return the tensors repeated to the one shape that all of them broadcast to, without a copy.

    Shape:
        Each result has the shape that all broadcast to.

    Raises:
        ShapeError: they do not broadcast.
    """
    shape: Shape = ()
    for x in xs:
        shape = broadcast_shape("broadcast_arrays", shape, primitive("broadcast_arrays", x).shape)
    return tuple(broadcast_to(x, shape) for x in xs)
