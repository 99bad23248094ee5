"""Pooling."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.contracts import Pair
from backburner.errors import ShapeError
from backburner.nn.functional._options import Size2, images, pair, window
from backburner.ops._operands import floating, numeric


def max_pool2d(
    x: Tensor,
    kernel_size: Size2,
    stride: Size2 | None = None,
    padding: Size2 = 0,
    dilation: Size2 = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the largest element of each window; of equal ones the first gets the gradient.

    Args:
        x: the images.
        kernel_size: the size of a window; like the next three one int, or one for height and one for width.
        stride: the step between windows, by default their size.
        padding: how far windows reach over each side, at most half their size. No value is there.
        dilation: the distance between the taps of a window.
        ceil_mode: let a last window hang over the end, if it starts inside the image or its left padding.

    Shape:
        x ``[n, c, h, w]`` or ``[c, h, w]``; result ``[n, c, oh, ow]``, with
        ``oh = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1``, or rounded up with ``ceil_mode``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded image.
    """
    kernel, steps, frame = window("max_pool2d", kernel_size, stride, padding)
    gaps = pair("max_pool2d", "dilation", dilation, 1)
    held, single = _images("max_pool2d", numeric("max_pool2d", x), x, kernel, frame, gaps)
    backend = x.device.backend
    out = backend.max_pool2d(
        held, kernel_size=kernel, stride=steps, padding=frame, dilation=gaps, ceil_mode=bool(ceil_mode)
    )
    return Tensor(backend.reshape(out, shape=out.shape[1:]) if single else out, x.device)


def avg_pool2d(
    x: Tensor,
    kernel_size: Size2,
    stride: Size2 | None = None,
    padding: Size2 = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window.

    Args:
        x: the images; integers are taken as float32.
        kernel_size: see ``max_pool2d``, as the next three.
        stride: the step between windows, by default their size.
        padding: zeros on either side, at most half the window.
        ceil_mode: let a last window hang over the end. The overhang never counts.
        count_include_pad: count the zeros of the padding as values.

    Shape:
        See ``max_pool2d``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded image.
    """
    kernel, steps, frame = window("avg_pool2d", kernel_size, stride, padding)
    held, single = _images("avg_pool2d", floating("avg_pool2d", x), x, kernel, frame, (1, 1))
    backend = x.device.backend
    out = backend.avg_pool2d(
        held,
        kernel_size=kernel,
        stride=steps,
        padding=frame,
        ceil_mode=bool(ceil_mode),
        count_include_pad=bool(count_include_pad),
    )
    return Tensor(backend.reshape(out, shape=out.shape[1:]) if single else out, x.device)


def _images(op: str, held: Any, x: Tensor, kernel: Pair, frame: Pair, gaps: Pair) -> tuple[Any, bool]:
    """Return a batch of images that the window fits into, and whether it was a single one."""
    single = images(op, held)
    spans = [d * (k - 1) + 1 for d, k in zip(gaps, kernel, strict=True)]
    if any(n + 2 * p < s for n, p, s in zip(held.shape[-2:], frame, spans, strict=True)):
        raise ShapeError(
            f"{op}: a window spans {spans}, more than the padded image: {list(held.shape)}, padding {list(frame)}."
        )
    return (x.device.backend.reshape(held, shape=(1, *held.shape)) if single else held), single
