"""Rows of the activations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backburner as bb
from ops._row import Array, Row, ones_of, real, wide

SINGLES = ((2, 3), (), (5, 41), (3, 0))
AXES = ((2, 3, 4), (3, 37))
_erf = np.vectorize(math.erf, otypes=[np.float64])


def _gelu(x: Array, approximate: str = "none") -> Any:
    if approximate == "none":
        return x * (1 + _erf(x / math.sqrt(2))) / 2
    return x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _softmax(x: Array, axis: int = -1) -> Any:
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def _row(
    op: str, reference: Any, *options: dict[str, Any], shapes: Any = ((3, 7), (), (2, 0)), **more: Any
) -> Row:
    """Return a row with every option for one shape, and the other shapes without."""
    cases = (*ones_of(shapes), *ones_of(shapes[:1], options))
    return Row(op, (wide,), cases, reference, **{"exact": False, **more})


def _elu(x: Array, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _celu(x: Array, alpha: float = 1.0) -> Any:
    return np.maximum(x, 0) + np.minimum(alpha * np.expm1(x / alpha), 0)


def _softplus(x: Array, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return np.where(beta * x > threshold, x, np.logaddexp(beta * x, 0) / beta)


def _gumbel(logits: Array, tau: float = 1.0, hard: bool = False, axis: int = -1) -> Any:
    bb.Device.cpu().seed(20)
    draws = bb.random.uniform(logits.shape).numpy().astype(np.float64)
    soft = _softmax((logits - np.log(-np.log(draws))) / tau, axis)
    return np.where(soft == soft.max(axis=axis, keepdims=True), 1, 0) if hard else soft


ROWS = (
    _row("silu", lambda x: x / (1 + np.exp(-x)), shapes=((5, 41), (), (2, 0))),
    _row("mish", lambda x: x * np.tanh(np.log1p(np.exp(x))), shapes=((5, 41), (), (2, 0))),
    _row("elu", _elu, {"alpha": 0.3}, {"alpha": -2.0}),
    _row("celu", _celu, {"alpha": 0.5}, {"alpha": 4}),
    _row("selu", lambda x: 1.0507009873554805 * _elu(x, 1.6732632423543772)),
    _row(
        "softplus",
        _softplus,
        {"beta": 3.0},
        {"beta": 2, "threshold": 1.5},
        {"threshold": math.inf},
        {"beta": -1.5},
    ),
    _row("logsigmoid", lambda x: -np.log1p(np.exp(-x))),
    _row("softsign", lambda x: x / (1 + abs(x)), exact=True),
    _row("tanhshrink", lambda x: x - np.tanh(x)),
    _row(
        "glu",
        lambda x, axis=-1: np.split(x, 2, axis)[0] / (1 + np.exp(-np.split(x, 2, axis)[1])),
        {"axis": 0},
        {"axis": 1},
        shapes=((2, 4, 6), (2,), (2, 0)),
    ),
    _row(
        "softmin",
        lambda x, axis=-1: _softmax(-x, axis),
        {"axis": 0},
        shapes=((3, 7), (0, 2)),
    ),
    _row(
        "quiet_softmax",
        lambda x, axis=-1: np.exp(x) / (1 + np.exp(x).sum(axis=axis, keepdims=True)),
        {"axis": 0},
        shapes=((3, 7), (0, 2)),
    ),
    _row(
        "gumbel_softmax",
        _gumbel,
        {"tau": 0.5},
        {"axis": 0},
        shapes=((3, 7), (0, 2)),
        random=True,
    ),
    Row(
        "gumbel_softmax",
        (wide,),
        ones_of([(3, 7)], [{"hard": True}, {"hard": True, "axis": 0, "tau": 2}]),
        _gumbel,
        differentiable=(),
        random=True,
        exact=False,
        name="gumbel_softmax_of_one",
    ),
    Row("relu", (real,), ones_of(SINGLES), lambda x: x * (x > 0)),
    Row("sigmoid", (wide,), ones_of(SINGLES), lambda x: (1 + np.tanh(x / 2)) / 2, exact=False),
    Row(
        "gelu",
        (wide,),
        ones_of(SINGLES, [{}, {"approximate": "none"}, {"approximate": "tanh"}]),
        _gelu,
        exact=False,
    ),
    Row(
        "softmax",
        (real,),
        (
            *ones_of(AXES, [{}, {"axis": 0}, {"axis": 1}, {"axis": -2}]),
            *ones_of([(5,), (0, 3), (3, 0)], [{"axis": 0}]),
        ),
        _softmax,
        exact=False,
    ),
    Row(
        "log_softmax",
        (real,),
        (
            *ones_of(AXES, [{}, {"axis": 0}, {"axis": 1}, {"axis": -2}]),
            *ones_of([(5,), (0, 3), (3, 0)], [{"axis": 0}]),
        ),
        lambda x, axis=-1: np.log(_softmax(x, axis)),
        exact=False,
    ),
    *(
        Row(
            op,
            (real,),
            ones_of([(3, 4)], [{"axis": 1, "dtype": "float64"}]),
            reference,
            result="float64",
            exact=False,
            name=f"{op}_in_another_dtype",
        )
        for op, reference in (
            ("softmax", lambda x, axis, dtype: _softmax(x, axis)),
            ("log_softmax", lambda x, axis, dtype: np.log(_softmax(x, axis))),
            ("softmin", lambda x, axis, dtype: _softmax(-x, axis)),
        )
    ),
)
