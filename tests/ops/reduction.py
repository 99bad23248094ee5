"""Rows of the reductions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ops._row import Array, Row, ones_of, real, tied

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
)
