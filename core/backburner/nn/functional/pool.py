"""Average and power-average pooling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.errors import ArgumentError
from backburner.nn.functional._options import Size
from backburner.nn.functional._windows import Many, OutputSize, batch, fitting, parts, unbatched, window
from backburner.nn.functional.maxpool import largest
from backburner.ops._operands import flag, floating, integer, number


def avg_pool1d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0,
    ceil_mode: bool = False, count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """Return the mean of each window of a line; see ``avg_pool2d``.

    Shape:
        x ``[n, c, l]`` or ``[c, l]``; result ``[n, c, o]`` or ``[c, o]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded input.
    """
    return _average("avg_pool1d", 1, x, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """Return the mean of each window.

    Args:
        x: the images; integers are taken as float32.
        kernel_size: see ``max_pool2d``, as the next two.
        stride: the step between windows, by default their size.
        padding: zeros on either side, at most half the window.
        ceil_mode: let a last window hang over the end. The overhang never counts.
        count_include_pad: count the zeros of the padding as values.
        divisor_override: divide the sum of a window by this instead of the number of its values.

    Shape:
        See ``max_pool2d``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded image.
    """
    options = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return _average("avg_pool2d", 2, x, *options)


def avg_pool3d(
    x: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """Return the mean of each window of a volume; see ``avg_pool2d``.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``; result ``[n, c, od, oh, ow]`` or ``[c, od, oh, ow]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded input.
    """
    options = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return _average("avg_pool3d", 3, x, *options)


def adaptive_avg_pool1d(x: Tensor, output_size: OutputSize) -> Tensor:
    """Return the mean of each of ``output_size`` parts of a line; see ``adaptive_avg_pool2d``.

    Shape:
        x ``[n, c, l]`` or ``[c, l]``; result ``[n, c, output_size]`` or ``[c, output_size]``.

    Raises:
        ArgumentError: ``output_size`` is not positive.
        ShapeError: the input has another rank, or no elements to pool.
    """
    return _adaptive("adaptive_avg_pool1d", 1, x, output_size)


def adaptive_avg_pool2d(x: Tensor, output_size: OutputSize) -> Tensor:
    """Return the mean of each window, with the windows of ``adaptive_max_pool2d``.

    It is ``interpolate`` in mode ``"area"``; with ``output_size`` 1 the mean of an image.

    Args:
        x: the images; integers are taken as float32.
        output_size: one int, or one for each spatial axis; ``None`` keeps the size of an axis.

    Shape:
        x ``[n, c, h, w]`` or ``[c, h, w]``; result ``[n, c, *output_size]`` or ``[c, *output_size]``.

    Raises:
        ArgumentError: ``output_size`` is not positive.
        ShapeError: the input has another rank, or no elements to pool.
    """
    return _adaptive("adaptive_avg_pool2d", 2, x, output_size)


def adaptive_avg_pool3d(x: Tensor, output_size: OutputSize) -> Tensor:
    """Return the mean of each of ``output_size`` parts of a volume; see ``adaptive_avg_pool2d``.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``; result ``[n, c, *output_size]`` or ``[c, *output_size]``.

    Raises:
        ArgumentError: ``output_size`` is not positive.
        ShapeError: the input has another rank, or no elements to pool.
    """
    return _adaptive("adaptive_avg_pool3d", 3, x, output_size)


def lp_pool1d(
    x: Tensor, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
) -> Tensor:
    """Return the power average of each window of a line; see ``lp_pool2d``.

    Shape:
        x ``[n, c, l]`` or ``[c, l]``; result ``[n, c, o]`` or ``[c, o]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the input.
    """
    return _power("lp_pool1d", 1, x, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    x: Tensor, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
) -> Tensor:
    """Return ``sum(x ** norm_type) ** (1 / norm_type)`` of each window, as PyTorch has it.

    With ``norm_type`` 1 that is the sum, with infinity the largest ``abs(x)``, with minus infinity the smallest. Of
    a negative sum, as odd powers give it, there is no root: NaN. A window whose sum is 0 gets the gradient 0.

    Args:
        x: the images; integers are taken as float32.
        norm_type: the power, not 0.
        kernel_size: see ``max_pool2d``, as the next one.
        stride: the step between windows, by default their size.
        ceil_mode: let a last window hang over the end; its sum is scaled up as if it had all taps.

    Shape:
        See ``max_pool2d``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the image.
    """
    return _power("lp_pool2d", 2, x, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    x: Tensor, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
) -> Tensor:
    """Return the power average of each window of a volume; see ``lp_pool2d``.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``; result ``[n, c, od, oh, ow]`` or ``[c, od, oh, ow]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the input.
    """
    return _power("lp_pool3d", 3, x, norm_type, kernel_size, stride, ceil_mode)


def _average(
    op: str, count: int, x: Tensor, kernel_size: Size, stride: Size | None, padding: Size,
    ceil_mode: bool, count_include_pad: bool, divisor_override: int | None,
) -> Tensor:  # fmt: skip
    kernel, steps, frame = window(op, count, kernel_size, stride, padding)
    divisor = None
    if divisor_override is not None:
        divisor = integer(op, "divisor_override", divisor_override)
        if not 0 < abs(divisor) < 1 << 31:
            raise ArgumentError(f"{op}: divisor_override must be within 2^31 and not 0, got {divisor}.")
    overhang, padded = flag(op, "ceil_mode", ceil_mode), flag(op, "count_include_pad", count_include_pad)
    held = floating(op, x)
    backend = x.device.backend
    held, single = batch(op, held, backend, count)
    fitting(op, held, kernel, steps, frame, ceil_mode=overhang)
    out = _mean(backend, held, kernel, steps, frame, overhang, padded, divisor)
    return Tensor(unbatched(backend, out, single), x.device)


def _adaptive(op: str, count: int, x: Tensor, output_size: OutputSize) -> Tensor:
    held = floating(op, x)
    backend = x.device.backend
    held, single = batch(op, held, backend, count)
    wanted = parts(op, held, output_size, count)
    out = backend.interpolate(
        held, size=wanted, mode="area", ratios=(None,) * count, align_corners=False, antialias=False
    )
    return Tensor(unbatched(backend, out, single), x.device)


def _mean(
    backend: Any, held: Any, kernel: Many, steps: Many, frame: Many,
    ceil_mode: bool, count_include_pad: bool = True, divisor: int | None = None,
) -> Any:  # fmt: skip
    """Return the mean of each window of ``[n, c, ...]``."""

    def plane(held: Any, kernel: Many, steps: Many, frame: Many, divisor: int | None) -> Any:
        return backend.avg_pool2d(
            held, kernel_size=kernel, stride=steps, padding=frame, ceil_mode=ceil_mode,
            count_include_pad=count_include_pad, divisor_override=divisor,
        )  # fmt: skip

    n, c, *space = held.shape
    if len(space) == 2:
        return plane(held, kernel, steps, frame, divisor)
    if len(space) == 1:
        line = backend.reshape(held, shape=(n, c, 1, space[0]))
        out = plane(line, (1, *kernel), (1, *steps), (0, *frame), divisor)
        return backend.reshape(out, shape=(n, c, out.shape[3]))
    # Frames first and then over the depth: divisors of a mean multiply, and a sum has one of them 1.
    d, h, w = space
    frames = backend.reshape(held, shape=(n, c * d, h, w))
    inner = plane(frames, kernel[1:], steps[1:], frame[1:], divisor and 1)
    oh, ow = inner.shape[2:]
    inner = backend.reshape(inner, shape=(n, c, d, oh * ow))
    out = plane(inner, (kernel[0], 1), (steps[0], 1), (frame[0], 0), divisor)
    return backend.reshape(out, shape=(n, c, out.shape[2], oh, ow))


def _power(
    op: str, count: int, x: Tensor, norm_type: float, kernel_size: Size, stride: Size | None, ceil_mode: bool
) -> Tensor:
    kernel, steps, zeros = window(op, count, kernel_size, stride, 0)
    p = number(op, "norm_type", norm_type)
    if p == 0:
        raise ArgumentError(f"{op}: norm_type must not be 0, got {norm_type}.")
    held = floating(op, x)
    backend, dtype = x.device.backend, held.dtype
    held, single = batch(op, held, backend, count)
    overhang = flag(op, "ceil_mode", ceil_mode)
    fitting(op, held, kernel, steps, zeros, ceil_mode=overhang)
    if math.isinf(p):
        size = backend.abs(held) if p > 0 else backend.negative(backend.abs(held))
        out, _ = largest(backend, size, kernel, steps, zeros, (1,) * count, overhang)
        return Tensor(unbatched(backend, out if p > 0 else backend.negative(out), single), x.device)
    scale = _scale(Tensor(held, x.device).detach().numpy(), p, math.prod(kernel))
    if scale is not None:
        held = backend.divide(held, scale)
    powers = _powers(backend, held, p)
    if overhang:
        total = _mean(backend, powers, kernel, steps, zeros, True)
        total = backend.multiply(total, np.asarray(math.prod(kernel), dtype))
    else:
        total = _mean(backend, powers, kernel, steps, zeros, False, divisor=1)
    out = total if p == 1 else _root(backend, total, p)
    if scale is not None:
        out = backend.multiply(out, scale)
    return Tensor(unbatched(backend, out, single), x.device)


def _powers(backend: Any, held: Any, p: float) -> Any:
    """Return ``held ** p``; a small whole power by products, which take a fraction of the time."""
    if p not in (1, 2, 3, 4):
        return backend.pow(held, np.asarray(p, held.dtype))
    squares = backend.square(held) if p > 1 else held
    return backend.square(squares) if p == 4 else backend.multiply(squares, held) if p == 3 else squares


def _root(backend: Any, total: Any, p: float) -> Any:
    """Return ``total ** (1 / p)``, whose gradient is 0 where ``total`` is."""
    one, zero = np.ones((), total.dtype), np.zeros((), total.dtype)
    empty = backend.equal(total, zero)
    safe = backend.where(empty, one, total)
    root = safe
    if p in (2, 4):
        for _ in range(int(p) // 2):
            root = backend.sqrt(root)
    else:
        root = backend.pow(safe, np.asarray(1 / p, total.dtype))
    return backend.where(empty, zero if p > 0 else np.asarray(np.inf, total.dtype), root)


def _scale(x: Array, p: float, taps: int) -> Array | None:
    """Return the largest size of an element in each plane ``[n, c, ...]`` where its powers leave the range.

    It is 1 for a plane that needs no division by it, and ``None`` stands for all of them.
    """
    axes = tuple(range(2, x.ndim))
    size = np.maximum(x.max(axes, keepdims=True), -x.min(axes, keepdims=True))
    room = np.finfo(x.dtype).maxexp - 2 - math.log2(taps)
    with np.errstate(all="ignore"):
        needed = (np.abs(np.log2(size) * p) > room) & np.isfinite(size) & (size > 0)
    return np.where(needed, size, np.ones((), x.dtype)) if needed.any() else None
