"""Rows of running sums, products and extrema, and of differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import backburner as bb
from ops._row import Array, Row, away_from_zero, ones_of, real, sweep, tied

AXES: tuple[dict[str, Any], ...] = ({"axis": 0}, {"axis": 1}, {"axis": -1})
INITIAL = tuple(options | {"include_initial": True} for options in AXES)
EMPTY = ones_of([(0, 3), (2, 0)], AXES)
USUAL = (
    *ones_of([(2, 3, 4)], (*AXES, *INITIAL)),
    *ones_of([(5,), (1,), (0,)], [{}, {"include_initial": True}]),
    *EMPTY,
)


def along(x: Array, axis: int, run: Callable[[Array], Any]) -> Any:
    """Apply a function of a flat lane to every lane."""
    moved = np.moveaxis(x, axis, -1)
    places = list(np.ndindex(*moved.shape[:-1]))
    length = len(run(np.ones(moved.shape[-1])))
    out = np.empty((*moved.shape[:-1], length))
    for place in places:
        out[place] = run(moved[place])
    return np.moveaxis(out, -1, axis)


def _running(reduce: Callable[[Array], float]) -> Callable[..., Any]:
    def reference(x: Array, axis: int = 0, include_initial: bool = False) -> Any:
        start = 0 if include_initial else 1
        return along(x, axis, lambda lane: [reduce(lane[:i]) for i in range(start, lane.size + 1)])

    return reference


def _last(best: Callable[[Any], float]) -> Callable[..., Any]:
    def reference(x: Array, axis: int) -> Any:
        def run(lane: Array) -> list[int]:
            return [max(np.flatnonzero(lane[: i + 1] == best(lane[: i + 1]))) for i in range(lane.size)]

        return along(x, axis, run).astype(np.int64)

    return reference


def _diff(
    x: Array, prepend: Array | None = None, append: Array | None = None, axis: int = -1, n: int = 1
) -> Any:
    x = np.concatenate([part for part in (prepend, x, append) if part is not None], axis)
    for _ in range(min(n, x.shape[axis])):
        lanes = np.moveaxis(x, axis, -1)
        x = np.moveaxis(lanes[..., 1:] - lanes[..., :-1], -1, axis)
    return x


ROWS = (
    Row("cumulative_sum", (real,), USUAL, _running(math.fsum)),
    Row("cumulative_prod", (away_from_zero,), USUAL, _running(math.prod)),
    Row(
        "cumulative_prod",
        (tied,),
        ones_of([(7, 3), (3, 7)], AXES),
        _running(math.prod),
        name="cumulative_prod_with_zeros",
    ),
    Row(
        "cummax",
        (real,),
        (*ones_of([(2, 3, 4), (9, 3)], AXES), *EMPTY),
        _running(max),
        call=lambda x, **options: bb.cummax(x, **options)[0],
    ),
    Row(
        "cummin",
        (real,),
        (*ones_of([(2, 3, 4), (9, 3)], AXES), *EMPTY),
        _running(min),
        call=lambda x, **options: bb.cummin(x, **options)[0],
    ),
    Row(
        "cummax",
        (tied,),
        (*ones_of([(2, 3, 4), (9, 3)], AXES), *EMPTY),
        _last(max),
        call=lambda x, **options: bb.cummax(x, **options)[1],
        differentiable=(),
        result="int64",
        name="cummax_indices",
    ),
    Row(
        "cummin",
        (tied,),
        (*ones_of([(2, 3, 4), (9, 3)], AXES), *EMPTY),
        _last(min),
        call=lambda x, **options: bb.cummin(x, **options)[1],
        differentiable=(),
        result="int64",
        name="cummin_indices",
    ),
    Row(
        "diff",
        (real,),
        (*ones_of([(2, 3, 4)], [*AXES, *({"n": n, "axis": 1} for n in (0, 2, 3, 9))]), *EMPTY),
        _diff,
        exact=False,
    ),
    Row(
        "diff",
        (real, real, real),
        sweep([((2, 3), (2, 1), (2, 2)), ((2, 3), None, (2, 2)), ((2, 3), (2, 0), None)], [{}, {"n": 2}]),
        _diff,
        call=lambda x, prepend, append, **options: bb.diff(x, prepend=prepend, append=append, **options),
        name="diff_of_joined",
    ),
)
