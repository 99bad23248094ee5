"""Rows of the ops that change the shape, join and part."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional
from ops._row import Array, Row, indices, ones_of, real, sweep

FRAMES = ("edge", "reflect", "symmetric", "wrap")
FRAMES_OF_PYTORCH = ("replicate", "reflect", "circular")


def _elements(x: Array, shape: tuple[int, ...]) -> Any:
    """Return the elements of ``x`` one by one in row-major order, laid out as ``shape``."""
    out = np.empty(shape, x.dtype)
    for source, target in zip(np.ndindex(*x.shape), np.ndindex(*shape), strict=True):
        out[target] = x[source]
    return out


def _permute(x: Array, axes: tuple[int, ...]) -> Any:
    axes = tuple(a % x.ndim for a in axes)
    out = np.empty([x.shape[a] for a in axes], x.dtype)
    for place in np.ndindex(*x.shape):
        out[tuple(place[a] for a in axes)] = x[place]
    return out


def _concat(*xs: Array, axis: int | None) -> Any:
    if axis is None:
        return np.array([v for x in xs for v in x.ravel()])
    parts = [np.moveaxis(x, axis, 0) for x in xs]
    return np.moveaxis(
        np.array([row for part in parts for row in part]).reshape(-1, *parts[0].shape[1:]), 0, axis
    )


def _split(x: Array, sizes: int | tuple[int, ...], axis: int) -> Any:
    n = x.shape[axis]
    lengths = [sizes] * (n // sizes) + [n % sizes] * (n % sizes > 0) if isinstance(sizes, int) else sizes
    ends = np.cumsum(lengths)
    return tuple(
        np.take(x, range(end - length, end), axis=axis) for end, length in zip(ends, lengths, strict=True)
    )


def _pad(x: Array, pad_width: Any, constant_values: float = 0, mode: str = "constant") -> Any:
    if mode != "constant":
        return np.pad(x, pad_width, mode)
    if isinstance(pad_width, int):
        pad_width = [(pad_width, pad_width)] * x.ndim
    elif isinstance(pad_width[0], int):
        pad_width = [pad_width] * x.ndim
    out = np.empty([before + n + after for n, (before, after) in zip(x.shape, pad_width, strict=True)])
    for place in np.ndindex(*out.shape):
        source = tuple(p - before for p, (before, _) in zip(place, pad_width, strict=True))
        inside = all(0 <= i < n for i, n in zip(source, x.shape, strict=True))
        out[place] = x[source] if inside else constant_values
    return out


def _pad_of_pytorch(x: Array, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    for axis, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True), 1):
        n = x.shape[-axis]
        left = list(range(max(0, -before), n + min(0, after)))
        lane: list[int] = []
        for place in range(-before, n + after):
            if mode == "replicate":
                lane.append(min(max(place, 0), n - 1))
            elif mode == "reflect":
                lane.append((n - 1) - abs((n - 1) - abs(place)))
            elif mode == "circular":
                lane.append(left[(place - left[0]) % len(left)])
            else:
                lane.append(place if place in left else n)
        rows = np.moveaxis(x, -axis, 0)
        frame = np.full((1, *rows.shape[1:]), 0.0 if value is None else value)
        x = np.moveaxis(np.concatenate([rows, frame])[lane], 0, -axis)
    return x


def _squeezed(x: Array, axis: Any = None) -> Any:
    if axis is None:
        axis = [i for i, n in enumerate(x.shape) if n == 1]
    places = [a % x.ndim for a in ([axis] if isinstance(axis, int) else axis)]
    return _elements(x, tuple(n for i, n in enumerate(x.shape) if i not in places))


def _picked(x: Array, source: Any) -> Any:
    """Return the elements of ``x`` at ``source(place, length, axis)``."""
    out = np.empty(x.shape)
    for place in np.ndindex(*x.shape):
        out[place] = x[tuple(source(i, x.shape[a], a) for a, i in enumerate(place))]
    return out


def _rolled(x: Array, shift: Any, axis: Any = None) -> Any:
    if axis is None:
        flat = _picked(x.ravel(), lambda i, n, a: (i - shift) % n)
        return flat.reshape(x.shape)
    axes = [a % x.ndim for a in np.atleast_1d(axis)]
    by = [0] * x.ndim
    for a, s in zip(axes, np.broadcast_to(shift, len(axes)), strict=True):
        by[a] += int(s)
    return _picked(x, lambda i, n, a: (i - by[a]) % n)


def _repeated(x: Array, repeats: Any, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = x.ravel(), 0
    counts = np.broadcast_to(repeats, x.shape[axis])
    places = [i for i, count in enumerate(counts) for _ in range(count)]
    return np.take(x, np.array(places, np.int64), axis)


def _tiled(x: Array, repetitions: Any) -> Any:
    counts = (repetitions,) if isinstance(repetitions, int) else repetitions
    ndim = max(x.ndim, len(counts))
    x = x.reshape((1,) * (ndim - x.ndim) + x.shape)
    counts = (1,) * (ndim - len(counts)) + counts
    out = np.empty([n * count for n, count in zip(x.shape, counts, strict=True)])
    for place in np.ndindex(*out.shape):
        out[place] = x[tuple(i % n for i, n in zip(place, x.shape, strict=True))]
    return out


ROWS = (
    Row(
        "reshape",
        (real,),
        (
            *ones_of([(2, 3, 4)], [{"shape": s} for s in ((6, 4), (-1,), (4, -1, 2), 24, (2, 1, 3, 4))]),
            *ones_of([()], [{"shape": (1, 1)}, {"shape": ()}]),
            *ones_of([(0, 3)], [{"shape": (3, 0)}, {"shape": (0,)}]),
        ),
        lambda x, shape: _elements(
            x,
            tuple(
                n if n != -1 else x.size // -math.prod(shape)
                for n in ((shape,) if isinstance(shape, int) else shape)
            )
            if shape != (-1,)
            else (x.size,),
        ),
    ),
    Row(
        "permute_dims",
        (real,),
        (
            *ones_of([(2, 3, 4)], [{"axes": a} for a in ((2, 0, 1), (0, 1, 2), (1, -1, 0))]),
            *ones_of([()], [{"axes": ()}]),
            *ones_of([(0, 3)], [{"axes": (1, 0)}]),
        ),
        _permute,
    ),
    Row(
        "matrix_transpose",
        (real,),
        ones_of([(2, 3), (4, 2, 3), (0, 3)]),
        lambda x: _permute(x, (*range(x.ndim - 2), -1, -2)),
    ),
    Row(
        "expand_dims",
        (real,),
        (
            *ones_of([(2, 3), (0,)], [{}, {"axis": 0}, {"axis": -1}, {"axis": (0, 2)}]),
            *ones_of([()], [{"axis": 0}]),
        ),
        lambda x, axis=0: x.reshape(np.expand_dims(np.empty(x.shape), axis).shape),
    ),
    Row(
        "squeeze",
        (real,),
        (
            *ones_of([(1, 3, 1)], [{}, {"axis": 0}, {"axis": (0, -1)}]),
            *ones_of([(2, 3), (1, 0)], [{}]),
        ),
        _squeezed,
    ),
    Row(
        "flatten",
        (real,),
        (
            *ones_of([(2, 3, 4)], [{}, {"start_axis": 1}, {"start_axis": 0, "end_axis": 1}]),
            *ones_of([(), (0, 3)], [{}]),
        ),
        lambda x, start_axis=0, end_axis=-1: _elements(
            x,
            (
                *x.shape[:start_axis],
                math.prod(x.shape[start_axis : end_axis % max(x.ndim, 1) + 1]),
                *x.shape[end_axis % max(x.ndim, 1) + 1 :],
            ),
        ),
    ),
    Row(
        "broadcast_to",
        (real,),
        (
            *ones_of([(3,)], [{"shape": (3,)}, {"shape": (4, 3)}, {"shape": 3}]),
            *ones_of([(2, 1)], [{"shape": (5, 2, 3)}, {"shape": (2, 0)}]),
            *ones_of([()], [{"shape": (2, 2)}]),
            *ones_of([(0, 1)], [{"shape": (0, 3)}]),
        ),
        lambda x, shape: x * np.ones(shape),
    ),
    Row(
        "concat",
        (real, real, real),
        (
            *sweep([((2, 3), (4, 3), (1, 3)), ((0, 3), (4, 3), (1, 3))], [{"axis": 0}]),
            *sweep([((2, 3), (2, 1), (2, 2))], [{"axis": 1}, {"axis": -1}]),
            *sweep([((2, 3), (), (2,))], [{"axis": None}]),
        ),
        _concat,
        call=lambda *xs, axis: bb.concat(xs, axis=axis),
    ),
    Row(
        "stack",
        (real, real),
        sweep([((2, 3), (2, 3)), ((0, 2), (0, 2))], [{"axis": 0}, {"axis": 1}, {"axis": -1}]),
        lambda *xs, axis: np.moveaxis(np.array([*xs]), 0, axis),
        call=lambda *xs, axis: bb.stack(xs, axis=axis),
    ),
    Row(
        "split",
        (real,),
        (
            *ones_of([(5, 4)], [{"sizes": 2, "axis": 0}, {"sizes": (1, 0, 3), "axis": 1}]),
            *ones_of([(5, 4)], [{"sizes": (4,), "axis": -1}]),
            *ones_of([(0, 4)], [{"sizes": (2, 2), "axis": 1}]),
        ),
        _split,
    ),
    Row(
        "pad",
        (real,),
        (
            *ones_of([(2, 3)], [{"pad_width": 1}, {"pad_width": (1, 0), "constant_values": 2.5}]),
            *ones_of([(2, 3)], [{"pad_width": ((0, 0), (2, 1))}, {"pad_width": 0}]),
            *ones_of(
                [(0, 3)],
                [{"pad_width": 1, "mode": "constant"}, {"pad_width": ((0, 0), (1, 2)), "mode": "edge"}],
            ),
            *ones_of([(2, 3)], [{"pad_width": ((7, 0), (3, 4)), "mode": mode} for mode in FRAMES]),
            *ones_of([(1, 2, 2)], [{"pad_width": 1, "mode": mode} for mode in FRAMES]),
        ),
        _pad,
    ),
    Row(
        "pad",
        (real,),
        (
            *ones_of([(2, 3)], [{"pad": (1, 2)}, {"pad": (-1, 1, 2, -1), "value": 2.5}, {"pad": ()}]),
            *ones_of([(2, 3, 4)], [{"pad": (2, 1), "mode": mode} for mode in FRAMES_OF_PYTORCH]),
            *ones_of([(2, 2, 4)], [{"pad": (-1, 2, 1, 0), "mode": mode} for mode in FRAMES_OF_PYTORCH]),
            *ones_of(
                [(1, 2, 2, 2, 3)], [{"pad": (1, -1, 0, 1, 1, 1), "mode": mode} for mode in FRAMES_OF_PYTORCH]
            ),
            *ones_of([(0, 2, 3)], [{"pad": (1, 1), "mode": "reflect"}]),
        ),
        _pad_of_pytorch,
        call=functional.pad,
        name="pad_of_pytorch",
    ),
    Row(
        "concat",
        (real, indices(-3, 4)),
        sweep([((2, 3), (1, 3))]),
        lambda *xs: _concat(*xs, axis=0),
        call=lambda *xs: bb.concat(xs),
        name="concat_of_floats_and_integers",
    ),
    Row(
        "flip",
        (real,),
        (
            *ones_of([(2, 3, 4)], [{}, {"axis": 1}, {"axis": (0, -1)}, {"axis": ()}]),
            *ones_of([(), (0, 3)], [{}]),
        ),
        lambda x, axis=None: _picked(
            x,
            lambda i, n, a: (
                n - 1 - i if axis is None or a in [k % x.ndim for k in np.atleast_1d(axis)] else i
            ),
        ),
    ),
    Row(
        "roll",
        (real,),
        (
            *ones_of([(3, 4)], [{"shift": 2}, {"shift": -5, "axis": 1}, {"shift": 0, "axis": 0}]),
            *ones_of([(3, 4)], [{"shift": (1, 2), "axis": (0, 1)}, {"shift": 2, "axis": (0, -1)}]),
            *ones_of([(5,)], [{"shift": (3, 3), "axis": (0, 0)}]),
            *ones_of([(), (0, 3)], [{"shift": 1}]),
            *ones_of([(0, 3)], [{"shift": 1, "axis": 0}]),
        ),
        _rolled,
    ),
    Row(
        "repeat",
        (real,),
        (
            *ones_of([(2, 3)], [{"repeats": 2}, {"repeats": 3, "axis": 0}, {"repeats": 0, "axis": 1}]),
            *ones_of([(2, 3)], [{"repeats": (2, 0, 1), "axis": -1}, {"repeats": (2,), "axis": 1}]),
            *ones_of([()], [{"repeats": 3}]),
            *ones_of([(0, 3)], [{"repeats": 2}, {"repeats": 2, "axis": 0}]),
        ),
        _repeated,
        call=lambda x, repeats, axis=None: bb.repeat(x, repeats, axis=axis),
    ),
    Row(
        "repeat",
        (real, indices(0, 4)),
        sweep([((2, 3), (3,))], [{"axis": 1}]),
        lambda x, repeats, axis: _repeated(x, tuple(repeats), axis),
        name="repeat_by_tensor",
    ),
    Row(
        "tile",
        (real,),
        (
            *ones_of([(2, 3)], [{"repetitions": r} for r in (2, (2, 3), (1, 1), (2, 1, 3), (0, 2), ())]),
            *ones_of([()], [{"repetitions": (2, 2)}]),
            *ones_of([(0, 3)], [{"repetitions": 2}]),
        ),
        _tiled,
        call=lambda x, repetitions: bb.tile(x, repetitions),
    ),
    Row(
        "unstack",
        (real,),
        (*ones_of([(2, 3, 2), (1, 1), (2, 0)]), *ones_of([(2, 3, 2)], [{"axis": -1}])),
        lambda x, axis=0: tuple(np.take(x, i, axis) for i in range(x.shape[axis])),
    ),
    Row(
        "moveaxis",
        (real,),
        (
            *ones_of(
                [(2, 3, 4)], [{"source": 0, "destination": -1}, {"source": (2, 0), "destination": (0, 1)}]
            ),
            *ones_of([(2, 3, 4)], [{"source": (0, 1, 2), "destination": (1, 2, 0)}]),
            *ones_of([(0, 3)], [{"source": 0, "destination": 1}]),
        ),
        lambda x, source, destination: _permute(
            x,
            np.moveaxis(np.empty(range(x.ndim)), source, destination).shape,  # whose axis i is i long
        ),
        call=lambda x, source, destination: bb.moveaxis(x, source, destination),
    ),
    Row(
        "swapaxes",
        (real,),
        ones_of([(2, 3, 4), (0, 3)], [{"axes": (0, -1)}, {"axes": (1, 1)}]),
        lambda x, axes: _permute(
            x, tuple({axes[0] % x.ndim: axes[1], axes[1] % x.ndim: axes[0]}.get(i, i) for i in range(x.ndim))
        ),
        call=lambda x, axes: bb.swapaxes(x, *axes),
    ),
    Row(
        "broadcast_arrays",
        (real, real, real),
        sweep([((2, 1), (3,), ()), ((1, 0), (2, 1), (1,))]),
        lambda *xs: tuple(x + 0 * sum(y[...] for y in xs) for x in xs),
    ),
)
