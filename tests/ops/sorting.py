"""Rows of sorting and searching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import backburner as bb
from ops._row import Array, Row, ones_of, real, sweep, tied
from ops.scan import along

AXES: tuple[dict[str, Any], ...] = ({}, {"axis": 0}, {"axis": 1, "descending": True}, {"stable": False})
SHAPES = [(2, 3, 4), (9, 3)]
USUAL = (*ones_of(SHAPES, AXES), *ones_of([(0, 3), (2, 0)], AXES))
FIRST: tuple[dict[str, Any], ...] = (
    *({"k": 2, "axis": axis, "largest": largest} for axis in (0, -1) for largest in (True, False)),
    {"k": 0},
)
TOP = (
    *ones_of(SHAPES, FIRST),
    *ones_of([(2, 60)], [{"k": 3}, {"k": 7, "largest": False}, {"k": 60}]),
    *ones_of([(60, 2)], [{"k": 3, "axis": 0}]),
    *ones_of([(0, 3)], [{"k": 2}]),
    *ones_of([(3, 0)], [{"k": 0}]),
)


def _order(lane: Array, descending: bool) -> list[int]:
    """Return the indices of a lane in order, by Python's stable sort."""
    return sorted(range(lane.size), key=lambda i: -lane[i] if descending else lane[i])


