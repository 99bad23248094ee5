"""Backward rules of the trigonometric ops. At NaN, and some at infinities, a derivative is NaN."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.rules._rule import Array, Vjp, rule


@rule(singular=True)
def sin(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * np.cos(x),)


@rule(singular=True)
def cos(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: -g * np.sin(x),)


@rule(singular=True)
def tan(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * (1 + out * out),)


@rule(singular=True)
def asin(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / np.sqrt((1 - x) * (1 + x)),)  # 1 - x * x would cancel near 1


@rule(singular=True)
def acos(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: -g / np.sqrt((1 - x) * (1 + x)),)


@rule(singular=True)
def atan(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / (1 + x * x),)


@rule(singular=True)
def atan2(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    def vjp(g: Array, other: Array) -> Array:
        radius = np.hypot(x, y)
        # At infinity the angle stands still; at the origin it has no derivative, and 0 is the convention.
        still = (radius == 0) | (np.isinf(radius) & ~np.isnan(out))
        return np.where(still, 0, g * (other / radius) / radius)

    return lambda g: vjp(g, y), lambda g: -vjp(g, x)


@rule(singular=True)
def sinh(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * np.cosh(x),)


@rule(singular=True)
def cosh(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * np.sinh(x),)


@rule(singular=True)
def asinh(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / np.hypot(x, x.dtype.type(1)),)  # the square of a large x would overflow


@rule(singular=True)
def acosh(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / (np.sqrt(x - 1) * np.sqrt(x + 1)),)


@rule(singular=True)
def atanh(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g / ((1 - x) * (1 + x)),)
