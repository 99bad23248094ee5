"""Kernels of the activations.

Backwards select 0 where the cotangent is 0, whatever the derivative there. Sums over a row run in the dtype of the
data over at most ``CHUNK`` values, and from there in float64; short rows have loops of their own, without the
slices that would slow them down.
"""

from __future__ import annotations

import math
from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange, subroutine
from backburner_autodiff.kernels._strict import difference
from backburner_autodiff.kernels.math import erf, exp, log, max_of, sigmoid, tanh

SQRT_HALF = math.sqrt(0.5)
ONE_OVER_SQRT_TAU = 1.0 / math.sqrt(2.0 * math.pi)
SQRT_TWO_OVER_PI = math.sqrt(2.0 / math.pi)
TANH_CUBIC = 0.044715
FAR = 40.0  # where every smooth activation is flat or the identity, in float64 too, and its powers finite
CHUNK = 1024
COLUMNS = 64  # per task, where the sums run over another axis than the last


@kernel("x[...], x[...] -> x[...]")
def relu_backward(g: Any, out: Any, dx: Any) -> None:
    """Let the cotangent through where the output is positive, or NaN."""
    zero = g.dtype.type(0)
    for i in prange(g.size):
        dx[i] = zero if out[i] <= zero else g[i]


@kernel("x[...] -> x[...]", cost=2)
def sigmoid_forward(x: Any, out: Any) -> None:
    """Return ``1 / (1 + exp(-x))``."""
    for i in prange(x.size):
        out[i] = sigmoid(x[i])


@kernel("x[...], x[...] -> x[...]")
def sigmoid_backward(g: Any, out: Any, dx: Any) -> None:
    """Multiply by ``out * (1 - out)``."""
    zero, one = g.dtype.type(0), g.dtype.type(1)
    for i in prange(g.size):
        dx[i] = zero if g[i] == zero else g[i] * (out[i] * (one - out[i]))


@kernel("x[...] -> x[...]", cost=2)
def gelu_forward(x: Any, out: Any) -> None:
    """Return ``x * Phi(x)``."""
    half, one, c = x.dtype.type(0.5), x.dtype.type(1), x.dtype.type(SQRT_HALF)
    low = x.dtype.type(-FAR)
    for i in prange(x.size):
        v = low if x[i] < low else x[i]
        out[i] = half * v * (one + erf(c * v))


@kernel("x[...], x[...] -> x[...]", cost=4)
def gelu_backward(g: Any, x: Any, dx: Any) -> None:
    """Multiply by ``Phi(x) + x * phi(x)``."""
    zero, half, one = x.dtype.type(0), x.dtype.type(0.5), x.dtype.type(1)
    c, d = x.dtype.type(SQRT_HALF), x.dtype.type(ONE_OVER_SQRT_TAU)
    bound = x.dtype.type(FAR)
    for i in prange(x.size):
        v = bound if x[i] > bound else x[i]
        v = -bound if v < -bound else v
        slope = half * (one + erf(c * v)) + d * v * exp(-half * v * v)
        dx[i] = zero if g[i] == zero else g[i] * slope


@kernel("x[...] -> x[...]", cost=2)
def gelu_tanh_forward(x: Any, out: Any) -> None:
    """Return ``x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x**3)))``."""
    half, one = x.dtype.type(0.5), x.dtype.type(1)
    a, b = x.dtype.type(SQRT_TWO_OVER_PI), x.dtype.type(SQRT_TWO_OVER_PI * TANH_CUBIC)
    low = x.dtype.type(-FAR)
    for i in prange(x.size):
        v = low if x[i] < low else x[i]
        out[i] = half * v * (one + tanh(v * (a + b * v * v)))


@kernel("x[...], x[...] -> x[...]", cost=3)
def gelu_tanh_backward(g: Any, x: Any, dx: Any) -> None:
    """Multiply by the derivative of the tanh form."""
    zero, half, one = x.dtype.type(0), x.dtype.type(0.5), x.dtype.type(1)
    three, bound = x.dtype.type(3), x.dtype.type(FAR)
    a, b = x.dtype.type(SQRT_TWO_OVER_PI), x.dtype.type(SQRT_TWO_OVER_PI * TANH_CUBIC)
    for i in prange(x.size):
        # beyond the bound tanh is 1 and the slope 1 or 0, while v * v may overflow to inf, and 0 * inf is NaN
        v = bound if x[i] > bound else x[i]
        v = -bound if v < -bound else v
        square = v * v
        t = tanh(v * (a + b * square))
        slope = half * (one + t) + half * v * (one - t * t) * (a + three * b * square)
        dx[i] = zero if g[i] == zero else g[i] * slope


