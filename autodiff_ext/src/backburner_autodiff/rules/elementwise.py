"""Backward rules of the elementwise ops. The sweep undoes broadcasting and repairs what is ``singular``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner_autodiff.rules._rule import Array, Vjp, rule


def _same(g: Array) -> Array:
    return g


def _negated(g: Array) -> Array:
    return -g


@rule
def add(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    return _same, _same


@rule
def subtract(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    return _same, _negated


@rule(singular=True)
def multiply(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    return lambda g: g * y, lambda g: g * x


@rule(singular=True)
def divide(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    # out / y and not x / y**2, whose square would underflow for small y
    return lambda g: g / y, lambda g: -(g * out / y)


@rule(singular=True)
def pow(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    def vjp_x(g: Array) -> Array:
        power = np.power(x, y - 1)  # where it vanishes so does the slope, also if y is infinite
        return g * np.where((y == 0) | (power == 0), 0, y * power)

    def vjp_y(g: Array) -> Array:
        return g * np.where((x == 0) & (y >= 0), 0, out * np.log(x))

    return vjp_x, vjp_y


def _extremum(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    """Give the cotangent to what was picked, half of it to each of equals; NaN is picked over numbers."""

    def vjp(g: Array, mine: Array, other: Array) -> Array:
        picked = (mine == out) | np.isnan(mine)
        tied = picked & ((other == out) | np.isnan(other))
        return np.where(tied, 0.5 * g, np.where(picked, g, 0))

    return lambda g: vjp(g, x, y), lambda g: vjp(g, y, x)


@rule
def maximum(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    return _extremum(out, x, y)


@rule
def minimum(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    return _extremum(out, x, y)


@rule
def negative(out: Array, x: Array) -> tuple[Vjp]:
    return (_negated,)


@rule(singular=True)
def abs(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * np.sign(x),)


@rule(singular=True)
def exp(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * out,)


@rule(singular=True)
def log(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / x,)


@rule(singular=True)
def sqrt(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: 0.5 * g / out,)


@rule(singular=True)
def square(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: 2 * g * x,)


# tanh and erf are smooth, yet their derivative at NaN is NaN
@rule(singular=True)
def tanh(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * (1 - out * out),)


@rule(singular=True)
def erf(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * np.exp(-(x * x)) * (2 / math.sqrt(math.pi)),)


@rule(singular=True)
def erfc(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * np.exp(-(x * x)) * (-2 / math.sqrt(math.pi)),)


@rule(singular=True)
def erfinv(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * np.exp(out * out) * (math.sqrt(math.pi) / 2),)


@rule(singular=True)
def expm1(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * np.exp(x),)  # out + 1 would cancel for x below 0


@rule(singular=True)
def log1p(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / (1 + x),)


@rule(singular=True)
def log2(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / x / math.log(2),)


@rule(singular=True)
def log10(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / x / math.log(10),)


@rule(singular=True)
def logaddexp(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    def vjp(g: Array, mine: Array, other: Array) -> Array:
        # by the difference, as out has lost the digits of its logarithm where both are large
        share = 1 / (1 + np.exp(other - mine))
        half = (mine > -np.inf).astype(mine.dtype) / 2  # of two -inf nothing
        return g * np.where(mine == other, half, share)

    return lambda g: vjp(g, x, y), lambda g: vjp(g, y, x)


@rule(singular=True)
def hypot(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    def vjp(g: Array, mine: Array, other: Array) -> Array:
        slope = np.where(out == 0, 0, mine / out)
        if not np.isinf(out).any():
            return g * slope
        # along an infinite side the slope is that of |x|; two share as on the diagonal
        along = np.sign(mine) * np.where(np.isinf(other), math.sqrt(0.5), 1).astype(out.dtype)
        at_infinity = np.where(np.isinf(mine), along, np.where(np.isnan(mine), mine, 0))
        return g * np.where(np.isinf(out), at_infinity, slope)

    return lambda g: vjp(g, x, y), lambda g: vjp(g, y, x)


@rule
def where(out: Array, condition: Array, x: Array, y: Array) -> tuple[None, Vjp, Vjp]:
    return None, lambda g: np.where(condition, g, 0), lambda g: np.where(condition, 0, g)


@rule
def clip(out: Array, x: Array, *, min: Any, max: Any) -> tuple[Vjp]:
    def vjp(g: Array) -> Array:
        if max is None:
            return g if min is None else np.where(x >= min, g, 0)
        if min is None:
            return np.where(x <= max, g, 0)
        return np.where((x >= min) & (x <= max), g, 0)

    return (vjp,)


@rule
def astype(out: Array, x: Array, *, dtype: Any) -> tuple[Vjp | None]:
    source = x.dtype
    if source.kind != "f" or out.dtype.kind != "f":
        return (None,)
    return (lambda g: g.astype(source, copy=False),)
