"""Backward rules of the gamma function's logarithm and its derivative."""

from __future__ import annotations

from backburner.backends.numpy import gamma
from backburner_autodiff.rules._rule import Array, Vjp, rule


@rule(singular=True)
def lgamma(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * gamma.digamma(x),)


@rule(singular=True)
def digamma(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: g * gamma.trigamma(x),)
