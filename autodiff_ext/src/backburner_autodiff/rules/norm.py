"""Backward rules of the normalisations, and the forwards that training uses in place of the core's.

They keep the mean, less the value that the kernels subtract first, and the reciprocal of the deviation.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from backburner.backends.numpy.reduction import sum as accurate_sum
from backburner_autodiff.kernels import norm as kernels
from backburner_autodiff.rules._rule import Array, rule

Residuals = tuple[Array, Array]
Gradients = tuple[Array | None, Array | None, Array | None]
Joint = Callable[[Array, tuple[bool, ...]], Gradients]

SMALL_IMAGE = 32
"""Below so many pixels the kernel of rows is the faster one for batch norm."""

BLOCKS = 64
"""Into so many blocks of rows at most layer norm cuts the sums of its weight's gradient."""


def _affine(x: Array, size: int, weight: Array | None, bias: Array | None) -> tuple[Array, Array]:
    """Return weight and bias as vectors, ones and zeros where there are none."""
    return (
        np.ones(size, x.dtype) if weight is None else weight.reshape(size),
        np.zeros(size, x.dtype) if bias is None else bias.reshape(size),
    )


def batch_norm_forward(
    x: Array, weight: Array | None, bias: Array | None, /, *, eps: float
) -> tuple[tuple[Array, Array, Array], Residuals]:
    n, c = x.shape[:2]
    s = math.prod(x.shape[2:])
    out = np.empty(x.shape, x.dtype)
    mean, var, rstd = np.empty((3, c), x.dtype)
    if x.size == 0:
        mean[:] = var[:] = np.nan
        return (out, mean, var), (mean, rstd)
    weight, bias = _affine(x, c, weight, bias)
    if s < SMALL_IMAGE:
        scratch, total = np.zeros((5, c * s), x.dtype), np.zeros(c * s)
        rows = x.reshape(n, c * s)
        kernels.batch_norm_rows_forward(
            rows, weight, bias, eps, s, out.reshape(rows.shape), mean, var, rstd, scratch, total
        )
    else:
        images = x.reshape(n, c, s)
        kernels.batch_norm_forward(images, weight, bias, eps, out.reshape(images.shape), mean, var, rstd)
    origin = x[0].reshape(c, s)[:, 0]
    return (out, mean + origin, var), (mean, rstd)


@rule(forward=batch_norm_forward, outputs=(0,))
def batch_norm(
    out: tuple[Array, Array, Array], x: Array, weight: Array | None, bias: Array | None,
    *, eps: float, residuals: Residuals,
) -> Joint:  # fmt: skip
    mean, rstd = residuals

    def vjp(g: Array, needed: tuple[bool, ...]) -> Gradients:
        n, c = x.shape[:2]
        s = math.prod(x.shape[2:])
        dx = np.empty(x.shape, x.dtype)
        dweight, dbias = np.zeros((2, c), x.dtype)
        if x.size:
            scale = _affine(x, c, weight, None)[0]
            if s < SMALL_IMAGE:
                shape: tuple[int, ...] = n, c * s
                scratch, total = np.zeros((6, c * s), x.dtype), np.zeros((2, c * s))
                kernels.batch_norm_rows_backward(
                    g.reshape(shape), x.reshape(shape), scale, mean, rstd, s,
                    dx.reshape(shape), dweight, dbias, scratch, total,
                )  # fmt: skip
            else:
                shape = n, c, s
                kernels.batch_norm_backward(
                    g.reshape(shape), x.reshape(shape), scale, mean, rstd, dx.reshape(shape), dweight, dbias
                )
        return dx, dweight if needed[1] else None, dbias if needed[2] else None

    return vjp


def _rows_forward(
    x: Array, weight: Array | None, bias: Array | None, ndim: int, eps: float, centred: bool
) -> tuple[Array, Residuals]:
    d = math.prod(x.shape[x.ndim - ndim :])
    n = math.prod(x.shape[: x.ndim - ndim])
    out = np.empty(x.shape, x.dtype)
    mean, rstd = np.empty((2, n), x.dtype)
    if x.size:
        kernels.layer_norm_forward(
            x.reshape(n, d), *_affine(x, d, weight, bias), eps, centred, out.reshape(n, d), mean, rstd
        )
    return out, (mean, rstd)


