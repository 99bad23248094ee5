"""Backward rules of the resampling ops."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from backburner.backends.numpy._windows import transposed, windows
from backburner.backends.numpy.resample import resized_axes, samples
from backburner_autodiff.kernels.indexing import LONG
from backburner_autodiff.kernels.resample import (
    grid_sample_scatter,
    grid_sample_slopes,
    interpolate_backward,
)
from backburner_autodiff.rules._rule import Array, Vjp, rule

Shape = tuple[int, ...]


@rule(compute_bound=True)
def interpolate(
    out: Array, x: Array,
    *, size: Shape, mode: str, ratios: tuple[float | None, ...], align_corners: bool, antialias: bool,
) -> tuple[Vjp]:  # fmt: skip
    shape, dtype = x.shape, x.dtype

    def vjp(g: Array) -> Array:
        first = len(shape) - len(size)
        for axis in reversed(resized_axes(shape, size, ratios)):
            n, m = shape[axis], size[axis - first]
            before, after = g.shape[:axis], g.shape[axis + 1 :]
            if mode == "area" and m == 1:
                g = np.broadcast_to(g / n, (*before, n, *after))
                continue
            taps, weights = windows(n, m, mode, ratios[axis - first], align_corners, antialias, dtype)
            begins, places, shares = transposed(taps, weights, n)
            # so many float32 added one after another lose more than a cast costs
            wide = np.dtype(np.float64) if np.diff(begins).max() > LONG else dtype
            dx = np.zeros((math.prod(before), n, math.prod(after)), wide)
            lines = g.astype(wide, copy=False).reshape(len(dx), m, dx.shape[2])
            interpolate_backward(lines, begins, places, shares.astype(wide), dx)
            g = dx.astype(dtype, copy=False).reshape(*before, n, *after)
        return g

    return (vjp,)


@rule(compute_bound=True)
def grid_sample(
    out: Array, x: Array, grid: Array, *, mode: str, padding_mode: str, align_corners: bool
) -> Callable[[Array, tuple[bool, ...]], tuple[Array | None, ...]]:
    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array | None, ...]:
        n, c = x.shape[:2]
        pixels = math.prod(x.shape[2:])
        d, count = grid.shape[-1], math.prod(grid.shape[1:-1])
        dx = np.zeros((n, c, pixels), x.dtype) if needed[0] else None
        dgrid = np.zeros((n, count, d), grid.dtype) if needed[1] else None
        cotangents, planes = g.reshape(n, c, count), x.reshape(n, c, pixels)
        total = np.empty((0, 0, 0))
        blocks = samples(grid.reshape(n, count, d), x.shape[2:], mode, padding_mode, align_corners, needed[1])
        for images, points, rows, columns in blocks if g.size else ():
            part = cotangents[images, :, points]
            if dx is not None:
                if points.start == 0:
                    total = np.zeros((len(part), c, pixels))
                grid_sample_scatter(part, *rows[:2], *columns[:2], total)
                if points.stop >= count:
                    dx[images] = total
            if dgrid is not None and mode != "nearest":
                slopes = np.zeros((len(part), part.shape[2], d))
                grid_sample_slopes(part, planes[images], *rows, *columns[:2], columns.slopes[:, 0], slopes)
                dgrid[images, points] = slopes
        return (
            None if dx is None else dx.reshape(x.shape),
            None if dgrid is None else dgrid.reshape(grid.shape),
        )

    return vjp
