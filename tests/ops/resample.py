"""Rows of the resampling ops."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ops._row import Array, Combination, Row, ones_of, real, sweep


def _each(value: Any, count: int) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value] * count


def _cubic(d: float, a: float) -> float:
    d = abs(d)
    if d < 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def _lanczos(d: float) -> float:
    return float(np.sinc(d) * np.sinc(d / 3)) if abs(d) < 3 else 0.0


def _matrix(n: int, m: int, mode: str, ratio: float, aligned: bool, antialias: bool) -> Array:
    """Return the matrix of one axis, from ``n`` inputs to ``m`` outputs."""
    y = np.zeros((m, n))
    for o in range(m):
        if mode == "area":
            first, behind = math.floor(o * n / m), math.ceil((o + 1) * n / m)
            y[o, first:behind] = 1 / (behind - first)
        elif mode == "nearest":
            y[o, min(math.floor(o * ratio), n - 1)] = 1
        elif mode == "nearest-exact":
            y[o, min(math.floor((o + 0.5) * ratio), n - 1)] = 1
        elif antialias:
            scale, centre = max(ratio, 1.0), (o + 0.5) * ratio
            reach = {"bilinear": 1, "bicubic": 2, "lanczos": 3}[mode] * scale
            kernel: Any = {
                "bilinear": lambda d: max(0.0, 1 - abs(d)), "bicubic": lambda d: _cubic(d, -0.5), "lanczos": _lanczos,
            }[mode]  # fmt: skip
            for i in range(max(int(centre - reach + 0.5), 0), min(int(centre + reach + 0.5), n)):
                y[o, i] = kernel((i + 0.5 - centre) / scale)
            y[o] /= y[o].sum()
        else:
            place = o * ratio if aligned else (o + 0.5) * ratio - 0.5
            if mode == "bicubic":
                for i in range(math.floor(place) - 1, math.floor(place) + 3):
                    y[o, min(max(i, 0), n - 1)] += _cubic(place - i, -0.75)
            else:
                y[o] = [np.interp(place, np.arange(n), unit) for unit in np.eye(n)]
    return y


def _interpolate(
    x: Array,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Array:
    inner = x.shape[2:]
    scales = _each(scale_factor, len(inner))
    sizes = _each(size, len(inner))
    if scale_factor is not None:
        sizes = [math.floor(n * s) for n, s in zip(inner, scales, strict=True)]
    for axis, (n, m, scale) in enumerate(zip(inner, sizes, scales, strict=True), 2):
        ratio = n / m if scale is None or recompute_scale_factor else 1 / scale
        if align_corners:
            ratio = (n - 1) / (m - 1) if m > 1 else 0.0
        y = np.tensordot(_matrix(n, m, mode, ratio, bool(align_corners), antialias), x, (1, axis))
        x = np.moveaxis(y, 0, axis)
    return x


def _resized() -> tuple[Combination, ...]:
    signal, image, volume = (2, 2, 5), (1, 2, 4, 5), (1, 2, 3, 2, 4)
    aligned, antialias = {"align_corners": True}, {"antialias": True}
    smooth = [
        {"size": (7, 3)},
        {"size": (3, 7), "align_corners": False},
        {"size": (5, 1), **aligned},
        {"scale_factor": (0.6, 2.3)},
        {"scale_factor": 1.4, "recompute_scale_factor": True},
        {"scale_factor": (0.6, 2.3), "recompute_scale_factor": False, **aligned},
    ]
    return (
        *ones_of([signal], [{"size": 8}, {"scale_factor": (0.7,), "mode": "nearest"}]),
        *ones_of([signal], [{"size": (3,), "mode": "nearest-exact"}, {"size": 2, "mode": "area"}]),
        *ones_of([signal], [{"mode": "linear", **o} for o in ({"size": 9}, {"size": 3, **aligned}, {"scale_factor": 1.7})]),
        *ones_of([(1, 2, 40)], [{"size": n, "mode": "area"} for n in (2, 3, 20)]),
        *ones_of([image], [{"size": (3, 8)}, {"scale_factor": 2}, {"scale_factor": (1.5, 0.7), "mode": "nearest-exact"}]),
        *ones_of([image], [{"mode": mode, **options} for mode in ("bilinear", "bicubic") for options in smooth]),
        *ones_of(
            [image],
            [
                {"mode": mode, **antialias, **options}
                for mode in ("bilinear", "bicubic")
                for options in (*smooth[3:5], {"size": (2, 8)}, {"size": (3, 7), **aligned})
            ],
        ),
        *ones_of([image], [{"mode": "lanczos", **antialias, **o} for o in ({"size": (2, 9)}, {"scale_factor": (2.5, 0.5)})]),
        *ones_of([(1, 1, 4, 40)], [{"size": (4, 3), "mode": "bilinear", **antialias}]),
        *ones_of([image], [{"size": size, "mode": "area"} for size in (1, (2, 3), (6, 1), (4, 5))]),
        *ones_of([image], [{"scale_factor": 1.6, "mode": "area"}]),
        *ones_of([volume], [{"mode": "trilinear", **o} for o in ({"size": (5, 2, 2)}, {"size": 3, **aligned}, {"scale_factor": 1.5})]),
        *ones_of([volume], [{"size": (2, 3, 4), "mode": mode} for mode in ("nearest", "nearest-exact", "area")]),
        *ones_of([(0, 2, 4, 3), (2, 0, 4, 3)], [{"size": 2, "mode": "bilinear"}]),
    )  # fmt: skip


def _folded(place: float, low: float, high: float) -> float:
    """Return where mirrors at ``low`` and ``high`` send a place."""
    if low == high:
        return 0.0
    while not low <= place <= high:
        place = 2 * low - place if place < low else 2 * high - place
    return place


def _inside(place: float, size: int, padding_mode: str, aligned: bool) -> float:
    if padding_mode == "zeros":
        return place
    if padding_mode == "reflection":
        place = _folded(place, 0 if aligned else -0.5, size - 1 if aligned else size - 0.5)
    return min(max(place, 0), size - 1)


def _grid_sample(
    x: Array, grid: Array, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Array:  # fmt: skip
    sizes, aligned = x.shape[2:], bool(align_corners)
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for n, *point in np.ndindex(*grid.shape[:-1]):
        axes = []
        for size, coordinate in zip(sizes, grid[(n, *point)][::-1], strict=True):
            place = (coordinate + 1) / 2 * (size - 1) if aligned else (coordinate + 1) / 2 * size - 0.5
            if mode != "bicubic":
                place = _inside(place, size, padding_mode, aligned)
            below = math.floor(place)
            if mode == "nearest":
                taps = {round(place): 1.0}
            elif mode == "bilinear":
                taps = {below: below + 1 - place, below + 1: place - below}
            else:
                taps = {i: _cubic(place - i, -0.75) for i in range(below - 1, below + 3)}
            axes.append([(_inside(i, size, padding_mode, aligned), w) for i, w in taps.items()])
        for taps in itertools.product(*axes):
            if all(0 <= i < size for (i, _), size in zip(taps, sizes, strict=True)):
                pixel = x[(n, slice(None), *(int(i) for i, _ in taps))]
                out[(n, slice(None), *point)] += math.prod(w for _, w in taps) * pixel
    return out


def _coordinates(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw coordinates that are on no pixel, nor in the middle of two, of an axis of 1 to 4."""
    drawn = rng.uniform(-1.6, 1.6, 20 * math.prod(shape))
    for scale in (1, 2, 3, 4):
        drawn = drawn[np.abs(drawn * scale - np.round(drawn * scale)) > 0.02]
    return drawn[: math.prod(shape)].reshape(shape)


