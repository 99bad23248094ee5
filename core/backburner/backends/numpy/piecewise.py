"""Forwards of the activations made of two lines and what lies between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from backburner.contracts import Array

if TYPE_CHECKING:
    from backburner.contracts.piecewise import Line, Parabola


def piecewise(x: Array, /, *, low: float, high: float, left: Line, middle: Parabola, right: Line) -> Array:
    """Return one of three polynomials: by ``x < low``, by ``x > high``, and between them."""
    with np.errstate(over="ignore", invalid="ignore"):  # of a piece where another one counts
        out = _polynomial(x, *middle)
        if left[0] == right[0] == middle[0] == 0 and left[1] <= right[1]:
            return np.clip(out, left[1], right[1], out=out)  # all there is are lines that meet
        for line, beyond in ((left, x < low), (right, x > high)):
            other = np.full_like(x, line[1]) if line[0] == 0 else _polynomial(x, 0.0, *line)
            _replace(out, other, beyond)
    return out


def prelu(x: Array, weight: Array, /) -> Array:
    """Return ``x`` from 0 on, else ``weight * x``."""
    wide = weight.reshape(weight.shape + (1,) * (x.ndim - 2)) if weight.ndim else weight
    out = np.array(x, order="K")
    with np.errstate(over="ignore", invalid="ignore"):  # of what is not picked
        _replace(out, np.multiply(x, wide, out=np.empty_like(x)), x < 0)
    return out


def _polynomial(x: Array, a: float, b: float, c: float) -> Array:
    """Return ``(a x + b) x + c``, a new array."""
    out = np.multiply(x, a or b, out=np.empty_like(x))
    if a:
        out += b
        out *= x
    if c or not b:  # the latter makes 0 of -0
        out += c
    return out


def _replace(out: Array, other: Array, mask: Array) -> None:
    """Copy from ``other``, which is lost, where ``mask`` holds: by bits, as a select is six times slower."""
    bits = np.dtype(f"i{out.itemsize}")
    ours, theirs = out.view(bits), other.view(bits)
    theirs ^= ours
    theirs &= np.negative(mask, dtype=bits)
    ours ^= theirs