def _argsort(x: Array, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    return along(x, axis, lambda lane: _order(lane, descending)).astype(np.int64)


def _sort(x: Array, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    return along(x, axis, lambda lane: lane[_order(lane, descending)])


def _topk(x: Array, k: int, axis: int = -1, largest: bool = True) -> Any:
    return along(x, axis, lambda lane: lane[_order(lane, largest)[:k]])


def _topk_indices(x: Array, k: int, axis: int = -1, largest: bool = True) -> Any:
    return along(x, axis, lambda lane: _order(lane, largest)[:k]).astype(np.int64)


def _searchsorted(x1: Array, x2: Array, side: str = "left") -> Any:
    places = [sum(v < w if side == "left" else v <= w for v in x1) for w in x2.ravel()]
    return np.array(places, np.int64).reshape(x2.shape)


def _ordered(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.sort(tied(rng, shape))


def _nonzero(x: Array) -> Any:
    places = [place for place in np.ndindex(*x.shape) if x[place] != 0]
    return tuple(np.array([place[i] for place in places], np.int64) for i in range(x.ndim))


def _values(x: Array) -> list[float]:
    return sorted(set(x.ravel().tolist()))


def _inverse(x: Array) -> Any:
    values = _values(x)
    return np.array([values.index(v) for v in x.ravel()], np.int64).reshape(x.shape)


def _counts(x: Array) -> Any:
    return np.array([x.ravel().tolist().count(v) for v in _values(x)], np.int64)


def _indices(x: Array) -> Any:
    return np.array([x.ravel().tolist().index(v) for v in _values(x)], np.int64)


def _quantile(x: Array, q: Any, axis: Any = None, keepdims: bool = False, method: Any = "linear") -> Any:
    return np.quantile(x, q, axis, keepdims=keepdims, method=method)


def _part(op: str, i: int) -> Callable[..., Any]:
    return lambda x, **options: getattr(bb, op)(x, **options)[i]


SOME = ones_of([(2, 3, 4), (5,), (), (0, 3)])

BINS: tuple[dict[str, Any], ...] = (
    {"bins": 3, "range": (-1.5, 1.0)},
    {"bins": (-2.0, -0.5, 0.25, 2.0)},
    {"bins": "sqrt"},
    {},
)

ROWS = (
    Row("sort", (real,), USUAL, _sort),
    Row("argsort", (tied,), USUAL, _argsort, differentiable=(), result="int64"),
    Row("topk", (real,), TOP, _topk, call=_part("topk", 0)),
    Row(
        "topk",
        (tied,),
        TOP,
        _topk_indices,
        call=_part("topk", 1),
        differentiable=(),
        result="int64",
        name="topk_indices",
    ),
    Row(
        "searchsorted",
        (_ordered, tied),
        (
            *sweep([((9,), (2, 3)), ((9,), ()), ((0,), (4,))], [{}, {"side": "right"}]),
            *sweep([((3,), (0, 2))]),
        ),
        _searchsorted,
        differentiable=(),
        result="int64",
    ),
    Row(
        "searchsorted",
        (tied, tied),
        sweep([((9,), (4,)), ((0,), (4,))]),
        lambda x1, x2: _searchsorted(np.sort(x1), x2),
        call=lambda x1, x2: bb.searchsorted(x1, x2, sorter=bb.argsort(x1)),
        differentiable=(),
        result="int64",
        name="searchsorted_by_sorter",
    ),
    Row(
        "nonzero",
        (tied,),
        ones_of([(2, 3, 4), (5,), (0, 3)]),
        _nonzero,
        differentiable=(),
        result="int64",
    ),
    Row("unique_values", (real,), SOME, lambda x: np.array(_values(x))),
    Row("unique_all", (real,), SOME, lambda x: np.array(_values(x)), call=_part("unique_all", 0)),
    *(
        Row(
            op,
            (tied,),
            SOME,
            reference,
            call=_part(op, i),
            differentiable=(),
            result="int64",
            name=f"{op}_{i}",
        )
        for op, i, reference in (
            ("unique_all", 1, _indices),
            ("unique_all", 2, _inverse),
            ("unique_all", 3, _counts),
            ("unique_counts", 1, _counts),
            ("unique_inverse", 1, _inverse),
        )
    ),
    *(
        Row(
            "histogram",
            (real,),
            ones_of([(3, 4), ()], options)
            + ones_of([(0, 2)], [{"bins": 2, "range": (0, 1), **options[-1]}][:more]),
            lambda x, part=part, **options: np.histogram(x, **options)[part],
            call=_part("histogram", part),
            differentiable=(),
            result=result,
            name=name,
        )
        for name, part, result, more, options in (
            ("histogram", 0, "int64", 1, BINS),
            ("histogram_edges", 1, "", 1, BINS),
            ("histogram_density", 0, "", 0, ({"density": True}, {"bins": 3, "density": True})),
        )
    ),
    Row(
        "histogram",
        (real, real),
        sweep([((3, 4), (3, 4)), ((0, 2), (0, 2))], [{"bins": 3}])
        + sweep([((9,), (9,))], [{"bins": 2, "range": (-0.5, 1.5), "density": True}]),
        lambda x, weights, **options: np.histogram(x, weights=weights, **options)[0],
        call=lambda x, weights, **options: bb.histogram(x, weights=weights, **options).hist,
        differentiable=(1,),
        name="histogram_of_weights",
    ),
    Row(
        "quantile",
        (real,),
        (
            *ones_of(
                [(2, 3, 4)],
                [
                    {"q": 0.3},
                    {"q": 0.5, "axis": 1},
                    {"q": 1.0, "axis": (0, -1), "keepdims": True},
                    {"q": (0.0, 0.25, 0.9), "axis": 0},
                    {"q": (0.6,), "keepdims": True},
                    {"q": 0.4, "axis": ()},
                ],
            ),
            *ones_of(
                [(2, 3, 4)],
                [
                    {"q": (0.0, 0.3, 0.5, 1.0), "axis": axis, "method": method}
                    for axis, method in (
                        (0, "lower"),
                        (1, "higher"),
                        (2, "midpoint"),
                        (2, "nearest"),
                        (0, "nearest"),
                    )
                ],
            ),
            *ones_of([()], [{"q": 0.7}]),
            *ones_of([(0, 3)], [{"q": 0.7, "axis": 1}]),
        ),
        _quantile,
        call=lambda x, q, **options: bb.quantile(x, q, **options),
    ),
)
