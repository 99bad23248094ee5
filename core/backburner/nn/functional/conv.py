"""Convolutions."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import Size2, images, pair, parameter
from backburner.ops._operands import integer, same_floats, shape_of


def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size2 = 1,
    padding: Size2 | str = 0,
    dilation: Size2 = 1,
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
    (held, w, b), device = same_floats("conv2d", x, weight, bias, required=2)
    single = images("conv2d", held)
    steps, gaps = pair("conv2d", "stride", stride, 1), pair("conv2d", "dilation", dilation, 1)
    channels = held.shape[-3]
    if integer("conv2d", "groups", groups) < 1:
        raise ArgumentError(f"conv2d: groups must be at least 1, got {groups}.")
    if w.ndim != 4 or w.shape[1] * groups != channels or w.shape[0] % groups or 0 in w.shape[2:]:
        raise ShapeError(
            f"conv2d: weight {list(w.shape)} with groups={groups} does not fit the {channels} channels of "
            f"{list(held.shape)}: it must be [o, {channels} / groups, kh, kw], o a multiple of groups. "
            "The input is [n, c, h, w], or [c, h, w] for one image."
        )
    parameter("conv2d", "bias", b, w.shape[:1])
    spans = tuple(d * (k - 1) + 1 for d, k in zip(gaps, w.shape[2:], strict=True))
    backend = device.backend
    frame = (0, 0)
    if isinstance(padding, str):
        if padding == "same":
            if steps != (1, 1):
                raise ArgumentError(f"conv2d: padding='same' takes stride 1, got {stride}.")
            sides = tuple(((s - 1) // 2, s // 2) for s in spans)
            if all(before == after for before, after in sides):
                frame = (sides[0][0], sides[1][0])
            else:
                width = ((0, 0),) * (held.ndim - 2) + sides
                held = backend.pad(held, pad_width=width, value=0.0)
        elif padding != "valid":
            raise ArgumentError(f"conv2d: padding must be numbers, 'same' or 'valid', got {padding!r}.")
    else:
        frame = pair("conv2d", "padding", padding, 0)
    shape_of("conv2d", [n + 2 * p for n, p in zip(held.shape[-2:], frame, strict=True)])
    if any(n + 2 * p < s for n, p, s in zip(held.shape[-2:], frame, spans, strict=True)):
        raise ShapeError(
            f"conv2d: a kernel spans {list(spans)}, more than the padded image: {list(held.shape)}, padding {padding}."
        )
    if single:
        held = backend.reshape(held, shape=(1, *held.shape))
    out = backend.conv2d(held, w, b, stride=steps, padding=frame, dilation=gaps, groups=groups)
    return Tensor(backend.reshape(out, shape=out.shape[1:]) if single else out, device)
