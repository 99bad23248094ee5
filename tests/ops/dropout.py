"""Rows of dropout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backburner as bb
from ops._row import Array, Row, ones_of, real

LOWEST = -1.7580993408473766


def _kept(shape: tuple[int, ...], p: float) -> Array:
    """Return what the device's stream, started anew, leaves."""
    bb.Device.cpu().seed(20)
    return bb.random.uniform(shape).numpy() >= p


def _dropout(x: Array, p: float = 0.5, training: bool = True) -> Any:
    if not training or p == 0:
        return x
    return np.where(_kept(x.shape, p), x / (1 - p) if p < 1 else 0, 0)


def _channels(batches: tuple[int, ...]) -> Any:
    def reference(x: Array, p: float = 0.5, training: bool = True) -> Any:
        whole = 2 if x.ndim in batches else 1
        kept = _kept((*x.shape[:whole], *(1,) * (x.ndim - whole)), p)
        return np.where(kept, x / (1 - p) if p < 1 else 0 * x, 0) if training and p else x

    return reference


def _alpha(channels: bool) -> Any:
    def reference(x: Array, p: float = 0.5, training: bool = False) -> Any:
        if not training or p == 0:
            return x
        kept = _kept((*x.shape[:2], *(1,) * (x.ndim - 2)) if channels else x.shape, p)
        a = 1 / math.sqrt((1 - p) * (1 + p * LOWEST**2)) if p < 1 else 0
        return a * np.where(kept, x, LOWEST) - a * p * LOWEST

    return reference


TRAINED = [
    {"training": True},
    {"p": 0.2, "training": True},
    {"p": 1, "training": True},
    {"p": 0, "training": True},
    {},
]
ROWS = (
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
    Row(
        "dropout1d",
        (real,),
        (*ones_of([(3, 4, 2), (6, 2), (0, 2, 2)]), *ones_of([(3, 4, 2)], [{"p": 0.2}, {"p": 1}, {"training": False}])),
        _channels((3,)),
        random=True,
    ),
    Row(
        "dropout2d",
        (real,),
        (*ones_of([(2, 4, 2, 2), (3, 3, 2), (0, 2, 1, 1)]), *ones_of([(2, 4, 2, 1)], [{"p": 0.2}, {"p": 0}])),
        _channels((3, 4)),
        random=True,
    ),
    Row(
        "dropout3d",
        (real,),
        (*ones_of([(2, 4, 2, 1, 2), (6, 2, 1, 1), (0, 2, 1, 1, 1)]), *ones_of([(2, 4, 1, 2, 1)], [{"p": 0.2}])),
        _channels((5,)),
        random=True,
    ),
    Row("alpha_dropout", (real,), (*ones_of([(4, 6)], TRAINED), *ones_of([(), (0, 3)], TRAINED[:1])), _alpha(False),
        random=True, exact=False),
    Row("feature_alpha_dropout", (real,), (*ones_of([(4, 6, 2)], TRAINED), *ones_of([(4, 6), (0, 3)], TRAINED[:1])),
        _alpha(True), random=True, exact=False),
)  # fmt: skip
