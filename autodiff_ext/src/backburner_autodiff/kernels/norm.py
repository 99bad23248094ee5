"""Kernels of the normalisations.

As in the core each takes one value of the data, the origin, off before it sums; ``mean`` is the mean of what is
left. Sums run in the dtype of the data over at most ``CHUNK`` values or ``ROWS`` rows, and from there in float64.
Short rows may have loops of their own, without the slices that would slow them down.
"""

from __future__ import annotations

import math
from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange, subroutine
from backburner_autodiff.kernels._strict import difference

CHUNK = 1024
ROWS = 64
COLUMNS = 64  # channels per task of the batch norm of rows


@subroutine
def normalised(x: Any, origin: Any, mean: Any, rstd: Any) -> Any:
    """Return ``x`` less its mean, in units of the deviation."""
    return ((x - origin) - mean) * rstd


@subroutine
def added(xs: Any) -> Any:
    """Return the sum in order, which NumPy, in runs without the compiler, would take in another."""
    total = 0.0
    for k in range(xs.size):
        total += xs[k]
    return total


@subroutine
def affine(x: Any, weight: Any, bias: Any) -> Any:
    """Return ``x * weight + bias``."""
    return x * weight + bias


@subroutine
def gradient(scale: Any, g: Any, mean_g: Any, y: Any, mean_gy: Any) -> Any:
    """Return the gradient of the input from the mean cotangent and its mean product with the output ``y``."""
    return scale * ((g - mean_g) - y * mean_gy)


@kernel("x[:,:], x[:], x[:], float, bool -> x[:,:], x[:], x[:]", fastmath=True)
def layer_norm_forward(
    x: Any, weight: Any, bias: Any, eps: Any, centred: Any, out: Any, mean: Any, rstd: Any
) -> None:
    """Normalise each row, about its mean or, if it is not to be ``centred``, about 0.

    Shape:
        x and out ``[n, d]``, weight and bias ``[d]``, mean and rstd ``[n]``.
    """
    n, d = x.shape
    zero = x.dtype.type(0)
    for i in prange(n):
        origin = x[i, 0] if centred else zero
        m = zero
        if centred:
            total = 0.0
            for start in range(0, d, CHUNK):
                part = zero
                xs = x[i, start : start + CHUNK]
                for j in range(xs.size):
                    part += difference(xs[j], origin)
                total += part
            m = x.dtype.type(total / d)
        total = 0.0
        for start in range(0, d, CHUNK):
            part = zero
            xs = x[i, start : start + CHUNK]
            for j in range(xs.size):
                y = difference(difference(xs[j], origin), m)
                part += y * y
            total += part
        r = x.dtype.type(1.0 / math.sqrt(total / d + eps))
        mean[i] = m
        rstd[i] = r
        for j in range(d):
            out[i, j] = affine(normalised(x[i, j], origin, m, r), weight[j], bias[j])


@kernel(
    "x[:,:], x[:,:], x[:], x[:], x[:], int, bool -> x[:,:], x[:,:], x[:,:], float[:,:], float[:,:]",
    cost=2,
    fastmath=True,
)
def layer_norm_backward(
    g: Any, x: Any, weight: Any, mean: Any, rstd: Any, size: Any, centred: Any,
    dx: Any, dweight_part: Any, dbias_part: Any, dweight: Any, dbias: Any,
) -> None:  # fmt: skip
    """Return the gradient of the input, and those of weight and bias by blocks of ``size`` rows.

    Shape:
        g, x and dx ``[n, d]``, weight ``[d]``, mean and rstd ``[n]``; the parts, which are scratch, and dweight and
        dbias ``[ceil(n / size), d]``, all zero before, or ``[ceil(n / size), 0]`` where nobody needs them.
    """
    n, d = x.shape
    zero = x.dtype.type(0)
    share = 1.0 / d
    columns = dweight.shape[1]
    for block in prange(dweight.shape[0]):
        stop = min((block + 1) * size, n)
        for first in range(block * size, stop, ROWS):
            for i in range(first, min(first + ROWS, stop)):
                origin, m, r = x[i, 0] if centred else zero, mean[i], rstd[i]
                total_g = 0.0
                total_gy = 0.0
                if d <= CHUNK:
                    part_g = zero
                    part_gy = zero
                    for j in range(d):
                        gw = g[i, j] * weight[j]
                        part_g += gw
                        part_gy += gw * normalised(x[i, j], origin, m, r)
                    total_g += part_g
                    total_gy += part_gy
                else:
                    for start in range(0, d, CHUNK):
                        part_g = zero
                        part_gy = zero
                        gs, xs = g[i, start : start + CHUNK], x[i, start : start + CHUNK]
                        ws = weight[start : start + CHUNK]
                        for j in range(xs.size):
                            gw = gs[j] * ws[j]
                            part_g += gw
                            part_gy += gw * normalised(xs[j], origin, m, r)
                        total_g += part_g
                        total_gy += part_gy
                mean_g = x.dtype.type(total_g * share) if centred else zero
                mean_gy = x.dtype.type(total_gy * share)
                for j in range(d):
                    y = normalised(x[i, j], origin, m, r)
                    dx[i, j] = gradient(r, g[i, j] * weight[j], mean_g, y, mean_gy)
                for j in range(columns):
                    dweight_part[block, j] += g[i, j] * normalised(x[i, j], origin, m, r)
                    dbias_part[block, j] += g[i, j]
            for j in range(columns):
                dweight[block, j] += dweight_part[block, j]
                dbias[block, j] += dbias_part[block, j]
                dweight_part[block, j] = zero
                dbias_part[block, j] = zero


