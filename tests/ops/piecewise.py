"""Rows of the activations made of lines."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from ops._row import Array, Row, ones_of, real, sweep, wide

FEW = ((3, 7), (), (2, 0))


def _row(op: str, reference: Any, *options: dict[str, Any], **more: Any) -> Row:
    """Return a row with every option for one shape, and the other shapes without."""
    return Row(op, (wide,), (*ones_of(FEW), *ones_of(FEW[:1], options)), reference, **more)


def _hardsigmoid(x: Array, alpha: float = 1 / 6, beta: float = 0.5) -> Any:
    return np.minimum(np.maximum(alpha * x + beta, 0), 1)


def _prelu(x: Array, weight: Array) -> Any:
    slopes = weight.reshape(-1, *(1,) * (x.ndim - 2)) if weight.size > 1 or x.ndim > 1 else weight.reshape(())
    return np.maximum(x, 0) + slopes * np.minimum(x, 0)


def _shrink(x: Array, lambd: float = 0.5, bias: float = 0.0) -> Any:
    return np.where(np.abs(x) > lambd, x - bias * np.sign(x), 0)


def _drawn(x: Array, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = True) -> Any:
    bb.Device.cpu().seed(20)
    slopes = bb.random.uniform(x.shape, lower, upper).numpy().astype(np.float64)
    return np.maximum(x, 0) + slopes * np.minimum(x, 0)


ROWS = (
    _row("relu6", lambda x: np.minimum(np.maximum(x, 0), 6)),
    _row(
        "hardtanh",
        lambda x, min_val=-1, max_val=1: np.minimum(np.maximum(x, min_val), max_val),
        {"min_val": 0.5, "max_val": 3},
        {"min_val": -2},
        {"min_val": 1, "max_val": 1},
    ),
    _row("hardsigmoid", _hardsigmoid, {"alpha": 0.2}, {"alpha": 0.5, "beta": 0.25}, exact=False),
    _row("hardswish", lambda x: x * _hardsigmoid(x), exact=False),
    _row("leaky_relu", lambda x, negative_slope=0.01: np.where(x > 0, x, negative_slope * x), {"negative_slope": 0.2},
         {"negative_slope": 0}, {"negative_slope": -1.5}),
    _row("rrelu", lambda x, lower=1 / 8, upper=1 / 3, training=False: np.where(x > 0, x, x * (lower + upper) / 2),
         {"lower": 0.2, "upper": 0.6}, exact=False),
    Row(
        "rrelu",
        (wide,),
        ones_of(FEW[:2], [{"training": True}, {"lower": -0.5, "upper": 0.5, "training": True}]),
        _drawn,
        random=True,
        name="rrelu_in_training",
    ),
    Row(
        "prelu",
        (wide, real),
        sweep([((2, 3, 5), (3,)), ((4, 3), (3,)), ((4, 3), (1,)), ((5,), (1,)), ((), ()), ((2, 3, 2), ()), ((0, 3), (3,)),
               ((3, 0), (0,))]),
        _prelu,
    ),
    Row(
        "threshold",
        (wide,),
        ones_of(FEW, [{"threshold": 0.1, "value": 20.0}]) + ones_of(FEW[:1], [{"threshold": -2, "value": -3}]),
        lambda x, threshold, value: np.where(x > threshold, x, value),
    ),
    _row("thresholded_relu", lambda x, alpha=1.0: np.where(x > alpha, x, 0), {"alpha": -2.0}),
    _row("hardshrink", lambda x, lambd=0.5: _shrink(x, lambd), {"lambd": 2}, {"lambd": 0}),
    _row("softshrink", lambda x, lambd=0.5: _shrink(x, lambd, lambd), {"lambd": 2}, {"lambd": 0}),
    _row("shrink", _shrink, {"lambd": 2, "bias": 1}, {"bias": -1.5}),
)  # fmt: skip