def _rows_gradients(
    g: Array, x: Array, weight: Array | None, ndim: int, residuals: Residuals, needed: bool, centred: bool
) -> tuple[Array, Array | None, Array | None]:
    """Return the gradients of the input and, if they are ``needed``, of weight and bias."""
    mean, rstd = residuals
    inner = x.shape[x.ndim - ndim :]
    d, n = math.prod(inner), mean.size
    dx = np.empty(x.shape, x.dtype)
    if x.size == 0:
        return dx, np.zeros(inner, x.dtype), np.zeros(inner, x.dtype)
    size = -(-n // (BLOCKS * kernels.ROWS)) * kernels.ROWS
    blocks = -(-n // size)
    columns = d if needed else 0
    parts = np.zeros((2, blocks, columns), x.dtype)
    totals = np.zeros((2, blocks, columns))
    kernels.layer_norm_backward(
        g.reshape(n, d), x.reshape(n, d), _affine(x, d, weight, None)[0], mean, rstd, size, centred,
        dx.reshape(n, d), *parts, *totals,
    )  # fmt: skip
    if not columns:
        return dx, None, None
    dweight, dbias = totals.sum(axis=1).astype(x.dtype).reshape(2, *inner)
    return dx, dweight, dbias


@rule
def normalize_channels(
    out: Array, x: Array, mean: Array, var: Array, weight: Array | None, bias: Array | None, *, eps: float
) -> Callable[[Array, tuple[bool, ...]], tuple[Array | None, ...]]:
    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array | None, ...]:
        n, c = x.shape[:2]
        shape = n, c, math.prod(x.shape[2:])
        scale = 1 / np.sqrt(var + eps)
        total = accurate_sum(g.reshape(shape), axis=(0, 2), keepdims=False)
        dvar = dweight = None
        if needed[2] or needed[3]:
            deviations = x.reshape(shape) - mean[:, None]
            deviations *= g.reshape(shape)
            dweight = accurate_sum(deviations, axis=(0, 2), keepdims=False) * scale
            dvar = dweight * scale * scale / -2
        if weight is not None:
            scale *= weight
            dvar = None if dvar is None else dvar * weight
        dx = (g.reshape(shape) * scale[:, None]).reshape(x.shape) if needed[0] else None
        return (
            dx,
            total * -scale,
            dvar,
            dweight if weight is not None else None,
            total if bias is not None else None,
        )

    return vjp


def layer_norm_forward(
    x: Array, weight: Array | None, bias: Array | None, /, *, ndim: int, eps: float
) -> tuple[Array, Residuals]:
    return _rows_forward(x, weight, bias, ndim, eps, True)


@rule(forward=layer_norm_forward)
def layer_norm(
    out: Array, x: Array, weight: Array | None, bias: Array | None,
    *, ndim: int, eps: float, residuals: Residuals,
) -> Joint:  # fmt: skip
    def vjp(g: Array, needed: tuple[bool, ...]) -> Gradients:
        dx, dweight, dbias = _rows_gradients(g, x, weight, ndim, residuals, needed[1] or needed[2], True)
        return dx, dweight if needed[1] else None, dbias if needed[2] else None

    return vjp


def rms_norm_forward(x: Array, weight: Array | None, /, *, ndim: int, eps: float) -> tuple[Array, Residuals]:
    return _rows_forward(x, weight, None, ndim, eps, False)


@rule(forward=rms_norm_forward)
def rms_norm(
    out: Array, x: Array, weight: Array | None, *, ndim: int, eps: float, residuals: Residuals
) -> Callable[[Array, tuple[bool, ...]], tuple[Array, Array | None]]:
    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array, Array | None]:
        dx, dweight, _ = _rows_gradients(g, x, weight, ndim, residuals, needed[1], False)
        return dx, dweight if needed[1] else None

    return vjp


def group_norm_forward(
    x: Array, weight: Array | None, bias: Array | None, /, *, groups: int, eps: float
) -> tuple[Array, Residuals]:
    n, c = x.shape[:2]
    out = np.empty(x.shape, x.dtype)
    mean, rstd = np.empty((2, n * groups), x.dtype)
    if x.size:
        images = x.reshape(n, c, -1)
        kernels.group_norm_forward(
            images, *_affine(x, c, weight, bias), eps, groups, out.reshape(images.shape), mean, rstd
        )
    return out, (mean, rstd)


@rule(forward=group_norm_forward)
def group_norm(
    out: Array, x: Array, weight: Array | None, bias: Array | None,
    *, groups: int, eps: float, residuals: Residuals,
) -> Joint:  # fmt: skip
    def vjp(g: Array, needed: tuple[bool, ...]) -> Gradients:
        n, c = x.shape[:2]
        dx = np.empty(x.shape, x.dtype)
        dweight, dbias = np.zeros((2, n, c))
        if x.size:
            shape = n, c, x.size // (n * c)
            kernels.group_norm_backward(
                g.reshape(shape), x.reshape(shape), _affine(x, c, weight, None)[0], *residuals, groups,
                dx.reshape(shape), dweight, dbias,
            )  # fmt: skip
        dweight, dbias = (total.sum(axis=0).astype(x.dtype) for total in (dweight, dbias))
        return dx, dweight if needed[1] else None, dbias if needed[2] else None

    return vjp
