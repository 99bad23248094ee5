"""Kernels of the activations made of two lines and what lies between them."""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange

CHUNK = 1024  # so many values are added in the dtype of the data, and from there in float64


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


@kernel("x[:,:,:], x[:] -> x[:,:,:]")
def prelu_forward(x: Any, weight: Any, out: Any) -> None:
    """Return ``x`` from 0 on, else ``weight * x``.

    Shape:
        x and out ``[n, c, s]``, weight ``[c]``.
    """
    n, c, s = x.shape
    zero = x.dtype.type(0)
    for task in prange(n * c):
        i, k = task // c, task % c
        slope = weight[k]
        for j in range(s):
            v = x[i, k, j]
            out[i, k, j] = slope * v if v < zero else v


@kernel("x[:,:,:], x[:,:,:], x[:] -> x[:,:,:], float[:,:]", fastmath=True)
def prelu_backward(g: Any, x: Any, weight: Any, dx: Any, dweight: Any) -> None:
    """Return the gradient of the input, and that of the weight by example.

    Shape:
        g, x and dx ``[n, c, s]``, weight ``[c]``, dweight ``[n, c]``.
    """
    n, c, s = x.shape
    zero = x.dtype.type(0)
    for task in prange(n * c):
        i, k = task // c, task % c
        slope = weight[k]
        total = 0.0
        for start in range(0, s, CHUNK):
            part = zero
            gs, xs, ds = (
                g[i, k, start : start + CHUNK],
                x[i, k, start : start + CHUNK],
                dx[i, k, start : start + CHUNK],
            )
            for j in range(xs.size):
                below = xs[j] < zero and gs[j] != zero
                part += gs[j] * xs[j] if below else zero
            # A loop of its own: one that sums and writes is vector code only if LLVM finds its arrays far enough
            # apart, so that the order of the sum would hang on where they lie.
            for j in range(xs.size):
                below = xs[j] < zero and gs[j] != zero
                ds[j] = gs[j] * slope if below else gs[j]
            total += part
        dweight[i, k] = total
