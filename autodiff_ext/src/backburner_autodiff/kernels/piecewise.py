"""Kernels of the activations made of two lines and what lies between them."""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange


@kernel("x[...], x, x, x, x, x, x, x, x, x -> x[...]")
def piecewise_forward(
    x: Any, low: Any, high: Any, left: Any, left_offset: Any, a: Any, b: Any, c: Any, right: Any, right_offset: Any,
    out: Any,
) -> None:  # fmt: skip
    """Return a line below ``low``, another above ``high``, and ``(a x + b) x + c`` between them."""
    zero = x.dtype.type(0)
    for i in prange(x.size):
        v = x[i]
        below = left_offset if left == zero else left * v + left_offset
        above = right_offset if right == zero else right * v + right_offset
        y = (a * v + b) * v + c
        y = below if v < low else y
        out[i] = above if v > high else y


@kernel("x[...], x[...], x, x, x, x, x, x -> x[...]")
def piecewise_backward(
    g: Any, x: Any, low: Any, high: Any, left: Any, a: Any, b: Any, right: Any, dx: Any
) -> None:
    """Multiply by the slope of the piece, of which 0 stops an infinite cotangent too."""
    zero = x.dtype.type(0)
    double = a + a
    for i in prange(x.size):
        v = x[i]
        slope = double * v + b if a != zero else b
        slope = left if v < low else slope
        slope = right if v > high else slope
        dx[i] = zero if g[i] == zero or slope == zero else g[i] * slope