@kernel("x[:,:,:], x[:], x[:], float, int -> x[:,:,:], x[:], x[:]", fastmath=True)
def group_norm_forward(
    x: Any, weight: Any, bias: Any, eps: Any, groups: Any, out: Any, mean: Any, rstd: Any
) -> None:
    """Normalise each group of channels of each example.

    Shape:
        x and out ``[n, c, s]``, weight and bias ``[c]``, mean and rstd ``[n * groups]``.
    """
    n, c, s = x.shape
    width = c // groups
    zero = x.dtype.type(0)
    count = float(width * s)
    for task in prange(n * groups):
        i, first = task // groups, task % groups * width
        origin = x[i, first, 0]
        total = 0.0
        for k in range(first, first + width):
            for start in range(0, s, CHUNK):
                part = zero
                xs = x[i, k, start : start + CHUNK]
                for j in range(xs.size):
                    part += difference(xs[j], origin)
                total += part
        m = x.dtype.type(total / count)
        total = 0.0
        for k in range(first, first + width):
            for start in range(0, s, CHUNK):
                part = zero
                xs = x[i, k, start : start + CHUNK]
                for j in range(xs.size):
                    y = difference(difference(xs[j], origin), m)
                    part += y * y
                total += part
        r = x.dtype.type(1.0 / math.sqrt(total / count + eps))
        mean[task] = m
        rstd[task] = r
        for k in range(first, first + width):
            w, b = weight[k], bias[k]
            for j in range(s):
                out[i, k, j] = affine(normalised(x[i, k, j], origin, m, r), w, b)


@kernel(
    "x[:,:,:], x[:,:,:], x[:], x[:], x[:], int -> x[:,:,:], float[:,:], float[:,:]", cost=2, fastmath=True
)
def group_norm_backward(
    g: Any, x: Any, weight: Any, mean: Any, rstd: Any, groups: Any, dx: Any, dweight: Any, dbias: Any
) -> None:
    """Return the gradient of the input, and those of weight and bias by example.

    Shape:
        g, x and dx ``[n, c, s]``, weight ``[c]``, mean and rstd ``[n * groups]``, dweight and dbias ``[n, c]``.
    """
    n, c, s = x.shape
    width = c // groups
    zero = x.dtype.type(0)
    share = 1.0 / (width * s)
    for task in prange(n * groups):
        i, first = task // groups, task % groups * width
        origin, m, r = x[i, first, 0], mean[task], rstd[task]
        whole_g = 0.0
        whole_gy = 0.0
        for k in range(first, first + width):
            total_g = 0.0
            total_gy = 0.0
            for start in range(0, s, CHUNK):
                part_g = zero
                part_gy = zero
                gs, xs = g[i, k, start : start + CHUNK], x[i, k, start : start + CHUNK]
                for j in range(xs.size):
                    part_g += gs[j]
                    part_gy += gs[j] * normalised(xs[j], origin, m, r)
                total_g += part_g
                total_gy += part_gy
            dbias[i, k] = total_g
            dweight[i, k] = total_gy
            whole_g += weight[k] * total_g
            whole_gy += weight[k] * total_gy
        mean_g, mean_gy = x.dtype.type(whole_g * share), x.dtype.type(whole_gy * share)
        for k in range(first, first + width):
            w = weight[k]
            for j in range(s):
                y = normalised(x[i, k, j], origin, m, r)
                dx[i, k, j] = gradient(r, g[i, k, j] * w, mean_g, y, mean_gy)


