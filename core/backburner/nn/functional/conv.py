"""Convolutions."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor, wrap
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import Size, parameter, per_axis
from backburner.ops._operands import integer, primitive, shape_of, three_floats

LETTERS = {1: "l", 2: "h, w", 3: "d, h, w"}
KERNELS = {1: "k", 2: "kh, kw", 3: "kd, kh, kw"}
NAMES = {1: "signal", 2: "image", 3: "volume"}


def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Return the cross-correlation of signals with kernels.

    Args:
        x: the signals.
        weight: the kernels.
        bias: added to each output channel.
        stride: the step between windows.
        padding: zeros on either side, or ``"same"`` or ``"valid"``; see ``conv2d``.
        dilation: the distance between the taps of a kernel.
        groups: how many parts the channels are divided into, each convolved by itself.

    Shape:
        x ``[n, c, l]`` or ``[c, l]``, weight ``[o, c / groups, k]``, bias ``[o]``; result ``[n, o, ol]``, with
        ``ol = (l + 2 * padding - dilation * (k - 1) - 1) // stride + 1``.

    Raises:
        ShapeError: the shapes do not fit each other or ``groups``, or the kernel is larger than the signal.
        ArgumentError: an option has a value that makes no sense.
    """
    return _convolve("conv1d", 1, x, weight, bias, stride, padding, dilation, groups)


def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Return the cross-correlation of images with kernels.

    Args:
        x: the images.
        weight: the kernels.
        bias: added to each output channel.
        stride: the step between windows; like the next two one int, or one for height and one for width.
        padding: zeros on either side; ``"same"`` keeps height and width (``stride`` 1; of an odd total the
            larger part is on the right), ``"valid"`` is 0.
        dilation: the distance between the taps of a kernel.
        groups: how many parts the channels are divided into, each convolved by itself.

    Shape:
        x ``[n, c, h, w]`` or ``[c, h, w]``, weight ``[o, c / groups, kh, kw]``, bias ``[o]``; result
        ``[n, o, oh, ow]``, with ``oh = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1``.

    Raises:
        ShapeError: the shapes do not fit each other or ``groups``, or the kernel is larger than the image.
        ArgumentError: an option has a value that makes no sense.
    """
    return _convolve("conv2d", 2, x, weight, bias, stride, padding, dilation, groups)


def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Return the cross-correlation of volumes with kernels.

    Args:
        x: the volumes.
        weight: the kernels.
        bias: added to each output channel.
        stride: the step between windows; like the next two one int, or one each for depth, height and width.
        padding: zeros on either side, or ``"same"`` or ``"valid"``; see ``conv2d``.
        dilation: the distance between the taps of a kernel.
        groups: how many parts the channels are divided into, each convolved by itself.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``, weight ``[o, c / groups, kd, kh, kw]``, bias ``[o]``; result
        ``[n, o, od, oh, ow]``, each size as in ``conv2d``.

    Raises:
        ShapeError: the shapes do not fit each other or ``groups``, or the kernel is larger than the volume.
        ArgumentError: an option has a value that makes no sense.
    """
    return _convolve("conv3d", 3, x, weight, bias, stride, padding, dilation, groups)


def batched(op: str, held: Any, axes: int) -> bool:
    """Say whether an input is a batch, ``[n, c, ...]``, instead of a single one, ``[c, ...]``."""
    ndim = held.ndim
    if ndim not in (axes + 1, axes + 2):
        letters = LETTERS[axes]
        raise ShapeError(
            f"{op}: the input must be [n, c, {letters}] or [c, {letters}], got {list(held.shape)}."
        )
    return bool(ndim == axes + 2)


def group_count(op: str, groups: int) -> int:
    """Return ``groups``, which is at least 1."""
    if groups.__class__ is int and groups > 0:
        return groups
    if integer(op, "groups", groups) < 1:
        raise ArgumentError(f"{op}: groups must be at least 1, got {groups}.")
    return int(groups)


def _convolve(
    op: str,
    axes: int,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Size,
    padding: Size | str,
    dilation: Size,
    groups: int,
) -> Tensor:
    if weight is None:
        primitive(op, weight)
    held, w, b, device = three_floats(op, x, weight, bias)
    batch = batched(op, held, axes)
    steps, gaps = per_axis(op, "stride", stride, axes, 1), per_axis(op, "dilation", dilation, axes, 1)
    given, sizes = held.shape, w.shape
    channels, letters = given[-axes - 1], LETTERS[axes]
    groups = group_count(op, groups)
    if len(sizes) != axes + 2 or sizes[1] * groups != channels or sizes[0] % groups or 0 in sizes[2:]:
        raise ShapeError(
            f"{op}: weight {list(w.shape)} with groups={groups} does not fit the {channels} channels of "
            f"{list(held.shape)}: it must be [o, {channels} / groups, {KERNELS[axes]}], o a multiple of groups. "
            f"The input is [n, c, {letters}], or [c, {letters}] for one {NAMES[axes]}."
        )
    parameter(op, "bias", b, sizes[:1])
    spans = tuple([d * (k - 1) + 1 for d, k in zip(gaps, sizes[2:], strict=True)])
    backend = device.backend
    frame = (0,) * axes
    if isinstance(padding, str):
        if padding == "same":
            if any(step != 1 for step in steps):
                raise ArgumentError(f"{op}: padding='same' takes stride 1, got {stride}.")
            sides = tuple(((s - 1) // 2, s // 2) for s in spans)
            if all(before == after for before, after in sides):
                frame = tuple(before for before, _ in sides)
            else:
                width = ((0, 0),) * (held.ndim - axes) + sides
                held = backend.pad(held, pad_width=width, value=0.0)
        elif padding != "valid":
            raise ArgumentError(f"{op}: padding must be numbers, 'same' or 'valid', got {padding!r}.")
    else:
        frame = per_axis(op, "padding", padding, axes, 0)
    padded = shape_of(op, tuple([n + 2 * p for n, p in zip(held.shape[-axes:], frame, strict=True)]))
    for n, span in zip(padded, spans, strict=True):
        if n < span:
            raise ShapeError(
                f"{op}: a kernel spans {list(spans)}, more than the padded {NAMES[axes]}: {list(held.shape)}, "
                f"padding {padding}."
            )
    if axes == 1:  # a signal is an image of one row
        held, w = as_rows(backend, held), as_rows(backend, w)
        steps, gaps, frame = (1, *steps), (1, *gaps), (0, *frame)
    if not batch:
        held = backend.reshape(held, shape=(1, *held.shape))
    run: Any = backend.conv3d if axes == 3 else backend.conv2d
    out = run(held, w, b, stride=steps, padding=frame, dilation=gaps, groups=groups)
    return wrap(out if batch and axes != 1 else restored(backend, out, axes, batch), device)


def as_rows(backend: Any, held: Any) -> Any:
    """Return signals, or their kernels, as images of one row."""
    *before, length = held.shape
    return backend.reshape(held, shape=(*before, 1, length))


def restored(backend: Any, out: Any, axes: int, batch: bool) -> Any:
    """Return a result without the axes that were put in: the row of a signal, the batch of a single input."""
    kept = out.shape[not batch :]
    shape = (*kept[:-2], kept[-1]) if axes == 1 else kept
    return out if shape == out.shape else backend.reshape(out, shape=shape)
