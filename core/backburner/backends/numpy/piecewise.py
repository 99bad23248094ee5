"""Forwards of the activations made of two lines and what lies between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from backburner.backends.numpy._blocks import by_blocks, select
from backburner.contracts import Array

if TYPE_CHECKING:
    from backburner.contracts.elementwise import Line, Parabola


def piecewise(x: Array, /, *, low: float, high: float, left: Line, middle: Parabola, right: Line) -> Array:
    """Return one of three polynomials: by ``x < low``, by ``x > high``, and between them."""
    a, b, c = middle

    def clipped(x: Array, out: Array) -> None:  # all there is are lines that meet
        if (b, c) == (1, 0):
            x.clip(left[1], right[1], out=out)
        else:
            _polynomial(x, out, a, b, c)
            out.clip(left[1], right[1], out=out)

    def leaky(x: Array, out: Array) -> None:
        np.multiply(x, left[0], out=out)
        (np.maximum if left[0] < 1 else np.minimum)(x, out, out=out)

    def gated(x: Array, out: Array, t: Array) -> None:
        _polynomial(x, out, 0, a, b)
        out.clip(0, 1, out=out)
        x.clip(low, np.inf, out=t)  # infinity times 0 is NaN
        out *= t
        out += 0  # no -0

    def general(x: Array, out: Array, other: Array) -> None:
        _polynomial(x, out, a, b, c)
        for line, beyond in ((left, x < low), (right, x > high)):
            if line[0]:
                _polynomial(x, other, 0, *line)
            else:
                other.fill(line[1])
            select(beyond, other, out)

    if left[0] == right[0] == a == 0 and left[1] <= right[1]:
        return by_blocks(clipped, x)
    if left[0] > 0 and left[1] == low == high == 0 and middle == (0, 1, 0) and right == (1, 0):
        return by_blocks(leaky, x)
    if (
        left == (0, 0)
        and right == (1, 0)
        and a
        and c == 0
        and abs(a * low + b) + abs(a * high + b - 1) < 1e-6
    ):
        return by_blocks(gated, x, scratch=1)
    return by_blocks(general, x, scratch=1)


def prelu(x: Array, weight: Array, /) -> Array:
    """Return ``x`` from 0 on, else ``weight * x``."""
    wide = weight.reshape(weight.shape + (1,) * (x.ndim - 2)) if weight.ndim else weight
    out = np.array(x, order="K")
    with np.errstate(over="ignore", invalid="ignore"):  # of what is not picked
        select(x < 0, np.multiply(x, wide, out=np.empty_like(x)), out)
    return out


def _polynomial(x: Array, out: Array, a: float, b: float, c: float) -> None:
    """Write ``(a x + b) x + c``."""
    np.multiply(x, a or b, out=out)
    if a:
        out += b
        out *= x
    if c or not b:  # the latter makes 0 of -0
        out += c