@kernel("x[:,:,:], x[:], x[:], float -> x[:,:,:], x[:], x[:], x[:]", fastmath=True)
def batch_norm_forward(
    x: Any, weight: Any, bias: Any, eps: Any, out: Any, mean: Any, var: Any, rstd: Any
) -> None:  # fmt: skip
    """Normalise each channel of images.

    Shape:
        x and out ``[n, c, s]``, the others ``[c]``.
    """
    n, c, s = x.shape
    zero = x.dtype.type(0)
    count = float(n * s)
    for k in prange(c):
        origin = x[0, k, 0]
        total = 0.0
        for i in range(n):
            for start in range(0, s, CHUNK):
                part = zero
                xs = x[i, k, start : start + CHUNK]
                for j in range(xs.size):
                    part += difference(xs[j], origin)
                total += part
        m = x.dtype.type(total / count)
        total = 0.0
        for i in range(n):
            for start in range(0, s, CHUNK):
                part = zero
                xs = x[i, k, start : start + CHUNK]
                for j in range(xs.size):
                    y = difference(difference(xs[j], origin), m)
                    part += y * y
                total += part
        r = x.dtype.type(1.0 / math.sqrt(total / count + eps))
        mean[k] = m
        var[k] = total / count
        rstd[k] = r
        scale, shift = r * weight[k], bias[k]
        for i in range(n):
            for j in range(s):
                out[i, k, j] = affine(difference(difference(x[i, k, j], origin), m), scale, shift)


@kernel("x[:,:,:], x[:,:,:], x[:], x[:], x[:] -> x[:,:,:], x[:], x[:]", fastmath=True)
def batch_norm_backward(
    g: Any, x: Any, weight: Any, mean: Any, rstd: Any, dx: Any, dweight: Any, dbias: Any
) -> None:  # fmt: skip
    """Return the gradients of the batch norm of images.

    Shape:
        g, x and dx ``[n, c, s]``, the others ``[c]``.
    """
    n, c, s = x.shape
    zero = x.dtype.type(0)
    count = float(n * s)
    for k in prange(c):
        origin, m, r = x[0, k, 0], mean[k], rstd[k]
        total_g = 0.0
        total_gy = 0.0
        for i in range(n):
            for start in range(0, s, CHUNK):
                part_g = zero
                part_gy = zero
                xs, gs = x[i, k, start : start + CHUNK], g[i, k, start : start + CHUNK]
                for j in range(xs.size):
                    part_g += gs[j]
                    part_gy += gs[j] * normalised(xs[j], origin, m, r)
                total_g += part_g
                total_gy += part_gy
        dweight[k] = total_gy
        dbias[k] = total_g
        mean_g, mean_gy = x.dtype.type(total_g / count), x.dtype.type(total_gy / count)
        scale = r * weight[k]
        for i in range(n):
            for j in range(s):
                y = normalised(x[i, k, j], origin, m, r)
                dx[i, k, j] = gradient(scale, g[i, k, j], mean_g, y, mean_gy)


