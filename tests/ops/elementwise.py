"""Rows of the elementwise ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import backburner as bb
from ops._pointwise import SINGLES, binary, mapped, unary
from ops._row import Row, Sample, away_from_zero, mask, ones_of, positive, real, spread, sweep, wide


def _with_number(op: str, x: Sample, reference: Callable[..., Any], numbers: tuple[float, ...]) -> Row:
    function = getattr(bb, op)
    return Row(
        op,
        (x,),
        ones_of([(2, 3), ()], [{"number": number, "left": left} for number in numbers for left in (0, 1)]),
        lambda x, number, left: reference(number, x) if left else reference(x, number),
        call=lambda x, number, left: function(number, x) if left else function(x, number),
        exact=op != "pow",
        name=f"{op}_number",
    )


def _erfinv(x: float) -> float:
    """Halve the interval."""
    low, high = -6.0, 6.0
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < x else (low, middle)
    return low


ROWS = (
    binary("add", real, real, lambda x, y: x + y),
    binary("subtract", real, real, lambda x, y: x - y),
    binary("multiply", real, real, lambda x, y: x * y),
    binary("divide", real, away_from_zero, lambda x, y: x / y),
    binary("pow", positive, real, lambda x, y: np.exp(y * np.log(x)), exact=False),
    binary("maximum", real, real, lambda x, y: np.where(x > y, x, y)),
    binary("minimum", real, real, lambda x, y: np.where(x < y, x, y)),
    _with_number("add", real, lambda x, y: x + y, (1.5, 2)),
    _with_number("subtract", real, lambda x, y: x - y, (1.5, 2)),
    _with_number("multiply", real, lambda x, y: x * y, (1.5, -2)),
    _with_number("divide", away_from_zero, lambda x, y: x / y, (1.5, -2)),
    _with_number("pow", positive, lambda x, y: np.exp(y * np.log(x)), (2, 3, 0.5, 1)),
    _with_number("maximum", real, lambda x, y: np.where(x > y, x, y), (0.125,)),
    _with_number("minimum", real, lambda x, y: np.where(x < y, x, y), (0.125,)),
    unary("negative", real, lambda x: 0 - x),
    unary("abs", real, lambda x: np.where(x < 0, -x, x)),
    unary("square", real, lambda x: x * x),
    unary("exp", real, lambda x: math.e**x, exact=False),
    unary("log", positive, lambda x: np.log2(x) / math.log2(math.e), exact=False),
    unary("sqrt", positive, lambda x: x**0.5),
    unary("tanh", real, lambda x: 1 - 2 / (np.exp(2 * x) + 1), exact=False),
    unary("erf", real, mapped(math.erf)),
    unary("erfc", wide, mapped(math.erfc)),
    unary("erfinv", spread(-0.95, 0.95), mapped(_erfinv), exact=False),
    unary("expm1", real, mapped(math.expm1), exact=False),
    unary("log1p", spread(-0.75, 2), mapped(math.log1p), exact=False),
    unary("log2", positive, mapped(math.log2), exact=False),
    unary("log10", positive, mapped(math.log10), exact=False),
    binary("logaddexp", real, real, lambda x, y: np.log(np.exp(x) + np.exp(y)), exact=False),
    binary("hypot", real, real, lambda x, y: np.sqrt(x * x + y * y), exact=False),
    unary("reciprocal", away_from_zero, lambda x: 1 / x),
    unary("rsqrt", positive, lambda x: x**-0.5),
    unary("positive", real, lambda x: 0 + x),
    Row(
        "lerp",
        (real, real, spread(-0.5, 1.5)),
        sweep(
            [
                ((2, 3), (2, 3), (2, 3)),
                ((3,), (2, 1), ()),
                ((), (), (4,)),
                ((4, 1, 1), (2, 1), (1, 3)),
                ((0, 3), (3,), (1, 1)),
            ]
        ),
        lambda x, y, weight: (1 - weight) * x + weight * y,
    ),
    Row(
        "lerp",
        (real, real),
        sweep([((2, 3), (3,)), ((), (2,)), ((0, 2), (2,))], [{"weight": t} for t in (0, 0.25, 0.5, 1, -1.5)]),
        lambda x, y, weight: (1 - weight) * x + weight * y,
        call=lambda x, y, weight: bb.lerp(x, y, weight),
        name="lerp_number",
    ),
    Row(
        "where",
        (mask, real, real),
        sweep(
            [
                ((2, 3), (2, 3), (2, 3)),
                ((3,), (2, 1), ()),
                ((4, 1, 1), (2, 1), (1, 3)),
                ((), (2,), (2,)),
                ((0, 3), (3,), ()),
            ]
        ),
        lambda c, x, y: c * x + (1 - c) * y,
    ),
    Row(
        "where",
        (mask, real),
        sweep([((2, 3), (2, 3)), ((3,), ())], [{"number": 0.0}, {"number": 2}]),
        lambda c, x, number: c * x + (1 - c) * number,
        call=lambda c, x, number: bb.where(c, x, number),
        name="where_number",
    ),
    Row(
        "clip",
        (real,),
        ones_of(
            SINGLES,
            [
                {"min": -0.777, "max": 1.111},
                {"min": -0.777},
                {"max": 1.111},
                {"min": 0, "max": 1},
                {"min": None, "max": None},
            ],
        ),
        lambda x, min=None, max=None: np.minimum(
            np.maximum(x, -np.inf if min is None else min), np.inf if max is None else max
        ),
    ),
    Row(
        "clip",
        (real, spread(-1, 0), spread(0, 1)),
        sweep(
            [
                ((2, 3), (2, 3), (3,)),
                ((3,), (2, 1), ()),
                ((), (2,), (2,)),
                ((3,), None, (1,)),
                ((3,), (1,), None),
                ((0, 3), (3,), (1, 1)),
            ]
        ),
        lambda x, low, high: np.minimum(
            np.maximum(x, -np.inf if low is None else low), np.inf if high is None else high
        ),
        name="clip_by_tensors",
    ),
    Row(
        "astype",
        (real,),
        ones_of([(2, 3), (), (0, 2)], [{"to": "float64"}]),
        lambda x, to: x,
        call=lambda x, to: bb.astype(x, to),
        result="float64",
        name="astype_up",
    ),
    Row(
        "astype",
        (real,),
        ones_of([(2, 3), (), (0, 2)], [{"to": "int64"}, {"to": "int8"}]),
        lambda x, to: np.trunc(x).astype(to),
        call=lambda x, to: bb.astype(x, to),
        differentiable=(),
        result="options",
        name="astype_to_integers",
    ),
)
