"""Forwards of relu and the smooth activations, most of them recipes for a block of elements."""

from __future__ import annotations

import math

import numpy as np

from backburner.backends.numpy._blocks import by_blocks
from backburner.backends.numpy.elementwise import erf
from backburner.backends.numpy.reduction import sum as accurate_sum
from backburner.contracts import Array
from backburner.threads import share

SQRT_HALF = math.sqrt(0.5)
SQRT_TWO_OVER_PI = math.sqrt(2.0 / math.pi)
TANH_CUBIC = 0.044715  # Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016

# With u = x * (B t + A + C / (t + D + E / (t + G))) of t = x**2, (1 + tanh(u)) / 2 is Phi(x) within 6e-8 of Phi(|x|): a
# rational function of the degrees 3 and 2 as a continued fraction, fitted for this file to atanh(erf(x / sqrt(2))) / x by
# Lawson's reweighted least squares up to 5.6. From 6 on tanh is 1. NumPy's tanh takes half the time of its exp.
_B, _A, _C = 0.018267932481655116, 1.1746896165105203, -2.4135911866673125
_D, _E, _G = -27.44986899664378, 1654.141805049966, 48.859186214455704
_FAR = -7.0

_ZEROS = 1 << 12
_PART = 1 << 18  # a multiple


def relu(x: Array, /) -> Array:
    """Return ``max(x, 0)``; of long arrays against rows of zeros, which NumPy does four times as fast."""
    if x.size < 2048 or not x.flags.c_contiguous:
        return np.maximum(x, 0)
    if x.size <= 8 * _ZEROS:
        return np.maximum(x, np.zeros(x.shape, x.dtype))
    out = np.empty(x.shape, x.dtype)
    xs, ys = x.reshape(-1), out.reshape(-1)
    zeros = np.zeros(min(x.size, _ZEROS), x.dtype)
    part = max(_PART, -(-x.size // (8 * _ZEROS)) * _ZEROS)

    def fill(i: int) -> None:
        some = xs[i * part : (i + 1) * part]
        whole = some.size - some.size % zeros.size
        target = ys[i * part : i * part + some.size]
        rows = -1, zeros.size
        np.maximum(some[:whole].reshape(rows), zeros, out=target[:whole].reshape(rows))
        np.maximum(some[whole:], zeros[: some.size - whole], out=target[whole:])

    with np.errstate():
        np.setbufsize(16)  # else NumPy copies the zeros to a buffer again and again
        share(fill, -(-x.size // part))
    return out


def sigmoid(x: Array, /) -> Array:
    """Return ``1 / (1 + exp(-x))``."""
    return by_blocks(_sigmoid, x)


def _sigmoid(x: Array, out: Array) -> None:
    _one_and_exp_of_negative(x, out)
    np.divide(1, out, out=out)


def _one_and_exp_of_negative(x: Array, out: Array) -> None:
    """Write ``1 + exp(-x)``; an infinite one is the right divisor."""
    np.negative(x, out=out)
    np.exp(out, out=out)
    out += 1


def gelu(x: Array, /, *, approximate: str) -> Array:
    """Return ``x * Phi(x)``, exact or by tanh."""
    if approximate == "tanh":
        return by_blocks(_gelu_by_tanh, x, scratch=1)
    return by_blocks(_gelu if x.dtype.char == "f" else _gelu_by_erf, x, scratch=1)


def _gelu(x: Array, out: Array, t: Array) -> None:
    np.multiply(x, x, out=t)
    np.add(t, _G, out=out)
    np.divide(_E, out, out=out)
    out += t
    out += _D
    np.divide(_C, out, out=out)
    t *= _B
    t += _A
    out += t
    out *= x
    _gated_by_tanh(x, out, t)


def _gelu_by_tanh(x: Array, out: Array, t: Array) -> None:
    np.multiply(x, x, out=out)
    out *= TANH_CUBIC * SQRT_TWO_OVER_PI
    out += SQRT_TWO_OVER_PI
    out *= x
    _gated_by_tanh(x, out, t)


def _gelu_by_erf(x: Array, out: Array, t: Array) -> None:
    np.multiply(x, SQRT_HALF, out=t)
    _gate(x, erf(t), out, t)


def _gated_by_tanh(x: Array, out: Array, t: Array) -> None:
    """Write ``x * (1 + tanh(out)) / 2``, where tanh is -1 from ``_FAR`` on."""
    np.tanh(out, out=out)
    _gate(x, out, out, t)


def _gate(x: Array, y: Array, out: Array, t: Array) -> None:
    """Write ``x * (1 + y) / 2``, of infinity too."""
    np.add(y, 1, out=out)
    out *= 0.5  # before x, twice which may be beyond the dtype
    x.clip(_LOWEST[x.dtype.char], np.inf, out=t)
    out *= t


_LOWEST = {kind: float(np.finfo(kind).min) for kind in "fd"}
"""In place of ``-inf``, so that the product with 0 is 0."""


def silu(x: Array, /) -> Array:
    """Return ``x / (1 + exp(-x))``."""
    return by_blocks(_silu, x, scratch=1)


def _silu(x: Array, out: Array, t: Array) -> None:
    _one_and_exp_of_negative(x, out)
    x.clip(_LOWEST[x.dtype.char], np.inf, out=t)
    np.divide(t, out, out=out)


def elu(x: Array, /, *, alpha: float, scale: float, input_scale: float) -> Array:
    """Return ``scale * x`` above 0, else ``scale * alpha * (exp(input_scale * x) - 1)``."""

    def recipe(x: Array, out: Array, above: Array) -> None:
        x.clip(-np.inf, 0, out=out)
        if input_scale != 1:
            out *= input_scale
        np.expm1(out, out=out)
        if alpha * scale != 1:
            out *= alpha * scale
        x.clip(0, np.inf, out=above)
        if scale != 1:
            above *= scale
        out += above

    return by_blocks(recipe, x, scratch=1)


def softplus(x: Array, /, *, beta: float, threshold: float) -> Array:
    """Return ``log(1 + exp(beta * x)) / beta``, and ``x`` where ``beta * x`` is above ``threshold``."""

    def recipe(x: Array, out: Array, scaled: Array, w: Array, t: Array) -> None:
        np.multiply(x, beta, out=scaled)
        log_of_sum(scaled, out, w, t)
        scaled.clip(0, np.inf, out=t)
        out += t
        if beta != 1:
            out /= beta
        if threshold < (
            math.inf if beta != 1 else 18.0 if x.dtype.char == "f" else 40.0
        ):  # else it is x anyway
            np.copyto(out, x, where=scaled > threshold)

    return by_blocks(recipe, x, scratch=3)


def log_of_sum(x: Array, out: Array, w: Array, t: Array) -> None:
    """Write ``log(1 + exp(-|x|))``; NumPy's log1p takes ten times as long as its log.

    What rounding takes from ``w = 1 + e`` is made good: to first order ``log(1 + e)`` is ``log(w) + (e - (w - 1)) / w``.
    """
    np.abs(x, out=t)
    np.negative(t, out=t)
    np.exp(t, out=t)
    np.add(t, 1, out=w)
    np.subtract(w, 1, out=out)
    t -= out
    t /= w
    np.log(w, out=out)
    out += t


def mish(x: Array, /) -> Array:
    """Return ``x * tanh(softplus(x))``, the latter as ``n / (n + 2)`` with ``n = e^x (e^x + 2)``."""
    return by_blocks(_mish, x, scratch=1)


def _mish(x: Array, out: Array, t: Array) -> None:
    x.clip(-np.inf, 30, out=out)  # whose tanh is 1
    np.exp(out, out=out)
    np.add(out, 2, out=t)
    out *= t
    np.add(out, 2, out=t)
    out /= t
    x.clip(_LOWEST[x.dtype.char], np.inf, out=t)
    out *= t


def softsign(x: Array, /) -> Array:
    """Return ``x / (1 + |x|)``."""
    return by_blocks(_softsign, x, scratch=1)


def _softsign(x: Array, out: Array, t: Array) -> None:
    most = -_LOWEST[x.dtype.char]
    x.clip(-most, most, out=out)  # infinity over infinity is NaN
    np.abs(out, out=t)
    t += 1
    out /= t


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
