"""Rows of the reductions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ops._row import Array, Row, away_from_zero, ones_of, real, tied

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"axis": 0},
    {"axis": -1, "keepdims": True},
    {"axis": (0, 2)},
    {"axis": (2, -2), "keepdims": True},
    {"axis": ()},
)
USUAL = (
    *ones_of([(2, 3, 4)], OPTIONS),
    *ones_of([(), (1,)], [{}, {"keepdims": True}]),
    *ones_of([(300, 3)], [{"axis": 0}, {}]),
)
NOTHING = ones_of([(0, 3), (2, 0)], [{}, {"axis": 0}, {"axis": 1, "keepdims": True}])
NOT_OVER_NOTHING = (*ones_of([(0, 3)], [{"axis": 1}]), *ones_of([(2, 0)], [{"axis": 0, "keepdims": True}]))


def _axes(x: Array, axis: Any) -> tuple[int, ...]:
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tuple(a % x.ndim for a in axes)


def _lanes(x: Array, axis: Any, keepdims: bool, reduce: Any) -> Any:
    """Reduce lane by lane, each of them a flat array, in plain loops."""
    axes = _axes(x, axis)
    kept = [1 if i in axes else n for i, n in enumerate(x.shape)]
    out = np.empty(kept, np.float64)
    for place in np.ndindex(*kept):
        lane = x[tuple(slice(None) if i in axes else slice(k, k + 1) for i, k in enumerate(place))]
        out[place] = reduce(lane.ravel())
    return out if keepdims else out.reshape([n for i, n in enumerate(x.shape) if i not in axes])


def _mean(lane: Array) -> float:
    return math.fsum(lane) / lane.size if lane.size else math.nan


def _var(x: Array, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    def reduce(lane: Array) -> float:
        divisor = max(lane.size - correction, 0)
        total = math.fsum((lane - _mean(lane)) ** 2)
        return total / divisor if divisor else math.nan if total == 0 else math.inf

    return _lanes(x, axis, keepdims, reduce)


def _std(x: Array, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    return np.sqrt(_var(x, axis, correction, keepdims))


def _norm(x: Array, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Any:
    if ord == math.inf:
        return _lanes(x, axis, keepdims, lambda lane: sorted(abs(lane))[-1])
    if ord == -math.inf:
        return _lanes(x, axis, keepdims, lambda lane: sorted(abs(lane))[0])
    if ord == 0:
        return _lanes(x, axis, keepdims, len)
    return _lanes(x, axis, keepdims, lambda lane: math.fsum(abs(lane) ** ord) ** (1 / ord))


def _median(lane: Array) -> float:
    ordered = sorted(lane)
    return float(ordered[(len(lane) - 1) // 2] + ordered[len(lane) // 2]) / 2


def _trace(x: Array, offset: int = 0) -> Any:
    n, m = x.shape[-2:]
    out = np.zeros(x.shape[:-2])
    for i in range(n):
        if 0 <= i + offset < m:
            out = out + x[..., i, i + offset]
    return out


def _argmin(x: Array, axis: int | None = None, keepdims: bool = False) -> Any:
    return _argmax(-x, axis, keepdims)


def _argmax(x: Array, axis: int | None = None, keepdims: bool = False) -> Any:
    if axis is None and x.ndim == 0:
        return np.zeros((), np.int64)
    found = _lanes(x, axis, keepdims, lambda lane: min(i for i, v in enumerate(lane) if v == max(lane)))
    return found.astype(np.int64)


ROWS = (
    Row(
        "sum",
        (real,),
        (*USUAL, *NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, math.fsum),
        exact=False,
    ),
    Row(
        "mean",
        (real,),
        (*USUAL, *NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, _mean),
        exact=False,
    ),
    Row(
        "max",
        (real,),
        (*USUAL, *NOT_OVER_NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, lambda lane: sorted(lane)[-1]),
    ),
    Row(
        "min",
        (real,),
        (*USUAL, *NOT_OVER_NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, lambda lane: sorted(lane)[0]),
    ),
    Row(
        "var",
        (real,),
        (
            *ones_of([(2, 3, 4)], [o | {"correction": c} for o in OPTIONS[:5] for c in (0, 1, 0.5)]),
            *ones_of([(2, 3, 4), (300, 3)], [{}, {"axis": 0}]),
            *NOTHING,
        ),
        _var,
        exact=False,
    ),
    Row(
        "logsumexp",
        (real,),
        (*USUAL, *NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(
            x, axis, keepdims, lambda lane: math.log(math.fsum(np.exp(lane))) if lane.size else -math.inf
        ),
        exact=False,
    ),
    Row(
        "argmax",
        (tied,),
        (
            *ones_of(
                [(2, 3, 4)],
                [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": None, "keepdims": True}],
            ),
            *ones_of([(), (7,)], [{}]),
            *ones_of([(0, 3)], [{"axis": 1}]),
        ),
        _argmax,
        differentiable=(),
        result="int64",
    ),
    Row(
        "argmin",
        (tied,),
        (
            *ones_of(
                [(2, 3, 4)],
                [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": None, "keepdims": True}],
            ),
            *ones_of([(), (7,)], [{}]),
            *ones_of([(0, 3)], [{"axis": 1}]),
        ),
        _argmin,
        differentiable=(),
        result="int64",
    ),
    Row(
        "any",
        (tied,),
        (*USUAL, *NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, lambda lane: sum(lane != 0) > 0) == 1,
        differentiable=(),
        result="bool",
    ),
    Row(
        "all",
        (tied,),
        (*USUAL, *ones_of([(5, 1)], [{"axis": 1}]), *NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, lambda lane: sum(lane == 0) == 0) == 1,
        differentiable=(),
        result="bool",
    ),
    Row(
        "count_nonzero",
        (tied,),
        (*USUAL, *NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, lambda lane: sum(lane != 0)),
        differentiable=(),
        result="int64",
    ),
    Row(
        "prod",
        (away_from_zero,),
        (*ones_of([(2, 3, 4)], OPTIONS), *ones_of([(), (1,)], [{}, {"keepdims": True}]), *NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, math.prod),
        exact=False,
    ),
    Row(
        "prod",
        (tied,),
        ones_of([(2, 3, 2), (7,)], [{}, {"axis": 0}, {"axis": -1}]),
        lambda x, axis=None: _lanes(x, axis, False, math.prod),
        name="prod_with_zeros",
    ),
    Row(
        "std",
        (real,),
        (
            *ones_of([(2, 3, 4)], [o | {"correction": c} for o in OPTIONS[:5] for c in (0, 1, 0.5)]),
            *ones_of([(2, 3, 4), (300, 3)], [{}, {"axis": 0}]),
            *NOTHING,
        ),
        _std,
        exact=False,
    ),
    Row(
        "vector_norm",
        (real,),
        (
            *ones_of([(2, 3, 4)], [o | {"ord": p} for o in OPTIONS for p in (2, 1, 3, 1.5, 0.5, math.inf)]),
            *ones_of([(2, 3)], [o | {"ord": p} for o in OPTIONS[:3] for p in (0, -1, -2.5, -math.inf)]),
            *ones_of([(300, 3), (5,), ()], [{}]),
            *NOTHING,
        ),
        _norm,
        exact=False,
    ),
    Row(
        "norm",
        (real,),
        (*ones_of([(2, 3)], [{}, {"ord": 1}, {"ord": math.inf, "axis": 1}, {"axis": 0}]), *NOTHING),
        lambda x, ord=2, axis=None, keepdims=False: _norm(x, axis, keepdims, ord),
        exact=False,
    ),
    Row(
        "median",
        (real,),
        (*USUAL, *ones_of([(5, 3)], [{}, {"axis": 0}]), *NOT_OVER_NOTHING),
        lambda x, axis=None, keepdims=False: _lanes(x, axis, keepdims, _median),
    ),
    Row(
        "trace",
        (real,),
        (
            *ones_of([(4, 4), (3, 5), (2, 5, 3)], [{}, {"offset": 1}, {"offset": -2}, {"offset": 9}]),
            *ones_of([(0, 3), (2, 0, 0)]),
        ),
        _trace,
        exact=False,
    ),
)
