"""The backward rule of the activations made of two lines and what lies between them."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.kernels import piecewise as kernels
from backburner_autodiff.rules._rule import Array, Vjp, rule

Line = tuple[float, float]
Parabola = tuple[float, float, float]


def piecewise_forward(
    x: Array, /, *, low: float, high: float, left: Line, middle: Parabola, right: Line
) -> tuple[Array, None]:
    out = np.empty(x.shape, x.dtype)
    kernels.piecewise_forward(x, low, high, *left, *middle, *right, out)
    return out, None


@rule(forward=piecewise_forward)
def piecewise(
    out: Array, x: Array,
    *, low: float, high: float, left: Line, middle: Parabola, right: Line, residuals: None,
) -> tuple[Vjp]:  # fmt: skip
    def vjp(g: Array) -> Array:
        dx = np.empty(g.shape, g.dtype)
        kernels.piecewise_backward(g, x, low, high, left[0], middle[0], middle[1], right[0], dx)
        return dx

    return (vjp,)
