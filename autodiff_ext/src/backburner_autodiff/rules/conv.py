"""Backward rules of conv2d and conv3d."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from backburner.backends.numpy import conv as core
from backburner.backends.numpy.conv import add_frames, conv2d_chunk, frame_chunks, pieces, stack_frames
from backburner_autodiff.kernels.conv import (
    conv2d_gather,
    conv2d_scatter,
)
from backburner_autodiff.rules._depthwise import (
    depthwise_forward,
    depthwise_input,
    depthwise_weight,
    is_depthwise,
)
from backburner_autodiff.rules._direct import (
    FEW_PLACES,
    direct_forward,
    direct_input,
    direct_weight,
    is_direct,
)
from backburner_autodiff.rules._rule import Array, rule

Pair = tuple[int, int]
Triple = tuple[int, int, int]
Joint = Callable[[Array, tuple[bool, ...]], tuple[Array | None, ...]]
Gradients = tuple[Array | None, Array | None]


def conv2d_forward(
    x: Array, weight: Array, bias: Array | None, /,
    *, stride: Pair, padding: Pair, dilation: Pair, groups: int,
) -> tuple[Array, None]:  # fmt: skip
    """Return what the core returns, by kernels of its own where they are the faster ones."""
    if is_depthwise(x, weight, groups):
        return depthwise_forward(x, weight, bias, stride, padding, dilation), None
    if is_direct(x, weight, stride, padding, dilation):
        return direct_forward(x, weight, bias, stride, padding, dilation, groups), None
    return core.conv2d(
        x, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups
    ), None


@rule(forward=conv2d_forward, compute_bound=True)
def conv2d(
    out: Array, x: Array, weight: Array, bias: Array | None,
    *, stride: Pair, padding: Pair, dilation: Pair, groups: int, residuals: None,
) -> Joint:  # fmt: skip
    biased = bias is not None

    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array | None, ...]:
        # NumPy multiplies what a sum has broadcast without BLAS, and adds channels-last images one by one: both
        # are slow, and lose the small terms of a long float32 sum
        g = np.ascontiguousarray(g)
        dx, dweight = conv2d_gradients(g, x, weight, stride, padding, dilation, groups, needed[0], needed[1])
        return dx, dweight, bias_gradient(g) if biased and needed[2] else None

    return vjp


@rule(compute_bound=True)
def conv3d(
    out: Array, x: Array, weight: Array, bias: Array | None,
    *, stride: Triple, padding: Triple, dilation: Triple, groups: int,
) -> Joint:  # fmt: skip
    biased = bias is not None

    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array | None, ...]:
        g = np.ascontiguousarray(g)
        dx, dweight = conv3d_gradients(g, x, weight, stride, padding, dilation, groups, needed[0], needed[1])
        return dx, dweight, bias_gradient(g) if biased and needed[2] else None

    return vjp


def bias_gradient(g: Array) -> Array:
    """Return the sum over all but the channels, in float64 over images."""
    total: Array = g.reshape(*g.shape[:2], math.prod(g.shape[2:])).sum(axis=2).sum(axis=0, dtype=np.float64)
    return total.astype(g.dtype)


def conv2d_gradients(
    g: Array, x: Array, weight: Array, stride: Pair, padding: Pair, dilation: Pair, groups: int, to_x: bool, to_weight: bool
) -> Gradients:  # fmt: skip
    """Return the gradients of images and kernels that are asked for; ``g`` is C-contiguous."""
    dx = dweight = None
    if is_depthwise(x, weight, groups):
        if to_x:
            dx = depthwise_input(g, x.shape, weight, stride, padding, dilation)
        if to_weight:
            dweight = depthwise_weight(g, x, weight, stride, padding, dilation)
            if not np.isfinite(dweight).all():  # an infinity of x in another row, times the 0 between rows
                dweight = None
    else:
        direct = is_direct(x, weight, stride, padding, dilation)
        if to_x and direct and np.isfinite(weight).all():  # 0 of the padding times an infinity would be NaN
            dx = direct_input(g, x.shape, weight, stride, padding, dilation, groups)
        elif to_x and weight.shape[2:] == stride == (1, 1) and padding == (0, 0):
            dx = _pointwise(g, weight, groups)
        if to_weight and direct and g.shape[0] * g.shape[2] * g.shape[3] >= FEW_PLACES:
            dweight = direct_weight(g, x, weight, stride, padding, dilation, groups)
            if not np.isfinite(dweight).all():  # as above
                dweight = None
    to_x, to_weight = to_x and dx is None, to_weight and dweight is None
    if to_x or to_weight:
        by_columns, of_columns = _in_pieces(g, x, weight, stride, padding, dilation, groups, to_x, to_weight)
        dx, dweight = dx if dx is not None else by_columns, dweight if dweight is not None else of_columns
    return dx, dweight


def _in_pieces(
    g: Array, x: Array, weight: Array, stride: Pair, padding: Pair, dilation: Pair, groups: int, to_x: bool, to_weight: bool
) -> Gradients:  # fmt: skip
    """Return the gradients by way of columns, for a long signal piece by piece, as in the core."""
    c, _, w = x.shape[1:]
    kh, kw = weight.shape[2:]
    size = g.shape[2], g.shape[3]
    parts = pieces(c * kh * kw * x.itemsize, size, w, kw, stride[1], padding[1], dilation[1])
    if not parts:
        return _columns(g, x, weight, (*stride, *padding, *dilation), groups, to_x, to_weight)
    window = (*stride, padding[0], 0, *dilation)
    dx = np.zeros(x.shape, x.dtype) if to_x else None
    dweight = np.zeros(weight.shape, x.dtype) if to_weight else None
    for part in parts:
        cotangent = np.ascontiguousarray(g[..., part.outputs])
        by_columns, of_columns = _columns(cotangent, part.of(x), weight, window, groups, to_x, to_weight)
        if dx is not None and by_columns is not None:
            before, behind = part.sides
            dx[..., part.inputs] += by_columns[..., before : by_columns.shape[3] - behind]
        if dweight is not None and of_columns is not None:
            dweight += of_columns
    return dx, dweight


def conv3d_gradients(
    g: Array, x: Array, weight: Array, stride: Triple, padding: Triple, dilation: Triple, groups: int, to_x: bool, to_weight: bool
) -> Gradients:  # fmt: skip
    """Return those of volumes and kernels: those of the frames that the core convolves."""
    n, c, _, h, w = x.shape
    o, each, kd, kh, kw = weight.shape
    depth, plane = (stride[0], padding[0], dilation[0]), (stride[1:], padding[1:], dilation[1:])
    kernels = weight.reshape(o, each * kd, kh, kw)
    dx = np.zeros(x.shape, x.dtype) if to_x else None
    dweight = np.zeros(kernels.shape, x.dtype) if to_weight else None
    for volumes, planes in frame_chunks(n, g.shape[2], c * kd * h * w * x.itemsize):
        frames = stack_frames(x[volumes], planes, kd, *depth)
        cotangent = g[volumes, :, planes].swapaxes(1, 2).reshape(frames.shape[0], o, *g.shape[3:])
        dframes, part = conv2d_gradients(cotangent, frames, kernels, *plane, groups, to_x, to_weight)
        if dx is not None and dframes is not None:
            add_frames(dframes, planes, kd, *depth, dx[volumes])
        if dweight is not None:
            dweight += part
    return dx, None if dweight is None else dweight.reshape(weight.shape)


def _columns(
    g: Array, x: Array, weight: Array, window: tuple[int, ...], groups: int, to_x: bool, to_weight: bool
) -> Gradients:
    """Take the products with the columns of x, or with those that add up to its gradient, chunk by chunk."""
    n, c = x.shape[:2]
    o, _, kh, kw = weight.shape
    oh, ow = g.shape[2:]
    depth = c // groups * kh * kw
    images, band = conv2d_chunk(c * kh * kw * ow * x.itemsize, oh)
    images = max(1, min(images, n))
    memory = np.empty(c * kh * kw * images * band * ow, x.dtype)
    x = np.ascontiguousarray(x)
    transposed = np.ascontiguousarray(weight).reshape(groups, o // groups, depth).transpose(0, 2, 1)
    dx = np.zeros(x.shape, x.dtype) if to_x else None
    dweight = np.zeros((groups, o // groups, depth), x.dtype) if to_weight else None
    for first in range(0, n, images):
        part = slice(first, first + images)
        for top in range(0, oh, band):
            cotangent = g[part, :, top : top + band].transpose(1, 0, 2, 3)
            spots = math.prod(cotangent.shape[1:])
            columns = memory[: c * kh * kw * spots].reshape(c, kh, kw, *cotangent.shape[1:])
            cotangent = cotangent.reshape(groups, o // groups, spots)
            matrix = columns.reshape(groups, depth, spots)
            if dweight is not None:
                conv2d_gather(x[part], *window, top, columns)
                dweight += np.matmul(cotangent, matrix.transpose(0, 2, 1))
            if dx is not None:
                np.matmul(transposed, cotangent, out=matrix)
                conv2d_scatter(columns, *window, top, dx[part])
    return dx, None if dweight is None else dweight.reshape(weight.shape)


def _pointwise(g: Array, weight: Array, groups: int) -> Array:
    """Return the gradient of x where a 1x1 kernel meets every input once."""
    n, o, h, w = g.shape
    c = weight.shape[1]
    transposed = np.ascontiguousarray(weight).reshape(groups, o // groups, c).transpose(0, 2, 1)
    dx: Array = np.matmul(transposed, g.reshape(n, groups, o // groups, h * w))
    return dx.reshape(n, groups * c, h, w)