@kernel("x[...] -> x[...]", cost=2)
def silu_forward(x: Any, out: Any) -> None:
    """Return ``x * sigmoid(x)``, 0 at ``-inf``."""
    lowest = x.dtype.type(-1e30)
    for i in prange(x.size):
        v = lowest if x[i] < lowest else x[i]
        out[i] = v * sigmoid(v)


@kernel("x[...], x[...] -> x[...]", cost=3)
def silu_backward(g: Any, x: Any, dx: Any) -> None:
    """Multiply by ``s * (1 + x * (1 - s))`` with the sigmoid ``s``."""
    zero, one, bound = x.dtype.type(0), x.dtype.type(1), x.dtype.type(1e30)
    for i in prange(x.size):
        v = bound if x[i] > bound else x[i]
        v = -bound if v < -bound else v
        s = sigmoid(v)
        dx[i] = zero if g[i] == zero else g[i] * (s * (one + v * sigmoid(-v)))


@subroutine
def expm1(x: Any) -> Any:
    """Return ``exp(x) - 1`` by ``tanh(x / 2)``, accurate near 0 and for all that is negative."""
    t = tanh(type(x)(0.5) * x)
    return (t + t) / (type(x)(1) - t)


@kernel("x[...], x, x, x -> x[...]", cost=3)
def elu_forward(x: Any, scale: Any, depth: Any, input_scale: Any, out: Any) -> None:
    """Return ``scale * x`` above 0, else ``depth * (exp(input_scale * x) - 1)``."""
    zero = x.dtype.type(0)
    for i in prange(x.size):
        out[i] = scale * x[i] if x[i] > zero else depth * expm1(input_scale * x[i])


@kernel("x[...], x[...], x, x, x -> x[...]", cost=2)
def elu_backward(g: Any, x: Any, scale: Any, slope: Any, input_scale: Any, dx: Any) -> None:
    """Multiply by ``scale`` above 0, else by ``slope * exp(input_scale * x)``."""
    zero = x.dtype.type(0)
    for i in prange(x.size):
        factor = scale if x[i] > zero else slope * exp(input_scale * x[i])
        dx[i] = zero if g[i] == zero else g[i] * factor


@kernel("x[...], x, x -> x[...]", cost=3)
def softplus_forward(x: Any, beta: Any, threshold: Any, out: Any) -> None:
    """Return ``log(1 + exp(beta * x)) / beta``, and ``x`` where ``beta * x`` is above ``threshold``."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    for i in prange(x.size):
        v = beta * x[i]
        e = exp(-abs(v))
        # log(1 + e), less the rounding of 1 + e
        whole = one + e
        part = whole - one
        tail = log(whole) * (e / part) if part > zero else e
        y = (tail + (v if v > zero else zero)) / beta
        y = x[i] if v > threshold else y
        out[i] = y if v == v else v


@kernel("x[...], x[...], x, x -> x[...]", cost=2)
def softplus_backward(g: Any, x: Any, beta: Any, threshold: Any, dx: Any) -> None:
    """Multiply by ``sigmoid(beta * x)``, and by 1 where ``beta * x`` is above ``threshold``."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    for i in prange(x.size):
        v = beta * x[i]
        factor = one if v > threshold else sigmoid(v)
        dx[i] = zero if g[i] == zero else g[i] * factor


@kernel("x[...] -> x[...]", cost=2)
def mish_forward(x: Any, out: Any) -> None:
    """Return ``x * n / (n + 2)`` with ``n = e^x (e^x + 2)``, 0 at ``-inf``."""
    two, far, lowest = x.dtype.type(2), x.dtype.type(FAR), x.dtype.type(-1e30)
    for i in prange(x.size):
        v = lowest if x[i] < lowest else x[i]
        e = exp(far if v > far else v)
        n = e * (e + two)
        out[i] = v * (n / (n + two))


@kernel("x[...], x[...] -> x[...]", cost=3)
def mish_backward(g: Any, x: Any, dx: Any) -> None:
    """Multiply by ``n / (n + 2) + x * 4 e^x (1 + e^x) / (n + 2)^2``."""
    zero, one, two, four = x.dtype.type(0), x.dtype.type(1), x.dtype.type(2), x.dtype.type(4)
    far, lowest = x.dtype.type(FAR), x.dtype.type(-1e30)
    for i in prange(x.size):
        v = far if x[i] > far else x[i]
        v = lowest if v < lowest else v
        e = exp(v)
        n = e * (e + two)
        m = n + two
        dx[i] = zero if g[i] == zero else g[i] * (n / m + v * (four * e * (one + e) / m) / m)


