"""Rows of the ops on what floats are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backburner as bb
from ops._pointwise import PAIRS, SINGLES, binary, mapped, unary
from ops._row import Array, Row, Shape, away_from_zero, ones_of, real, sweep, tied


def strange(rng: np.random.Generator, shape: Shape) -> Array:
    """Draw NaN, infinities, zeros of either sign and plain numbers."""
    return np.asarray(rng.choice([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, -2.0], shape))


def _close(x: Array, y: Array, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    return np.abs(x - y) <= atol + rtol * np.abs(y)


TOLERANCES: tuple[dict[str, Any], ...] = ({}, {"rtol": 0, "atol": 1.5}, {"rtol": 1.0})

ROWS = (
    unary("isnan", strange, lambda x: x != x, result="bool", differentiable=()),
    unary("isinf", strange, lambda x: np.abs(x) == math.inf, result="bool", differentiable=()),
    unary("isfinite", strange, lambda x: np.abs(x) < math.inf, result="bool", differentiable=()),
    unary(
        "signbit", strange, mapped(lambda x: math.copysign(1, x) < 0, bool), result="bool", differentiable=()
    ),
    unary("real", real, lambda x: x * 1),
    unary("conj", real, lambda x: x * 1),
    unary("imag", real, lambda x: x * 0, differentiable=()),
    binary("copysign", away_from_zero, away_from_zero, lambda x, y: np.abs(x) * np.where(y < 0, -1, 1)),
    binary("nextafter", real, real, mapped(math.nextafter)),
    Row(
        "nan_to_num",
        (strange,),
        ones_of(SINGLES, [{"nan": 0.5, "posinf": 9, "neginf": -9.5}]),
        mapped(
            lambda x, nan, posinf, neginf: (
                nan if math.isnan(x) else max(min(x, posinf), neginf) if math.isinf(x) else x
            )
        ),
        exact=True,
    ),
    Row("isclose", (tied, tied), sweep(PAIRS, TOLERANCES), _close, result="bool", differentiable=()),
    Row(
        "allclose",
        (tied, tied),
        sweep(PAIRS, TOLERANCES),
        lambda x, y, **options: np.all(_close(x, y, **options)),
        call=lambda x, y, **options: bb.tensor(bb.allclose(x, y, **options)),
        result="bool",
        differentiable=(),
    ),
)