@kernel("x[:,:], x[:], x[:], float, int -> x[:,:], x[:], x[:], x[:], x[:,:], float[:]")
def batch_norm_rows_forward(
    x: Any, weight: Any, bias: Any, eps: Any, s: Any, out: Any, mean: Any, var: Any, rstd: Any, scratch: Any, total: Any
) -> None:  # fmt: skip
    """Normalise each channel of small images, seen as rows; the inner loops run over columns.

    Shape:
        x and out ``[n, c * s]``; scratch ``[5, c * s]`` and total ``[c * s]``, zero before; the others ``[c]``.
    """
    n, columns = x.shape
    count = float(n * s)
    zero = x.dtype.type(0)
    width = max(COLUMNS // s, 1) * s
    for task in prange((columns + width - 1) // width):
        low, high = task * width, min((task + 1) * width, columns)
        origin, ms, scale, bs = (
            scratch[0, low:high],
            scratch[1, low:high],
            scratch[2, low:high],
            scratch[3, low:high],
        )
        ps, ts = scratch[4, low:high], total[low:high]
        for k in range(ps.size):
            origin[k] = x[0, low + k - k % s]
        for first in range(0, n, ROWS):
            for i in range(first, min(first + ROWS, n)):
                xs = x[i, low:high]
                for k in range(ps.size):
                    ps[k] += xs[k] - origin[k]
            for k in range(ps.size):
                ts[k] += ps[k]
                ps[k] = zero
        for k in range(0, ps.size, s):
            m = x.dtype.type(added(ts[k : k + s]) / count)
            mean[(low + k) // s] = m
            ms[k : k + s] = m
            ts[k : k + s] = 0.0
        for first in range(0, n, ROWS):
            for i in range(first, min(first + ROWS, n)):
                xs = x[i, low:high]
                for k in range(ps.size):
                    y = (xs[k] - origin[k]) - ms[k]
                    ps[k] += y * y
            for k in range(ps.size):
                ts[k] += ps[k]
                ps[k] = zero
        for k in range(0, ps.size, s):
            channel = (low + k) // s
            variance = added(ts[k : k + s]) / count
            var[channel] = variance
            rstd[channel] = 1.0 / math.sqrt(variance + eps)
            scale[k : k + s] = rstd[channel] * weight[channel]
            bs[k : k + s] = bias[channel]
        for i in range(n):
            xs, ys = x[i, low:high], out[i, low:high]
            for k in range(ps.size):
                ys[k] = affine((xs[k] - origin[k]) - ms[k], scale[k], bs[k])


@kernel("x[:,:], x[:,:], x[:], x[:], x[:], int -> x[:,:], x[:], x[:], x[:,:], float[:,:]")
def batch_norm_rows_backward(
    g: Any, x: Any, weight: Any, mean: Any, rstd: Any, s: Any,
    dx: Any, dweight: Any, dbias: Any, scratch: Any, total: Any,
) -> None:  # fmt: skip
    """Return the gradients of the batch norm of small images, seen as rows.

    Shape:
        g, x and dx ``[n, c * s]``; scratch ``[6, c * s]`` and total ``[2, c * s]``, zero before; the others ``[c]``.
    """
    n, columns = x.shape
    count = float(n * s)
    zero = x.dtype.type(0)
    width = max(COLUMNS // s, 1) * s
    for task in prange((columns + width - 1) // width):
        low, high = task * width, min((task + 1) * width, columns)
        origin, ms, rs, scale = (
            scratch[0, low:high],
            scratch[1, low:high],
            scratch[2, low:high],
            scratch[3, low:high],
        )
        part_gy, part_g, total_gy, total_g = (
            scratch[4, low:high],
            scratch[5, low:high],
            total[0, low:high],
            total[1, low:high],
        )
        for k in range(origin.size):
            channel = (low + k) // s
            origin[k] = x[0, low + k - k % s]
            ms[k] = mean[channel]
            rs[k] = rstd[channel]
            scale[k] = rstd[channel] * weight[channel]
        for first in range(0, n, ROWS):
            for i in range(first, min(first + ROWS, n)):
                xs, gs = x[i, low:high], g[i, low:high]
                for k in range(origin.size):
                    part_gy[k] += gs[k] * normalised(xs[k], origin[k], ms[k], rs[k])
                    part_g[k] += gs[k]
            for k in range(origin.size):
                total_gy[k] += part_gy[k]
                total_g[k] += part_g[k]
                part_gy[k] = zero
                part_g[k] = zero
        for k in range(0, origin.size, s):
            sum_gy, sum_g = added(total_gy[k : k + s]), added(total_g[k : k + s])
            dweight[(low + k) // s] = sum_gy
            dbias[(low + k) // s] = sum_g
            part_gy[k : k + s] = sum_gy / count
            part_g[k : k + s] = sum_g / count
        for i in range(n):
            xs, gs, dxs = x[i, low:high], g[i, low:high], dx[i, low:high]
            for k in range(origin.size):
                y = normalised(xs[k], origin[k], ms[k], rs[k])
                dxs[k] = gradient(scale[k], gs[k], part_g[k], y, part_gy[k])
