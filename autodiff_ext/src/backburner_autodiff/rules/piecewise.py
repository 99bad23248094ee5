"""The backward rule of the activations made of two lines and what lies between them."""

from __future__ import annotations

from collections.abc import Callable

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


def _images(x: Array, weight: Array) -> tuple[int, int, int]:
    """Return the sizes before, of and after the axis of the slopes."""
    n = x.shape[0] if x.ndim else 1
    c = weight.size
    return n, c, x.size // (n * c) if x.size else 0


def prelu_forward(x: Array, weight: Array, /) -> tuple[Array, None]:
    out = np.empty(x.shape, x.dtype)
    shape = _images(x, weight)
    kernels.prelu_forward(x.reshape(shape), weight.reshape(-1), out.reshape(shape))
    return out, None


@rule(forward=prelu_forward)
def prelu(
    out: Array, x: Array, weight: Array, *, residuals: None
) -> Callable[[Array, tuple[bool, ...]], tuple[Array, Array]]:
    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array, Array]:
        dx = np.empty(g.shape, g.dtype)
        shape = _images(x, weight)
        dweight = np.zeros(shape[:2])
        kernels.prelu_backward(
            g.reshape(shape), x.reshape(shape), weight.reshape(-1), dx.reshape(shape), dweight
        )
        return dx, dweight.sum(axis=0).astype(g.dtype).reshape(weight.shape)

    return vjp
