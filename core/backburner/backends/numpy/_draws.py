"""Draws from distributions that NumPy's generator has not, or not to the last digit: pure functions of its state."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from backburner.contracts import Array, Shape
from backburner.dtype import DType

if TYPE_CHECKING:  # NumPy imports its generators when they are first asked for, which takes a while
    from numpy.random import Generator

Proposal = Callable[[int], tuple[Array, Array]]


def trunc_normal(
    generator: Generator, shape: Shape, dtype: DType, mean: float, std: float, low: float, high: float
) -> Array:
    """Draw from the normal distribution between ``low`` and ``high``, by rejection, however far out they lie.

    In a tail proposals are exponential from its nearer end on, on a short interval uniform: each is accepted
    with a probability of at least about a half (Robert, "Simulation of truncated normal variables", 1995).
    """
    a, b = (low - mean) / std, (high - mean) / std
    size = math.prod(shape)
    if a > 1e150 or b < -1e150:  # so far out that the nearer end is all there is
        y = np.full(size, low if a > 0 else high)
    elif a <= 0 <= b and b - a > math.sqrt(2 * math.pi):
        y = mean + std * _accepted(lambda n: _normals(generator, n, a, b), size)
    elif a <= 0 <= b:
        y = low + std * _accepted(lambda n: _uniforms(generator, n, a, b), size)
    elif a > 0:
        y = low + std * _accepted(_tail(generator, a, b), size)
    else:
        y = high - std * _accepted(_tail(generator, -b, -a), size)
    held: Array = np.clip(y, low, high).astype(dtype)
    return held.reshape(shape)


def _accepted(propose: Proposal, size: int) -> Array:
    """Propose until there are enough."""
    parts: list[Array] = []
    missing = size
    while missing > 0:
        drawn, accepted = propose(missing + missing // 2 + 16)
        parts.append(drawn[accepted][:missing])
        missing -= parts[-1].size
    return np.concatenate(parts) if parts else np.empty(0)


def _normals(generator: Generator, n: int, a: float, b: float) -> tuple[Array, Array]:
    z = generator.standard_normal(n)
    return z, (a <= z) & (z <= b)


def _uniforms(generator: Generator, n: int, a: float, b: float) -> tuple[Array, Array]:
    """Propose distances from ``a``; the density is highest at whichever of ``a`` and 0 is larger."""
    t = (b - a) * generator.random(n)
    top = max(a, 0.0)
    return t, generator.random(n) < np.exp((top - a - t) * (a + t + top) / 2)


def _tail(generator: Generator, a: float, b: float) -> Proposal:
    """Return what proposes distances from ``a``, which is positive."""
    spread = a + math.hypot(a, 2)
    if b - a <= 2 / spread * math.exp(0.5 - a / spread):
        return lambda n: _uniforms(generator, n, a, b)
    rate = spread / 2

    def propose(n: int) -> tuple[Array, Array]:
        t = generator.standard_exponential(n) / rate
        likely = np.exp(-((t - 2 / spread) ** 2) / 2)
        return t, (generator.random(n) < likely) & (t <= b - a)

    return propose


def multinomial(
    generator: Generator, shape: Shape, dtype: DType, probabilities: Array, replacement: bool
) -> Array:
    """Draw ``shape[-1]`` categories for each row of unnormalised probabilities, float64 and none negative."""
    if not replacement:
        # the first of competing exponential clocks, and the next ones
        with np.errstate(divide="ignore"):
            times = generator.standard_exponential(probabilities.shape) / probabilities
        return np.argsort(times, -1, "stable")[:, : shape[-1]].astype(dtype).reshape(shape)
    bounds = np.cumsum(probabilities, -1)
    marks = generator.random((probabilities.shape[0], shape[-1])) * bounds[:, -1:]
    found = np.empty(marks.shape, dtype)
    for row, (bound, mark) in enumerate(zip(bounds, marks, strict=True)):
        last = int(np.flatnonzero(probabilities[row])[-1])
        found[row] = np.minimum(bound.searchsorted(mark, "right"), last)
    return found.reshape(shape)


def dirichlet(generator: Generator, shape: Shape, dtype: DType, concentration: Array) -> Array:
    """Draw points of the simplex along the last axis, by the logarithms of gamma draws.

    A gamma draw of a small parameter is one of the parameter plus 1, times a uniform to the power of its
    inverse (Marsaglia and Tsang 2000), which would underflow.
    """
    logs = np.log(generator.standard_gamma(concentration + 1, shape))
    logs -= generator.standard_exponential(shape) / concentration
    logs -= logs.max(-1, keepdims=True)
    with np.errstate(under="ignore"):
        y = np.exp(logs)
        y /= y.sum(-1, keepdims=True)
    return y.astype(dtype)