def _sampled() -> tuple[Combination, ...]:
    image, volume = ((2, 2, 3, 4), (2, 2, 3, 2)), ((1, 2, 2, 3, 2), (1, 2, 1, 3, 3))
    paddings = ("zeros", "border", "reflection")
    every = [
        {"mode": mode, "padding_mode": padding, "align_corners": aligned}
        for mode in ("bilinear", "nearest", "bicubic")
        for padding in paddings
        for aligned in (False, True)
    ]
    return (
        *sweep([image], [{}, *every]),
        *sweep([volume], [{"align_corners": True}, *({"padding_mode": padding} for padding in paddings[1:])]),
        *sweep([volume], [{"mode": "nearest"}, {"padding_mode": "zeros"}]),
        *sweep([((1, 1, 1, 3), (1, 2, 2, 2))], [{"padding_mode": "reflection", "align_corners": True}]),
        *sweep([((0, 2, 3, 4), (0, 2, 3, 2)), ((2, 0, 3, 4), (2, 2, 3, 2)), ((2, 2, 3, 4), (2, 0, 3, 2))]),
    )


def _affine_grid(theta: Array, size: Any, align_corners: bool | None = None) -> Array:
    n, _, *inner = size
    out = np.empty((n, *inner, len(inner)))
    for image, *point in np.ndindex(n, *inner):
        ends = [1 if align_corners else (m - 1) / m for m in inner]
        place = [2 * i / (m - 1) * e - e if m > 1 else 0 for i, m, e in zip(point, inner, ends, strict=True)]
        out[(image, *point)] = theta[image] @ np.array([*place[::-1], 1])
    return out


ROWS = (
    Row("interpolate", (real,), _resized(), _interpolate, exact=False),
    Row("grid_sample", (real, _coordinates), _sampled(), _grid_sample, exact=False),
    Row(
        "affine_grid",
        (real,),
        (
            *ones_of([(2, 2, 3)], [{"size": (2, 1, 3, 2)}, {"size": (2, 3, 1, 4), "align_corners": True}]),
            *ones_of([(0, 2, 3)], [{"size": (0, 1, 2, 2)}]),
            *ones_of([(1, 3, 4)], [{"size": (1, 2, 2, 3, 1), "align_corners": False}]),
        ),
        _affine_grid,
        exact=False,
    ),
)