@kernel("x[:,:,:] -> x[:,:]", cost=1.5)
def glu_forward(x: Any, out: Any) -> None:
    """Return ``x[:, 0]`` times the sigmoid of ``x[:, 1]``.

    Shape:
        x ``[n, 2, d]``, out ``[n, d]``.
    """
    n, _, d = x.shape
    blocks = (d + CHUNK - 1) // CHUNK
    for task in prange(n * blocks):
        i, low = task // blocks, task % blocks * CHUNK
        values, gates, ys = x[i, 0, low : low + CHUNK], x[i, 1, low : low + CHUNK], out[i, low : low + CHUNK]
        for j in range(ys.size):
            ys[j] = values[j] * sigmoid(gates[j])


@kernel("x[:,:], x[:,:,:] -> x[:,:,:]", cost=3)
def glu_backward(g: Any, x: Any, dx: Any) -> None:
    """Return the gradients of both halves; an infinite value has none through a gate that is shut."""
    n, d = g.shape
    zero = g.dtype.type(0)
    blocks = (d + CHUNK - 1) // CHUNK
    for task in prange(n * blocks):
        i, low = task // blocks, task % blocks * CHUNK
        gs = g[i, low : low + CHUNK]
        values, gates = x[i, 0, low : low + CHUNK], x[i, 1, low : low + CHUNK]
        ds, es = dx[i, 0, low : low + CHUNK], dx[i, 1, low : low + CHUNK]
        for j in range(gs.size):
            s = sigmoid(gates[j])
            slope = s * sigmoid(-gates[j])
            ds[j] = zero if gs[j] == zero else gs[j] * s
            es[j] = zero if gs[j] == zero or slope == zero else gs[j] * (values[j] * slope)


@kernel("x[:,:] -> x[:,:]", cost=2, fastmath=True)
def softmax_forward(x: Any, out: Any) -> None:
    """Return the softmax of each row."""
    n, d = x.shape
    zero, one = x.dtype.type(0), x.dtype.type(1)
    for i in prange(n):
        highest = max_of(x[i])
        if d <= CHUNK:
            total = zero
            for j in range(d):
                e = exp(difference(x[i, j], highest))
                out[i, j] = e
                total += e
        else:
            whole = 0.0
            for start in range(0, d, CHUNK):
                part = zero
                xs, ys = x[i, start : start + CHUNK], out[i, start : start + CHUNK]
                for j in range(xs.size):
                    e = exp(difference(xs[j], highest))
                    ys[j] = e
                    part += e
                whole += part
            total = x.dtype.type(whole)
        scale = one / total
        for j in range(d):
            out[i, j] *= scale


@kernel("x[:,:], x[:,:] -> x[:,:]", fastmath=True)
def softmax_backward(g: Any, out: Any, dx: Any) -> None:
    """Return ``out * (g - sum(g * out))`` of each row."""
    n, d = g.shape
    zero = g.dtype.type(0)
    for i in prange(n):
        if d <= CHUNK:
            total = zero
            for j in range(d):
                total += g[i, j] * out[i, j]
        else:
            whole = 0.0
            for start in range(0, d, CHUNK):
                part = zero
                gs, ys = g[i, start : start + CHUNK], out[i, start : start + CHUNK]
                for j in range(gs.size):
                    part += gs[j] * ys[j]
                whole += part
            total = g.dtype.type(whole)
        for j in range(d):
            dx[i, j] = out[i, j] * (g[i, j] - total)


@kernel("x[:,:] -> x[:,:]", cost=2, fastmath=True)
def log_softmax_forward(x: Any, out: Any) -> None:
    """Return the log-softmax of each row."""
    n, d = x.shape
    zero = x.dtype.type(0)
    for i in prange(n):
        highest = max_of(x[i])
        if d <= CHUNK:
            total = zero
            for j in range(d):
                shifted = difference(x[i, j], highest)
                out[i, j] = shifted
                total += exp(shifted)
        else:
            whole = 0.0
            for start in range(0, d, CHUNK):
                part = zero
                xs, ys = x[i, start : start + CHUNK], out[i, start : start + CHUNK]
                for j in range(xs.size):
                    shifted = difference(xs[j], highest)
                    ys[j] = shifted
                    part += exp(shifted)
                whole += part
            total = x.dtype.type(whole)
        log_total = log(total)
        for j in range(d):
            out[i, j] -= log_total


@kernel("x[:,:], x[:,:] -> x[:,:]", cost=2, fastmath=True)
def log_softmax_backward(g: Any, out: Any, dx: Any) -> None:
    """Return ``g - exp(out) * sum(g)`` of each row."""
    n, d = g.shape
    zero = g.dtype.type(0)
    for i in prange(n):
        if d <= CHUNK:
            total = zero
            for j in range(d):
                total += g[i, j]
        else:
            whole = 0.0
            for start in range(0, d, CHUNK):
                part = zero
                gs = g[i, start : start + CHUNK]
                for j in range(gs.size):
                    part += gs[j]
                whole += part
            total = g.dtype.type(whole)
        for j in range(d):
            dx[i, j] = g[i, j] - exp(out[i, j]) * total


