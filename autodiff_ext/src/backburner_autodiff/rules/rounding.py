"""Backward rules of the rounding ops, which are flat: but for ``remainder`` every gradient is 0."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.rules._rule import Array, Vjp, rule


def _flat(g: Array) -> Array:
    return np.zeros_like(g)


@rule
def sign(out: Array, x: Array) -> tuple[Vjp]:
    return (_flat,)


@rule
def floor(out: Array, x: Array) -> tuple[Vjp]:
    return (_flat,)


@rule
def ceil(out: Array, x: Array) -> tuple[Vjp]:
    return (_flat,)


@rule
def round(out: Array, x: Array) -> tuple[Vjp]:
    return (_flat,)


@rule
def trunc(out: Array, x: Array) -> tuple[Vjp]:
    return (_flat,)


@rule
def floor_divide(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    return _flat, _flat


@rule(singular=True)
def remainder(out: Array, x: Array, y: Array) -> tuple[Vjp, Vjp]:
    return lambda g: g, lambda g: -g * np.floor_divide(x, y)
