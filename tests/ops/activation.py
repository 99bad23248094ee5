"""Rows of the activations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional
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


def _dropout(x: Array, p: float = 0.5, training: bool = True) -> Any:
    if not training:
        return x
    # the same draw of the same stream tells what stays: dropout of ones
    bb.Device.cpu().seed(20)
    kept = functional.dropout(bb.ones(x.shape), p).numpy() != 0
    return np.where(kept, x / (1 - p) if p < 1 else 0, 0)


ROWS = (
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
    Row(
        "dropout",
        (real,),
        ones_of(
            [(4, 6), (), (5, 41), (2, 0)],
            [{}, {"p": 0.25}, {"p": 0}, {"p": 1}, {"p": 0.5, "training": False}],
        ),
        _dropout,
        random=True,
    ),
)
