"""Max pooling: the largest element of each window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.dtype import DEFAULT_FLOAT
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import Size, per_axis
from backburner.nn.functional._windows import Many, OutputSize, batch, fitting, parts, unbatched, window
from backburner.ops._operands import flag, number, numeric, primitive


@overload
def max_pool1d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = False,
) -> Tensor: ...  # fmt: skip
@overload
def max_pool1d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any: ...  # fmt: skip
def max_pool1d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Return the largest element of each window of a line; see ``max_pool2d``.

    Shape:
        x ``[n, c, l]`` or ``[c, l]``; result, and indices in ``[0, l)``, ``[n, c, o]`` or ``[c, o]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded input.
    """
    return _pool("max_pool1d", 1, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def max_pool2d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = False,
) -> Tensor: ...  # fmt: skip
@overload
def max_pool2d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any: ...  # fmt: skip
def max_pool2d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Return the largest element of each window; of equal ones the first, in row-major order, gets the gradient.

    NaN is larger than any number; of several the last counts, as in PyTorch.

    Args:
        x: the images.
        kernel_size: the size of a window; like the next three one int, or one for each spatial axis.
        stride: the step between windows, by default their size.
        padding: how far windows reach over each side, at most half their size. No value is there.
        dilation: the distance between the taps of a window.
        ceil_mode: let a last window hang over the end, if it starts inside the image or its left padding.
        return_indices: return the indices too, int64, of the elements in the flattened image, as ``max_unpool2d``
            takes them; -1 where a window of a dilated kernel meets no element.

    Shape:
        x ``[n, c, h, w]`` or ``[c, h, w]``; result, and indices in ``[0, h * w)``, ``[n, c, oh, ow]`` or
        ``[c, oh, ow]``, with ``oh = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1``, or rounded up with
        ``ceil_mode``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded image.
    """
    return _pool("max_pool2d", 2, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def max_pool3d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: Literal[False] = False,
) -> Tensor: ...  # fmt: skip
@overload
def max_pool3d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any: ...  # fmt: skip
def max_pool3d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Return the largest element of each window of a volume; see ``max_pool2d``.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``; result, and indices in ``[0, d * h * w)``,
        ``[n, c, od, oh, ow]`` or ``[c, od, oh, ow]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded input.
    """
    return _pool("max_pool3d", 3, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def adaptive_max_pool1d(
    x: Tensor, output_size: OutputSize, return_indices: Literal[False] = False
) -> Tensor: ...
@overload
def adaptive_max_pool1d(x: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any: ...
def adaptive_max_pool1d(x: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any:
    """Return the largest element of each of ``output_size`` parts of a line; see ``adaptive_max_pool2d``.

    Shape:
        x ``[n, c, l]`` or ``[c, l]``; result, and indices in ``[0, l)``, ``[n, c, o]`` or ``[c, o]``.

    Raises:
        ArgumentError: ``output_size`` is not positive.
        ShapeError: the input has another rank, or no elements to pool.
    """
    return _adaptive("adaptive_max_pool1d", 1, x, output_size, return_indices)


@overload
def adaptive_max_pool2d(
    x: Tensor, output_size: OutputSize, return_indices: Literal[False] = False
) -> Tensor: ...
@overload
def adaptive_max_pool2d(x: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any: ...
def adaptive_max_pool2d(x: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any:
    """Return the largest element of each window, with windows such that there are ``output_size`` of them.

    Of ``o`` windows along an axis of ``n`` the ``i``-th goes from ``floor(i * n / o)`` to before
    ``ceil((i + 1) * n / o)``. Ties and NaN are as in ``max_pool2d``.

    Args:
        x: the images.
        output_size: one int, or one for each spatial axis; ``None`` keeps the size of an axis.
        return_indices: see ``max_pool2d``.

    Shape:
        x ``[n, c, h, w]`` or ``[c, h, w]``; result, and indices in ``[0, h * w)``, ``[n, c, *output_size]`` or
        ``[c, *output_size]``.

    Raises:
        ArgumentError: ``output_size`` is not positive.
        ShapeError: the input has another rank, or no elements to pool.
    """
    return _adaptive("adaptive_max_pool2d", 2, x, output_size, return_indices)


@overload
def adaptive_max_pool3d(
    x: Tensor, output_size: OutputSize, return_indices: Literal[False] = False
) -> Tensor: ...
@overload
def adaptive_max_pool3d(x: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any: ...
def adaptive_max_pool3d(x: Tensor, output_size: OutputSize, return_indices: bool = False) -> Any:
    """Return the largest element of each of ``output_size`` parts of a volume; see ``adaptive_max_pool2d``.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``; result, and indices in ``[0, d * h * w)``,
        ``[n, c, *output_size]`` or ``[c, *output_size]``.

    Raises:
        ArgumentError: ``output_size`` is not positive.
        ShapeError: the input has another rank, or no elements to pool.
    """
    return _adaptive("adaptive_max_pool3d", 3, x, output_size, return_indices)


def _pool(
    op: str, count: int, x: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size,
    ceil_mode: bool, return_indices: bool,
) -> Any:  # fmt: skip
    kernel, steps, frame = window(op, count, kernel_size, stride, padding)
    gaps = per_axis(op, "dilation", dilation, count, 1)
    overhang, wanted = flag(op, "ceil_mode", ceil_mode), flag(op, "return_indices", return_indices)
    held = numeric(op, x)
    backend = x.device.backend
    held, single = batch(op, held, backend, count)
    fitting(op, held, kernel, steps, frame, gaps, overhang)
    out, indices = largest(backend, held, kernel, steps, frame, gaps, overhang, wanted)
    return _result(x.device, out, indices, single)


def _result(device: Device, out: Any, indices: Array | None, single: bool) -> Any:
    values = Tensor(unbatched(device.backend, out, single), device)
    if indices is None:
        return values
    return values, Tensor(indices.reshape(indices.shape[1:]) if single else indices, device)


def largest(
    backend: Any, held: Any, kernel: Many, steps: Many, frame: Many, gaps: Many,
    ceil_mode: bool = False, return_indices: bool = False,
) -> tuple[Any, Array | None]:  # fmt: skip
    """Return the largest element of each window of ``[n, c, ...]``, and where asked for its index."""

    def plane(held: Any, *window: Many) -> Any:
        names = ("kernel_size", "stride", "padding", "dilation")
        options = dict(zip(names, window, strict=True))
        return backend.max_pool2d(held, ceil_mode=ceil_mode, return_indices=return_indices, **options)

    n, c, *space = held.shape
    if len(space) == 2:
        return plane(held, kernel, steps, frame, gaps)  # type: ignore[no-any-return]
    if len(space) == 1:
        line = backend.reshape(held, shape=(n, c, 1, space[0]))
        out, indices = plane(line, (1, *kernel), (1, *steps), (0, *frame), (1, *gaps))
        line = (n, c, out.shape[3])
        return backend.reshape(out, shape=line), indices if indices is None else indices.reshape(line)
    # Frames first and then over the depth: of equals the first is in the first frame, where it comes first.
    d, h, w = space
    frames = backend.reshape(held, shape=(n, c * d, h, w))
    inner, within = plane(frames, kernel[1:], steps[1:], frame[1:], gaps[1:])
    oh, ow = inner.shape[2:]
    inner = backend.reshape(inner, shape=(n, c, d, oh * ow))
    out, among = plane(inner, (kernel[0], 1), (steps[0], 1), (frame[0], 0), (gaps[0], 1))
    shape = (n, c, out.shape[2], oh, ow)
    out = backend.reshape(out, shape=shape)
    if within is None:
        return out, None
    places = np.asarray(among).reshape(n, c, shape[2] * oh * ow)
    within = np.take_along_axis(within.reshape(n, c, d * oh * ow), np.maximum(places, 0), 2)
    indices = np.where((places < 0) | (within < 0), -1, places // max(oh * ow, 1) * (h * w) + within)
    return out, indices.reshape(shape)


def _adaptive(op: str, count: int, x: Tensor, output_size: OutputSize, return_indices: bool) -> Any:
    held = numeric(op, x)
    held, single = batch(op, held, x.device.backend, count)
    space = held.shape[2:]
    wanted = parts(op, held, output_size, count)
    places = []
    for o, n in zip(wanted, space, strict=True):
        windows = np.arange(o)
        starts, ends = windows * n // o, -((windows + 1) * -n // o)
        taps = np.arange((ends - starts).max())
        # a window that is shorter than others meets its last element again, which changes nothing
        places.append(np.minimum(starts[:, None] + taps, ends[:, None] - 1))
    return _result(
        x.device, *_of_places(x.device, held, places, flag(op, "return_indices", return_indices)), single
    )


def _of_places(
    device: Device, held: Any, places: list[Array], return_indices: bool
) -> tuple[Any, Array | None]:
    """Return the largest element of windows that stand anywhere, and where asked for its index.

    Args:
        device: where ``held`` is.
        held: ``[n, c, ...]``.
        places: for each spatial axis where the taps of its windows stand, ``[o, k]``, or in each plane
            ``[n, c, o, k]``.
        return_indices: whether to.
    """
    backend = device.backend
    n, c, *space = held.shape
    ones, zeros = (1,) * len(places), (0,) * len(places)
    lines = [p.reshape(*p.shape[:-2], p.shape[-2] * p.shape[-1]) for p in places]
    taken = held
    for axis, line in enumerate(lines, 2):
        taken = _taken(backend, taken, line, axis)
    kernel = tuple(p.shape[-1] for p in places)
    # A gradient need not go back through copies of the input: by the indices it gets there in one step.
    direct = taken is held or not Tensor(held, device).is_tracked()
    out, indices = largest(
        backend, taken, kernel, kernel, zeros, ones, return_indices=return_indices or not direct
    )
    if indices is None:
        return out, None
    found = np.zeros((n, c, math.prod(indices.shape[2:])), np.int64)
    for size, line, along in zip(space, lines, np.unravel_index(indices, taken.shape[2:]), strict=True):
        along = along.reshape(found.shape)
        found = found * size + (line[along] if line.ndim == 1 else np.take_along_axis(line, along, 2))
    if not direct:
        flat = backend.reshape(held, shape=(n, c, math.prod(space)))
        out = backend.reshape(backend.take_along_axis(flat, found, axis=2), shape=indices.shape)
    return out, found.reshape(indices.shape) if return_indices else None


def _taken(backend: Any, held: Any, line: Array, axis: int) -> Any:
    """Return the entries ``line`` along an axis of ``[n, c, ...]``, the same in all planes or its own in each."""
    if line.ndim == 3:
        index = line.reshape(
            *line.shape[:2], *(line.shape[2] if i == axis else 1 for i in range(2, held.ndim))
        )
        index = np.broadcast_to(index, (*held.shape[:axis], line.shape[2], *held.shape[axis + 1 :]))
        return backend.take_along_axis(held, index, axis=axis)
    if np.array_equal(line, np.arange(held.shape[axis])):
        return held
    return backend.take(held, line, axis=axis)


Ratio = float | Sequence[float]


def fractional_max_pool2d(
    x: Tensor, kernel_size: Size, output_size: Size | None = None, output_ratio: Ratio | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """Return the largest element of each window, with steps that vary at random between them (Graham 2014).

    Each image and channel has steps of its own, from one number in ``[0, 1)`` for each axis, which are drawn by a
    seed of the device's stream. Ties and NaN are as in ``max_pool2d``.

    Args:
        x: the images.
        kernel_size: the size of a window: one int, or one for each spatial axis.
        output_size: how many windows there are: one int, or one for each spatial axis.
        output_ratio: their number as a fraction of the size of the input, in place of ``output_size``.
        return_indices: see ``max_pool2d``.
        _random_samples: the random numbers, where they are known; the first is for the width.

    Shape:
        x ``[n, c, h, w]`` or ``[c, h, w]``, _random_samples ``[n, c, 2]``; result, and indices in ``[0, h * w)``,
        ``[n, c, *output_size]`` or ``[c, *output_size]``.

    Raises:
        ArgumentError: neither or both of ``output_size`` and ``output_ratio`` are given, or one makes no sense.
        ShapeError: so many windows do not fit into the input.
    """
    options = (kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return _fractional("fractional_max_pool2d", 2, x, *options)


def fractional_max_pool3d(
    x: Tensor, kernel_size: Size, output_size: Size | None = None, output_ratio: Ratio | None = None,
    return_indices: bool = False, _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """Return the largest element of each window, with steps that vary at random; see ``fractional_max_pool2d``.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``, _random_samples ``[n, c, 3]``, for ``d, h, w``; result, and
        indices in ``[0, d * h * w)``, ``[n, c, *output_size]`` or ``[c, *output_size]``.

    Raises:
        ArgumentError: neither or both of ``output_size`` and ``output_ratio`` are given, or one makes no sense.
        ShapeError: so many windows do not fit into the input.
    """
    options = (kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return _fractional("fractional_max_pool3d", 3, x, *options)


def _fractional(
    op: str, count: int, x: Tensor, kernel_size: Size, output_size: Size | None, output_ratio: Ratio | None,
    return_indices: bool, samples: Tensor | None,
) -> Any:  # fmt: skip
    kernel = per_axis(op, "kernel_size", kernel_size, count, 1)
    held = numeric(op, x)
    held, single = batch(op, held, x.device.backend, count)
    space = held.shape[2:]
    if (output_size is None) == (output_ratio is None):
        raise ArgumentError(f"{op}: takes either output_size or output_ratio.")
    if output_ratio is not None:
        ratios = output_ratio if isinstance(output_ratio, Sequence) else (output_ratio,) * count
        fractions = [number(op, "output_ratio", r) for r in ratios]
        if len(fractions) != count or not all(0 < r < 1 for r in fractions):
            raise ArgumentError(
                f"{op}: output_ratio must be in (0, 1), one number or {count}: {output_ratio!r}."
            )
        output_size = [int(n * r) for n, r in zip(space, fractions, strict=True)]
    wanted = per_axis(op, "output_size", output_size or 0, count, 1)
    if any(o + k - 1 > n for o, k, n in zip(wanted, kernel, space, strict=True)):
        raise ShapeError(f"{op}: {list(wanted)} windows of {list(kernel)} do not fit into {list(space)}.")
    dtype = held.dtype if held.dtype.kind == "f" else DEFAULT_FLOAT
    shape = (*held.shape[:2], count)
    if samples is None:
        drawn = x.device.backend.random(
            distribution="uniform", shape=shape, dtype=dtype, options=(0.0, 1.0), seed=x.device.seeds.next()
        )
    else:
        primitive(f"{op}: _random_samples", samples)
        drawn = samples.detach().numpy().astype(dtype)
        if drawn.shape != shape or not ((drawn >= 0) & (drawn < 1)).all():
            raise ShapeError(f"{op}: _random_samples must be in [0, 1), of shape {list(shape)}.")
    if count == 2:
        drawn = drawn[..., ::-1]
    places = []
    for i, (n, k, o) in enumerate(zip(space, kernel, wanted, strict=True)):
        starts = np.full((*shape[:2], o), n - k)
        if o > 1:
            step, u = dtype.type((n - k) / (o - 1)), drawn[..., i, None]
            whole = ((np.arange(o - 1).astype(dtype) + u) * step).astype(np.int64)
            starts[..., :-1] = whole - (u * step).astype(np.int64)
        places.append(starts[..., None] + np.arange(k))
    return _result(
        x.device, *_of_places(x.device, held, places, flag(op, "return_indices", return_indices)), single
    )
