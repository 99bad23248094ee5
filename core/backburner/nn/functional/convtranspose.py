"""Transposed convolutions."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import Size, parameter, per_axis
from backburner.nn.functional.conv import KERNELS, as_rows, batched, group_count, restored
from backburner.ops._operands import same_floats, shape_of


def conv_transpose1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """Spread each element of signals over a kernel, the adjoint of ``conv1d``.

    Args:
        x: the signals.
        weight: the kernels.
        bias: added to each output channel.
        stride: see ``conv_transpose2d``, as the rest.
        padding: how much is cut off on either side.
        output_padding: how much longer the result is at its end.
        groups: how many parts the channels are divided into.
        dilation: the distance between the taps of a kernel.

    Shape:
        x ``[n, c, l]`` or ``[c, l]``, weight ``[c, o / groups, k]``, bias ``[o]``; result ``[n, o, ol]``, with
        ``ol = (l - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1``.

    Raises:
        ShapeError: the shapes do not fit each other or ``groups``, or nothing is left of the result.
        ArgumentError: an option has a value that makes no sense.
    """
    return _spread("conv_transpose1d", 1, x, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """Spread each element of images over a kernel, the adjoint of ``conv2d``.

    What ``conv2d`` with the same options maps to the shape of ``x`` has the shape of the result, and
    ``output_padding`` says which of several such shapes is meant.

    Args:
        x: the images.
        weight: the kernels, input channels first.
        bias: added to each output channel.
        stride: the step between kernels; like the next two and ``dilation`` one int, or one for height and
            one for width.
        padding: how much of the result is cut off on either side.
        output_padding: how much larger the result is at its lower and right side; less than ``stride`` or
            ``dilation``.
        groups: how many parts the channels are divided into, each by itself.
        dilation: the distance between the taps of a kernel.

    Shape:
        x ``[n, c, h, w]`` or ``[c, h, w]``, weight ``[c, o / groups, kh, kw]``, bias ``[o]``; result
        ``[n, o, oh, ow]``, with
        ``oh = (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1``.

    Raises:
        ShapeError: the shapes do not fit each other or ``groups``, or nothing is left of the result.
        ArgumentError: an option has a value that makes no sense.
    """
    return _spread("conv_transpose2d", 2, x, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """Spread each element of volumes over a kernel, the adjoint of ``conv3d``.

    Args:
        x: the volumes.
        weight: the kernels, input channels first.
        bias: added to each output channel.
        stride: see ``conv_transpose2d``, as the rest; one int, or one each for depth, height and width.
        padding: how much of the result is cut off on either side.
        output_padding: how much larger the result is at the end of each axis.
        groups: how many parts the channels are divided into.
        dilation: the distance between the taps of a kernel.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``, weight ``[c, o / groups, kd, kh, kw]``, bias ``[o]``; result
        ``[n, o, od, oh, ow]``, each size as in ``conv_transpose2d``.

    Raises:
        ShapeError: the shapes do not fit each other or ``groups``, or nothing is left of the result.
        ArgumentError: an option has a value that makes no sense.
    """
    return _spread("conv_transpose3d", 3, x, weight, bias, stride, padding, output_padding, groups, dilation)


def _spread(
    op: str,
    axes: int,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size,
    output_padding: Size,
    groups: int,
    dilation: Size,
) -> Tensor:
    (held, w, b), device = same_floats(op, x, weight, bias, required=2)
    batch = batched(op, held, axes)
    steps, frame = per_axis(op, "stride", stride, axes, 1), per_axis(op, "padding", padding, axes, 0)
    gaps, more = (
        per_axis(op, "dilation", dilation, axes, 1),
        per_axis(op, "output_padding", output_padding, axes, 0),
    )
    if any(m >= max(s, d) for m, s, d in zip(more, steps, gaps, strict=True)):
        raise ArgumentError(
            f"{op}: output_padding must be less than stride or dilation, got {output_padding}, stride {stride}, "
            f"dilation {dilation}."
        )
    channels = held.shape[-axes - 1]
    groups = group_count(op, groups)
    if w.ndim != axes + 2 or w.shape[0] != channels or channels % groups or 0 in w.shape[2:]:
        raise ShapeError(
            f"{op}: weight {list(w.shape)} with groups={groups} does not fit the {channels} channels of "
            f"{list(held.shape)}: it must be [{channels}, o / groups, {KERNELS[axes]}], and groups divide {channels}."
        )
    outputs = w.shape[1] * groups
    parameter(op, "bias", b, (outputs,))
    size = [
        (n - 1) * s - 2 * p + d * (k - 1) + m + 1
        for n, s, p, d, k, m in zip(held.shape[-axes:], steps, frame, gaps, w.shape[2:], more, strict=True)
    ]
    if 0 in held.shape[-axes:] or min(size) < 1:
        raise ShapeError(
            f"{op}: nothing is left of the result: {list(held.shape)}, kernel {list(w.shape[2:])}, padding "
            f"{list(frame)} give {size}. Use a larger input or less padding."
        )
    shape_of(op, [*held.shape[: -axes - 1], outputs, *size])
    backend = device.backend
    if axes == 1:
        held, w = as_rows(backend, held), as_rows(backend, w)
        steps, frame, more, gaps = (1, *steps), (0, *frame), (0, *more), (1, *gaps)
    if not batch:
        held = backend.reshape(held, shape=(1, *held.shape))
    run: Any = backend.conv_transpose3d if axes == 3 else backend.conv_transpose2d
    out = run(held, w, b, stride=steps, padding=frame, output_padding=more, dilation=gaps, groups=groups)
    return Tensor(restored(backend, out, axes, batch), device)
