"""Forwards of the normalisations: batch_norm, layer_norm, group_norm, rms_norm.

All but the last subtract one value of the data before they look for the mean: what is then left is of the size of the
standard deviation, so that float32 loses nothing where the mean is large.
"""

from __future__ import annotations

import math

import numpy as np

from backburner.backends.numpy.reduction import sum as accurate_sum
from backburner.contracts import Array


@np.errstate(all="ignore")
def batch_norm(
    x: Array, weight: Array | None, bias: Array | None, /, *, eps: float
) -> tuple[Array, Array, Array]:
    """Normalise each channel by the statistics of this batch; return ``(out, mean, var)``."""
    n, c = x.shape[:2]
    if x.size == 0:
        return np.empty_like(x), np.full(c, np.nan, x.dtype), np.full(c, np.nan, x.dtype)
    images = x.reshape(n, c, -1)
    count = images.shape[0] * images.shape[2]
    origin = images[:1, :, :1]
    out = images - origin
    mean = accurate_sum(out, axis=(0, 2), keepdims=True) / count
    out -= mean
    var = accurate_sum(np.square(out), axis=(0, 2), keepdims=True) / count
    scale = 1 / np.sqrt(var + eps)
    if weight is not None:
        scale *= weight[:, None]
    out *= scale
    if bias is not None:
        out += bias[:, None]
    return out.reshape(x.shape), (mean + origin).reshape(c), var.reshape(c)


@np.errstate(all="ignore")
def layer_norm(x: Array, weight: Array | None, bias: Array | None, /, *, ndim: int, eps: float) -> Array:
    """Normalise the last ``ndim`` dimensions by their own mean and biased variance."""
    if x.size == 0:
        return np.empty_like(x)
    d = math.prod(x.shape[x.ndim - ndim :])
    rows = x.reshape(-1, d)
    out = rows - rows[:, :1]
    out -= np.add.reduce(out, axis=1, keepdims=True) / d
    var = np.add.reduce(np.square(out), axis=1, keepdims=True) / d
    out *= 1 / np.sqrt(var + eps)
    out = out.reshape(x.shape)
    if weight is not None:
        out *= weight
    if bias is not None:
        out += bias
    return out


@np.errstate(all="ignore")
def rms_norm(x: Array, weight: Array | None, /, *, ndim: int, eps: float) -> Array:
    """Return ``x`` over the root of its mean square along the last ``ndim`` dimensions, times ``weight``."""
    if x.size == 0:
        return np.empty_like(x)
    d = math.prod(x.shape[x.ndim - ndim :])
    rows = x.reshape(-1, d)
    scale = 1 / np.sqrt(np.add.reduce(np.square(rows), axis=1, keepdims=True) / d + eps)
    out: Array = np.multiply(rows, scale, out=np.empty_like(rows)).reshape(x.shape)
    if weight is not None:
        out *= weight
    return out


@np.errstate(all="ignore")
def group_norm(x: Array, weight: Array | None, bias: Array | None, /, *, groups: int, eps: float) -> Array:
    """Normalise each of ``groups`` runs of channels of each example."""
    if x.size == 0:
        return np.empty_like(x)
    n, c = x.shape[:2]
    out = layer_norm(x.reshape(n * groups, -1), None, None, ndim=1, eps=eps).reshape(n, c, -1)
    if weight is not None:
        out *= weight[:, None]
    if bias is not None:
        out += bias[:, None]
    return out.reshape(x.shape)