@kernel("x[:,:,:] -> x[:,:,:], x[:,:], float[:,:]", cost=2)
def softmax_columns_forward(x: Any, out: Any, highest: Any, total: Any) -> None:
    """Return the softmax along the middle axis.

    Shape:
        x and out ``[a, n, b]``; highest and total ``[a, b]``, the latter zero before, are scratch.
    """
    a, n, b = x.shape
    blocks = (b + COLUMNS - 1) // COLUMNS
    for task in prange(a * blocks):
        i, low = task // blocks, task % blocks * COLUMNS
        high = low + COLUMNS
        hs, ts = highest[i, low:high], total[i, low:high]
        hs[:] = x[i, 0, low:high]
        for j in range(1, n):
            xs = x[i, j, low:high]
            for k in range(hs.size):
                hs[k] = xs[k] if xs[k] > hs[k] else hs[k]
        for j in range(n):
            xs, ys = x[i, j, low:high], out[i, j, low:high]
            for k in range(hs.size):
                e = exp(xs[k] - hs[k])
                ys[k] = e
                ts[k] += e
        for k in range(hs.size):
            hs[k] = 1.0 / ts[k]
        for j in range(n):
            ys = out[i, j, low:high]
            for k in range(hs.size):
                ys[k] *= hs[k]


@kernel("x[:,:,:] -> x[:,:,:], x[:,:], float[:,:]", cost=2)
def log_softmax_columns_forward(x: Any, out: Any, highest: Any, total: Any) -> None:
    """Return the log-softmax along the middle axis; shapes as for softmax."""
    a, n, b = x.shape
    blocks = (b + COLUMNS - 1) // COLUMNS
    for task in prange(a * blocks):
        i, low = task // blocks, task % blocks * COLUMNS
        high = low + COLUMNS
        hs, ts = highest[i, low:high], total[i, low:high]
        hs[:] = x[i, 0, low:high]
        for j in range(1, n):
            xs = x[i, j, low:high]
            for k in range(hs.size):
                hs[k] = xs[k] if xs[k] > hs[k] else hs[k]
        for j in range(n):
            xs, ys = x[i, j, low:high], out[i, j, low:high]
            for k in range(hs.size):
                shifted = xs[k] - hs[k]
                ys[k] = shifted
                ts[k] += exp(shifted)
        for k in range(hs.size):
            hs[k] = log(ts[k])
        for j in range(n):
            ys = out[i, j, low:high]
            for k in range(hs.size):
                ys[k] -= hs[k]


@kernel("x[:,:,:], x[:,:,:] -> x[:,:,:], float[:,:]")
def softmax_columns_backward(g: Any, out: Any, dx: Any, total: Any) -> None:
    """Return ``out * (g - sum(g * out))`` along the middle axis; total ``[a, b]`` is zero before."""
    a, n, b = g.shape
    blocks = (b + COLUMNS - 1) // COLUMNS
    for task in prange(a * blocks):
        i, low = task // blocks, task % blocks * COLUMNS
        high = low + COLUMNS
        ts = total[i, low:high]
        for j in range(n):
            gs, ys = g[i, j, low:high], out[i, j, low:high]
            for k in range(ts.size):
                ts[k] += gs[k] * ys[k]
        for j in range(n):
            gs, ys, ds = g[i, j, low:high], out[i, j, low:high], dx[i, j, low:high]
            for k in range(ts.size):
                ds[k] = ys[k] * (gs[k] - g.dtype.type(ts[k]))


@kernel("x[:,:,:], x[:,:,:] -> x[:,:,:], float[:,:]", cost=2)
def log_softmax_columns_backward(g: Any, out: Any, dx: Any, total: Any) -> None:
    """Return ``g - exp(out) * sum(g)`` along the middle axis; total ``[a, b]`` is zero before."""
    a, n, b = g.shape
    blocks = (b + COLUMNS - 1) // COLUMNS
    for task in prange(a * blocks):
        i, low = task // blocks, task % blocks * COLUMNS
        high = low + COLUMNS
        ts = total[i, low:high]
        for j in range(n):
            gs = g[i, j, low:high]
            for k in range(ts.size):
                ts[k] += gs[k]
        for j in range(n):
            gs, ys, ds = g[i, j, low:high], out[i, j, low:high], dx[i, j, low:high]
            for k in range(ts.size):
                ds[k] = gs[k] - exp(ys[k]) * g.dtype.type(ts[k])
