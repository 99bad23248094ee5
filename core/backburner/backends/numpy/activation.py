"""Forwards of relu and the smooth activations."""

from __future__ import annotations

import math

import numpy as np

from backburner.backends.numpy.elementwise import erf
from backburner.backends.numpy.reduction import sum as accurate_sum
from backburner.contracts import Array

SQRT_HALF = math.sqrt(0.5)
SQRT_TWO_OVER_PI = math.sqrt(2.0 / math.pi)
TANH_CUBIC = 0.044715  # Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016


_BLOCK = 1024


def relu(x: Array, /) -> Array:
    """Return ``max(x, 0)``; of long arrays against rows of zeros, which NumPy does four times as fast."""
    if x.size < 8 * _BLOCK or not x.flags.c_contiguous:
        return np.maximum(x, 0)
    out = np.empty(x.shape, x.dtype)
    xs, ys = x.reshape(-1), out.reshape(-1)
    whole = x.size - x.size % _BLOCK
    blocks = -1, _BLOCK
    np.maximum(xs[:whole].reshape(blocks), np.zeros(_BLOCK, x.dtype), out=ys[:whole].reshape(blocks))
    np.maximum(xs[whole:], 0, out=ys[whole:])
    return out


def sigmoid(x: Array, /) -> Array:
    """Return ``1 / (1 + exp(-x))``."""
    out = np.negative(x, out=np.empty_like(x))
    with np.errstate(over="ignore"):  # an infinite exp is the right divisor
        np.exp(out, out=out)
    out += 1
    return np.divide(1, out, out=out)


def gelu(x: Array, /, *, approximate: str) -> Array:
    """Return ``x * Phi(x)``, exact or by tanh."""
    out = np.empty_like(x)
    with np.errstate(over="ignore"):  # x**2 of 1e20
        if approximate == "tanh":
            np.multiply(x, x, out=out)
            out *= TANH_CUBIC * SQRT_TWO_OVER_PI
            out += SQRT_TWO_OVER_PI
            out *= x
            np.tanh(out, out=out)
        else:
            np.multiply(x, SQRT_HALF, out=out)
            out = np.asarray(erf(out))
        out += 1
        out *= 0.5  # before x, twice which may be beyond the dtype
        out *= _bounded(x)
    return out


def _bounded(x: Array) -> Array:
    """Return ``x`` with the lowest number for ``-inf``, so that its product with 0 is 0."""
    held: Array = np.maximum(x, np.finfo(x.dtype).min, out=np.empty_like(x))
    return held


def silu(x: Array, /) -> Array:
    """Return ``x / (1 + exp(-x))``."""
    out = np.negative(x, out=np.empty_like(x))
    with np.errstate(over="ignore"):
        np.exp(out, out=out)
    out += 1
    return np.divide(_bounded(x), out, out=out)


def elu(x: Array, /, *, alpha: float, scale: float, input_scale: float) -> Array:
    """Return ``scale * x`` above 0, else ``scale * alpha * (exp(input_scale * x) - 1)``."""
    out = np.minimum(x, 0, out=np.empty_like(x))
    if input_scale != 1:
        out *= input_scale
    with np.errstate(over="ignore"):  # of a negative input_scale
        np.expm1(out, out=out)
    out *= alpha * scale
    above = np.maximum(x, 0, out=np.empty_like(x))
    if scale != 1:
        above *= scale
    out += above
    return out


def softplus(x: Array, /, *, beta: float, threshold: float) -> Array:
    """Return ``log(1 + exp(beta * x)) / beta``, and ``x`` where ``beta * x`` is above ``threshold``."""
    scaled = np.multiply(x, beta, out=np.empty_like(x))
    out = np.abs(scaled, out=np.empty_like(x))
    np.negative(out, out=out)
    np.exp(out, out=out)
    np.log1p(out, out=out)
    out += np.maximum(scaled, 0)
    if beta != 1:
        out /= beta
    if threshold != math.inf:
        np.copyto(out, x, where=scaled > threshold)
    return out


def mish(x: Array, /) -> Array:
    """Return ``x * tanh(softplus(x))``, the latter as ``n / (n + 2)`` with ``n = e^x (e^x + 2)``."""
    out = np.minimum(x, 30, out=np.empty_like(x))  # whose tanh is 1
    np.exp(out, out=out)
    out *= out + 2
    out /= out + 2
    out *= _bounded(x)
    return out


def softsign(x: Array, /) -> Array:
    """Return ``x / (1 + |x|)``."""
    most = np.finfo(x.dtype).max
    held = np.asarray(np.minimum(np.maximum(x, -most), most))  # infinity over infinity is NaN
    out = np.abs(held, out=np.empty_like(x))
    out += 1
    held /= out
    return held


def glu(x: Array, /, *, axis: int) -> Array:
    """Return the first half along ``axis`` times the sigmoid of the second."""
    before, n = (slice(None),) * axis, x.shape[axis] // 2
    out = sigmoid(x[(*before, slice(n, None))])
    out *= x[(*before, slice(n))]
    return out


def softmax(x: Array, /, *, axis: int) -> Array:
    """Return ``exp(x) / sum(exp(x))`` along ``axis``."""
    if x.size == 0:
        return np.empty_like(x)
    out = _shifted(x, axis)
    np.exp(out, out=out)
    out /= accurate_sum(out, axis=(axis,), keepdims=True)
    return out


def log_softmax(x: Array, /, *, axis: int) -> Array:
    """Return ``x - logsumexp(x)`` along ``axis``."""
    if x.size == 0:
        return np.empty_like(x)
    out = _shifted(x, axis)
    out -= np.log(accurate_sum(np.exp(out), axis=(axis,), keepdims=True))
    return out


def _shifted(x: Array, axis: int) -> Array:
    """Return ``x`` minus its largest element along ``axis``, a new array whose exp cannot overflow."""
    with np.errstate(invalid="ignore"):  # inf - inf is NaN by contract
        return np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True), out=np.empty_like(x))
