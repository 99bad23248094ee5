"""Windows of images as columns and back, and the shuffles of channels and pixels."""

from __future__ import annotations

import math
from typing import Any

from backburner._tensor import Tensor
from backburner.backends.numpy.conv import conv2d_size
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import Size, images, pair
from backburner.ops._operands import integer, numeric, primitive, shape_of


def unfold(x: Tensor, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> Tensor:
    """Return the windows of images, each as a column (im2col).

    Args:
        x: the images, of any dtype.
        kernel_size: the size of a window; like the next three one int, or one for height and one for width.
        dilation: the distance between the taps of a window.
        padding: zeros on either side.
        stride: the step between windows.

    Shape:
        x ``[n, c, h, w]`` or ``[c, h, w]``; result ``[n, c * kh * kw, oh * ow]``, with
        ``oh = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: a window is larger than the padded image.
    """
    held = primitive("unfold", x)
    single = images("unfold", held)
    kernel, gaps = pair("unfold", "kernel_size", kernel_size, 1), pair("unfold", "dilation", dilation, 1)
    frame, steps = pair("unfold", "padding", padding, 0), pair("unfold", "stride", stride, 1)
    oh, ow = conv2d_size(held.shape[-2:], kernel, steps, frame, gaps)
    if min(oh, ow) < 1:
        raise ShapeError(
            f"unfold: a window of {list(kernel)}, dilation {list(gaps)}, is larger than the padded image: "
            f"{list(held.shape)}, padding {list(frame)}."
        )
    shape_of("unfold", [*held.shape[:-2], math.prod(kernel), oh * ow])
    backend = x.device.backend
    if single:
        held = backend.reshape(held, shape=(1, *held.shape))
    out = backend.unfold(held, kernel_size=kernel, dilation=gaps, padding=frame, stride=steps)
    return Tensor(backend.reshape(out, shape=out.shape[1:]) if single else out, x.device)


def fold(
    x: Tensor,
    output_size: Size,
    kernel_size: Size,
    dilation: Size = 1,
    padding: Size = 0,
    stride: Size = 1,
) -> Tensor:
    """Return the images that columns add up to (col2im), the adjoint of ``unfold``.

    Args:
        x: the columns.
        output_size: height and width of an image; one int, or one for each, as the rest.
        kernel_size: the size of a window.
        dilation: the distance between the taps of a window.
        padding: how far windows reach over each side; what they hold there is dropped.
        stride: the step between windows.

    Shape:
        x ``[n, c * kh * kw, oh * ow]`` or ``[c * kh * kw, oh * ow]``, with ``oh`` and ``ow`` as ``unfold`` has them
        for ``output_size``; result ``[n, c, *output_size]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.
        ShapeError: these are not the columns of such images.
    """
    held = numeric("fold", x)
    size, kernel = pair("fold", "output_size", output_size, 1), pair("fold", "kernel_size", kernel_size, 1)
    gaps, frame = pair("fold", "dilation", dilation, 1), pair("fold", "padding", padding, 0)
    steps = pair("fold", "stride", stride, 1)
    oh, ow = conv2d_size(size, kernel, steps, frame, gaps)
    taps = math.prod(kernel)
    fits = held.ndim in (2, 3) and held.shape[-2] % taps == 0 and min(oh, ow) > 0
    if not fits or held.shape[-1] != oh * ow:
        raise ShapeError(
            f"fold: {list(held.shape)} are not columns of images of {list(size)}: with kernel {list(kernel)}, "
            f"dilation {list(gaps)}, padding {list(frame)}, stride {list(steps)} they are "
            f"[n, c * {taps}, {max(oh, 0)} * {max(ow, 0)}]."
        )
    shape_of("fold", [*held.shape[:-2], held.shape[-2] // taps, *size])
    backend = x.device.backend
    single = held.ndim == 2
    if single:
        held = backend.reshape(held, shape=(1, *held.shape))
    out = backend.fold(held, output_size=size, kernel_size=kernel, dilation=gaps, padding=frame, stride=steps)
    return Tensor(backend.reshape(out, shape=out.shape[1:]) if single else out, x.device)


def pixel_shuffle(x: Tensor, upscale_factor: int) -> Tensor:
    """Return larger images whose squares of pixels were channels (Shi et al. 2016).

    Args:
        x: the images.
        upscale_factor: the side ``r`` of a square.

    Shape:
        x ``[..., c * r ** 2, h, w]``; result ``[..., c, h * r, w * r]``.

    Raises:
        ArgumentError: ``upscale_factor`` is below 1.
        ShapeError: the channels are not a multiple of its square, or ``x`` has fewer than three axes.
    """
    r = _factor("pixel_shuffle", "upscale_factor", upscale_factor)
    held = _pixels("pixel_shuffle", x)
    *before, channels, h, w = held.shape
    if channels % (r * r):
        raise ShapeError(
            f"pixel_shuffle: {channels} channels of {list(held.shape)} are not a multiple of {r} ** 2."
        )
    c, n, backend = channels // (r * r), math.prod(before), x.device.backend
    shape_of("pixel_shuffle", (n, c, r, r, h, w))
    held = backend.reshape(held, shape=(n, c, r, r, h, w))
    held = backend.permute_dims(held, axes=(0, 1, 4, 2, 5, 3))
    return Tensor(backend.reshape(held, shape=(*before, c, h * r, w * r)), x.device)


def pixel_unshuffle(x: Tensor, downscale_factor: int) -> Tensor:
    """Return smaller images with squares of pixels as channels, the inverse of ``pixel_shuffle``.

    Args:
        x: the images.
        downscale_factor: the side ``r`` of a square.

    Shape:
        x ``[..., c, h * r, w * r]``; result ``[..., c * r ** 2, h, w]``.

    Raises:
        ArgumentError: ``downscale_factor`` is below 1.
        ShapeError: height or width is not a multiple of it, or ``x`` has fewer than three axes.
    """
    r = _factor("pixel_unshuffle", "downscale_factor", downscale_factor)
    held = _pixels("pixel_unshuffle", x)
    *before, c, height, width = held.shape
    if height % r or width % r:
        raise ShapeError(f"pixel_unshuffle: height and width of {list(held.shape)} are not multiples of {r}.")
    h, w, n, backend = height // r, width // r, math.prod(before), x.device.backend
    held = backend.reshape(held, shape=(n, c, h, r, w, r))
    held = backend.permute_dims(held, axes=(0, 1, 3, 5, 2, 4))
    return Tensor(backend.reshape(held, shape=(*before, c * r * r, h, w)), x.device)


def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """Return channels dealt out in turns from each of ``groups`` runs of them (Zhang et al. 2017).

    Args:
        x: the input.
        groups: how many runs the channels are divided into.

    Shape:
        x ``[n, c, ...]``, with at least three axes and ``c`` a multiple of ``groups``; so is the result.

    Raises:
        ArgumentError: ``groups`` is below 1.
        ShapeError: it does not divide the channels, or ``x`` has fewer than three axes.
    """
    parts = _factor("channel_shuffle", "groups", groups)
    held = _pixels("channel_shuffle", x)
    n, c, *rest = held.shape
    if c % parts:
        raise ShapeError(
            f"channel_shuffle: {c} channels of {list(held.shape)} are not a multiple of {parts}."
        )
    backend = x.device.backend
    out = backend.reshape(held, shape=(n, parts, c // parts, math.prod(rest)))
    out = backend.permute_dims(out, axes=(0, 2, 1, 3))
    return Tensor(backend.reshape(out, shape=held.shape), x.device)


def _factor(op: str, name: str, value: int) -> int:
    found = integer(op, name, value)
    if found < 1:
        raise ArgumentError(f"{op}: {name} must be at least 1, got {value}.")
    return found


def _pixels(op: str, x: Tensor) -> Any:
    held = primitive(op, x)
    if held.ndim < 3:
        raise ShapeError(f"{op}: needs at least three axes, got {list(held.shape)}.")
    return held
