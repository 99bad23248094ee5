"""Unpooling: elements go back to where max pooling took them from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from backburner._tensor import Tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import Size, per_axis
from backburner.nn.functional._windows import batch, unbatched
from backburner.ops._index import checked_indices, index_array, index_device
from backburner.ops._operands import numeric, shape_of


def max_unpool1d(
    x: Tensor, indices: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """Return a line with the elements of ``x`` at their indices, and 0 elsewhere; see ``max_unpool2d``.

    Shape:
        x ``[n, c, o]`` or ``[c, o]``, indices the same; result ``[n, c, l]`` or ``[c, l]``.

    Raises:
        IndexOutOfRange: an index is outside the result.
        ArgumentError: an option has a value that makes no sense.
        ShapeError: the indices are not of the shape of ``x``.
    """
    return _unpool("max_unpool1d", 1, x, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    x: Tensor, indices: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """Return images with the elements of ``x`` at their indices, and 0 elsewhere: a partial inverse of max pooling.

    Of several elements with one index the last stays, and alone gets the gradient.

    Args:
        x: what ``max_pool2d`` returned.
        indices: what it returned beside with ``return_indices``.
        kernel_size: what it was called with, as the next two.
        stride: by default the size of the windows.
        padding: of the input.
        output_size: the shape of the input, or of its spatial axes, which may differ by less than ``stride`` from
            the default, ``(o - 1) * stride - 2 * padding + kernel_size``.

    Shape:
        x ``[n, c, oh, ow]`` or ``[c, oh, ow]``, indices the same; result ``[n, c, h, w]`` or ``[c, h, w]``.

    Raises:
        IndexOutOfRange: an index is outside the result.
        ArgumentError: an option has a value that makes no sense.
        ShapeError: the indices are not of the shape of ``x``.
    """
    return _unpool("max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    x: Tensor, indices: Tensor, kernel_size: Size, stride: Size | None = None, padding: Size = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:  # fmt: skip
    """Return volumes with the elements of ``x`` at their indices, and 0 elsewhere; see ``max_unpool2d``.

    Shape:
        x ``[n, c, od, oh, ow]`` or ``[c, od, oh, ow]``, indices the same; result ``[n, c, d, h, w]`` or
        ``[c, d, h, w]``.

    Raises:
        IndexOutOfRange: an index is outside the result.
        ArgumentError: an option has a value that makes no sense.
        ShapeError: the indices are not of the shape of ``x``.
    """
    return _unpool("max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size)


def _unpool(
    op: str, count: int, x: Tensor, indices: Tensor, kernel_size: Size, stride: Size | None, padding: Size,
    output_size: Sequence[int] | None,
) -> Tensor:  # fmt: skip
    kernel = per_axis(op, "kernel_size", kernel_size, count, 1)
    steps = kernel if stride is None else per_axis(op, "stride", stride, count, 1)
    frame = per_axis(op, "padding", padding, count, 0)
    held = numeric(op, x)
    found = index_array(op, indices)
    if found.shape != held.shape:
        raise ShapeError(f"{op}: indices have the shape {list(found.shape)}, the input {list(held.shape)}.")
    device = index_device(op, x.device, indices)
    backend = device.backend
    held, single = batch(op, held, backend, count)
    n, c, *space = held.shape
    usual = [(o - 1) * s - 2 * p + k for o, s, p, k in zip(space, steps, frame, kernel, strict=True)]
    size = tuple(usual)
    if output_size is not None:
        many = (
            output_size[2:]
            if isinstance(output_size, Sequence) and len(output_size) == count + 2
            else output_size
        )
        size = per_axis(op, "output_size", many, count, 0)
        if any(abs(m - u) >= s for m, u, s in zip(size, usual, steps, strict=True)):
            raise ArgumentError(
                f"{op}: output_size {list(size)} must differ by less than the stride, {list(steps)}, from {usual}."
            )
    shape = shape_of(op, (n, c, *size))
    total = int(np.prod(size, dtype=np.int64))
    places = checked_indices(op, found, total, negative=False)
    rows = space[0], int(np.prod(space[1:], dtype=np.int64))
    out = backend.max_unpool2d(
        backend.reshape(held, shape=(n, c, *rows)), places.reshape(n, c, *rows), size=(1, total)
    )
    return Tensor(unbatched(backend, backend.reshape(out, shape=shape), single), device)
