"""Rows of the normalisations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ops._row import Array, Row, positive, real, spread, sweep

off_centre = spread(1.0, 4.0)


def _batch_norm(
    x: Array,
    running_mean: Array | None,
    running_var: Array | None,
    weight: Array | None,
    bias: Array | None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    out = np.empty(x.shape)
    c = x.shape[1]
    new_mean = None if running_mean is None else running_mean.copy()
    new_var = None if running_var is None else running_var.copy()
    for k in range(c):
        values = x[:, k]
        n = values.size
        if training and n:
            mean = math.fsum(values.ravel()) / n
            var = math.fsum(((values - mean) ** 2).ravel()) / n
            if new_mean is not None:
                new_mean[k] += momentum * (mean - new_mean[k])
            if new_var is not None:
                new_var[k] += momentum * (var * n / (n - 1) - new_var[k])
        elif not training:
            assert running_mean is not None and running_var is not None
            mean, var = running_mean[k], running_var[k]
        else:
            mean = var = math.nan
        normal = (values - mean) / math.sqrt(var + eps)
        out[:, k] = normal * (1 if weight is None else weight[k]) + (0 if bias is None else bias[k])
    return out, new_mean, new_var


def _layer_norm(
    x: Array, weight: Array | None, bias: Array | None, normalized_shape: Any, eps: float = 1e-5
) -> Any:
    ndim = 1 if isinstance(normalized_shape, int) else len(normalized_shape)
    out = np.empty(x.shape)
    for place in np.ndindex(*x.shape[: x.ndim - ndim]):
        part = x[place]
        mean = math.fsum(part.ravel()) / part.size if part.size else math.nan
        var = math.fsum(((part - mean) ** 2).ravel()) / part.size if part.size else math.nan
        normal = (part - mean) / math.sqrt(var + eps)
        out[place] = normal * (1 if weight is None else weight) + (0 if bias is None else bias)
    return out


def _layer_norm_call(x: Any, weight: Any, bias: Any, normalized_shape: Any, **options: Any) -> Any:
    from backburner.nn import functional

    return functional.layer_norm(x, normalized_shape, weight, bias, **options)


C: tuple[int, ...] = (3,)
BATCHES = ((6, 3), (4, 3, 5), (2, 3, 4, 2), (2, 3, 6, 6))

ROWS = (
    Row(
        "batch_norm",
        (off_centre, real, positive, positive, real),
        (
            *sweep([(s, C, C, C, C) for s in BATCHES], [{"training": True}]),
            *sweep([((4, 3, 5), C, C, C, None)], [{"training": True, "momentum": 0.3, "eps": 1e-2}]),
            *sweep(
                [((4, 3, 5), None, None, None, C), ((6, 3), None, None, None, None)], [{"training": True}]
            ),
            *sweep([((0, 3, 2), C, C, C, C)], [{"training": True}]),
        ),
        _batch_norm,
        differentiable=(0, 3, 4),
        outputs=(0,),
        exact=False,
    ),
    Row(
        "batch_norm",
        (off_centre, real, positive, positive, real),
        sweep(
            [*[(s, C, C, C, C) for s in BATCHES[:3]], ((6, 3), C, C, None, None), ((0, 3), C, C, C, C)],
            [{}, {"training": False, "eps": 1e-2}],
        ),
        _batch_norm,
        outputs=(0,),
        exact=False,
        name="batch_norm_by_running_statistics",
    ),
    Row(
        "layer_norm",
        (off_centre, positive, real),
        (
            *sweep(
                [((4, 6), (6,), (6,)), ((2, 3, 6), (6,), None)],
                [{"normalized_shape": 6}, {"normalized_shape": (6,)}],
            ),
            *sweep(
                [((2, 3, 4), None, (3, 4)), ((2, 3, 4), (3, 4), (3, 4))],
                [{"normalized_shape": (3, 4), "eps": 1e-2}],
            ),
            *sweep([((5,), None, None), ((70, 5), (5,), (5,))], [{"normalized_shape": 5}]),
            *sweep([((0, 3), (3,), (3,))], [{"normalized_shape": 3}]),
            *sweep([((3, 0), (0,), (0,))], [{"normalized_shape": 0}]),
        ),
        _layer_norm,
        call=_layer_norm_call,
        exact=False,
    ),
)
