"""Kernels of the resampling ops: a sparse map along an axis, and points picked from planes."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.kernels._jit import kernel, prange

_POINTS = 512


@kernel("x[:,:,:], int[:], int[:], x[:] -> x[:,:,:]", cost=4)
def interpolate_backward(g, begins, places, weights, dx):  # type: ignore[no-untyped-def]
    """Add up for each input along the middle axis the cotangents of the outputs that it is part of.

    Shape:
        g ``[a, m, b]``, begins ``[n + 1]``, places in ``[0, m)`` and weights ``[k]``, dx ``[a, n, b]`` of zeros.
    """
    n, width = dx.shape[1:]
    for i in prange(g.shape[0]):
        for r in range(n):
            if width == 1:
                total = g.dtype.type(0)
                for k in range(begins[r], begins[r + 1]):
                    total += weights[k] * g[i, places[k], 0]
                dx[i, r, 0] = total
            else:
                for k in range(begins[r], begins[r + 1]):
                    place, weight = places[k], weights[k]
                    for j in range(width):
                        dx[i, r, j] += weight * g[i, place, j]


@kernel("x[:,:,:], int[:,:,:], x[:,:,:], int[:,:,:], x[:,:,:] -> float[:,:,:]", cost=16)
def grid_sample_scatter(g, rows, heights, columns, widths, dx):  # type: ignore[no-untyped-def]
    """Add the cotangent of each point to the pixels it was made of, but for those outside, which are below 0.

    Shape:
        g ``[n, c, p]``, rows and heights (their weights) ``[n, r, p]``, columns and widths ``[n, t, p]``,
        dx ``[n, c, pixels]``.
    """
    n, c, points = g.shape
    for task in prange(n * c):
        image, plane = task // c, task % c
        cotangent, target = g[image, plane], dx[image, plane]
        for r in range(rows.shape[1]):
            row, height = rows[image, r], heights[image, r]
            for t in range(columns.shape[1]):
                column, width = columns[image, t], widths[image, t]
                for p in range(points):
                    place = row[p] + column[p]
                    if place >= 0:
                        target[place] += height[p] * width[p] * cotangent[p]


@kernel(
    "x[:,:,:], x[:,:,:], int[:,:,:], x[:,:,:], x[:,:,:,:], int[:,:,:], x[:,:,:], x[:,:,:] -> float[:,:,:]",
    cost=16,
)
def grid_sample_slopes(g, x, rows, heights, climbs, columns, widths, slants, dgrid):  # type: ignore[no-untyped-def]
    """Add up the gradient of each point's coordinates: by the last axis first.

    Shape:
        g ``[n, c, p]``, x ``[n, c, pixels]``, rows and heights ``[n, r, p]`` with their derivatives by each axis
        climbs ``[n, d - 1, r, p]``, columns, widths and slants ``[n, t, p]``, dgrid ``[n, p, d]`` of zeros.
    """
    n, c, points = g.shape
    axes = climbs.shape[1]
    blocks = (points + _POINTS - 1) // _POINTS
    for task in prange(n * blocks):
        image, start = task // blocks, task % blocks * _POINTS
        stop = min(start + _POINTS, points)
        places = np.empty(_POINTS, np.int64)
        products = np.empty(_POINTS, np.float64)
        for r in range(rows.shape[1]):
            row, height = rows[image, r, start:stop], heights[image, r, start:stop]
            for t in range(columns.shape[1]):
                column, width = columns[image, t, start:stop], widths[image, t, start:stop]
                slant = slants[image, t, start:stop]
                for p in range(stop - start):
                    places[p] = row[p] + column[p]
                    products[p] = 0.0
                for plane in range(c):
                    cotangent, pixels = g[image, plane, start:stop], x[image, plane]
                    for p in range(stop - start):
                        if places[p] >= 0:
                            products[p] += cotangent[p] * pixels[places[p]]
                for p in range(stop - start):
                    if places[p] >= 0:
                        dgrid[image, start + p, 0] += products[p] * height[p] * slant[p]
                for axis in range(axes):
                    climb = climbs[image, axis, r, start:stop]
                    for p in range(stop - start):
                        if places[p] >= 0:
                            dgrid[image, start + p, axes - axis] += products[p] * climb[p] * width[p]
