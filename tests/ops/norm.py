"""Rows of the normalisations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.nn import functional
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
    return functional.layer_norm(x, normalized_shape, weight, bias, **options)


def _rms_norm(x: Array, weight: Array | None, normalized_shape: Any, eps: float | None = None) -> Any:
    axes = tuple(range(x.ndim - (1 if isinstance(normalized_shape, int) else len(normalized_shape)), x.ndim))
    eps = np.finfo(np.float64).eps if eps is None else eps
    return x / np.sqrt((x**2).mean(axis=axes, keepdims=True) + eps) * (1 if weight is None else weight)


def _rms_norm_call(x: Any, weight: Any, normalized_shape: Any, **options: Any) -> Any:
    return functional.rms_norm(x, normalized_shape, weight, **options)


def _affine(x: Array, weight: Array | None, bias: Array | None) -> Any:
    wide = (-1,) + (1,) * (x.ndim - 2)
    x = x if weight is None else x * weight.reshape(wide)
    return x if bias is None else x + bias.reshape(wide)


def _group_norm(
    x: Array, weight: Array | None, bias: Array | None, num_groups: int, eps: float = 1e-5
) -> Any:
    if x.size == 0:
        return x
    rows = x.reshape(x.shape[0] * num_groups, -1)
    rows = rows - rows.mean(axis=1, keepdims=True)
    return _affine(
        (rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + eps)).reshape(x.shape), weight, bias
    )


def _group_norm_call(x: Any, weight: Any, bias: Any, num_groups: int, **options: Any) -> Any:
    return functional.group_norm(x, num_groups, weight, bias, **options)


def _instance_norm(
    x: Array,
    mean: Array | None,
    var: Array | None,
    weight: Array | None,
    bias: Array | None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    wide = (-1,) + (1,) * (x.ndim - 2)
    if not use_input_stats:
        assert mean is not None and var is not None
        return _affine((x - mean.reshape(wide)) / np.sqrt(var.reshape(wide) + eps), weight, bias), mean, var
    if x.size == 0:
        return x, mean, var
    axes = tuple(range(2, x.ndim))
    own = x.mean(axis=axes, keepdims=True)
    out = _affine((x - own) / np.sqrt(x.var(axis=axes, keepdims=True) + eps), weight, bias)
    if mean is not None:
        mean = mean + momentum * (own.reshape(x.shape[:2]).mean(axis=0) - mean)
    if var is not None:
        var = var + momentum * (x.var(axis=axes, ddof=1).mean(axis=0) - var)
    return out, mean, var


def _local_response_norm(x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    out = np.empty_like(x)
    for c in range(x.shape[1]):
        near = x[:, max(0, c - size // 2) : c + (size - 1) // 2 + 1]
        out[:, c] = x[:, c] / (k + alpha * (near**2).sum(axis=1) / size) ** beta
    return out


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
    Row(
        "rms_norm",
        (off_centre, positive),
        (
            *sweep([((4, 6), (6,)), ((2, 6), None)], [{"normalized_shape": 6}]),
            *sweep([((2, 3, 4), (3, 4))], [{"normalized_shape": (3, 4), "eps": 1e-2}]),
            *sweep([((70, 5), (5,)), ((0, 5), (5,))], [{"normalized_shape": [5]}]),
        ),
        _rms_norm,
        call=_rms_norm_call,
        exact=False,
    ),
    Row(
        "group_norm",
        (off_centre, positive, real),
        (
            *sweep(
                [((2, 6, 5), (6,), (6,)), ((3, 6), None, (6,)), ((2, 6, 2, 3), (6,), None)],
                [{"num_groups": 2}],
            ),
            *sweep([((2, 4, 3), (4,), (4,))], [{"num_groups": 1, "eps": 1e-2}, {"num_groups": 4}]),
            *sweep([((0, 4, 3), (4,), (4,)), ((2, 4, 0), (4,), (4,))], [{"num_groups": 2}]),
        ),
        _group_norm,
        call=_group_norm_call,
        exact=False,
    ),
    Row(
        "instance_norm",
        (off_centre, real, positive, positive, real),
        (
            *sweep([((2, 3, 5), None, None, None, None), ((2, 3, 5), C, C, C, C), ((0, 3, 2), C, C, C, C)]),
            *sweep([((2, 3, 2, 2), C, C, None, C)], [{"momentum": 0.3, "eps": 1e-2}]),
        ),
        _instance_norm,
        differentiable=(0, 3, 4),
        outputs=(0,),
        exact=False,
    ),
    Row(
        "instance_norm",
        (off_centre, real, positive, positive, real),
        sweep([((2, 3, 5), C, C, C, C), ((2, 3, 1), C, C, None, None)], [{"use_input_stats": False}]),
        _instance_norm,
        outputs=(0,),
        exact=False,
        name="instance_norm_by_running_statistics",
    ),
    Row(
        "local_response_norm",
        (off_centre,),
        (
            *sweep([((2, 5, 3),), ((1, 4, 2, 3),), ((0, 3, 2),)], [{"size": 3}]),
            *sweep(
                [((2, 5, 3),)], [{"size": 4, "alpha": 0.5, "beta": 1.5, "k": 2}, {"size": 1}, {"size": 12}]
            ),
        ),
        _local_response_norm,
        exact=False,
    ),
)
