"""Rows of distances, and of what is normalised by a length."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ops._row import Array, Row, away_from_zero, ones_of, real, sweep

POWERS: tuple[dict[str, Any], ...] = ({}, {"p": 1.0}, {"p": 0}, {"p": math.inf}, {"p": 3.0}, {"p": 0.5})
PAIRS = (((2, 3), (4, 3)), ((4, 2, 3), (2, 3)), ((2, 0), (3, 0)), ((0, 3), (2, 3)), ((2, 3), (0, 3)))


def length(x: Array, p: float) -> Array:
    """Return the p-norms along the last axis."""
    size = np.abs(x)
    if p == math.inf:
        return np.asarray(size.max(-1, initial=0))
    return np.asarray((size != 0).sum(-1) * 1.0 if p == 0 else (size**p).sum(-1) ** (1 / p))


def _cdist(x1: Array, x2: Array, p: float = 2.0, compute_mode: str = "") -> Any:
    return length(x1[..., :, None, :] - x2[..., None, :, :], p)


def _normalize(x: Array, p: float = 2.0, axis: int = 1, eps: float = 1e-12) -> Any:
    lengths = np.expand_dims(length(np.moveaxis(x, axis, -1), p), axis)
    return x / np.maximum(lengths, eps)


def _cosine(x1: Array, x2: Array, axis: int = 1, eps: float = 1e-8) -> Any:
    x1, x2 = (np.moveaxis(x, axis, -1) for x in np.broadcast_arrays(x1, x2))
    return (x1 * x2).sum(-1) / np.maximum(length(x1, 2), eps) / np.maximum(length(x2, 2), eps)


def _pairwise(x1: Array, x2: Array, p: float = 2.0, eps: float = 1e-6, keepdims: bool = False) -> Any:
    y = length(x1 - x2 + eps, p)
    return y[..., None] if keepdims else y


def _pdist(x: Array, p: float = 2.0) -> Any:
    n = len(x)
    return np.array([length(x[i] - x[j], p) for i in range(n) for j in range(i + 1, n)])


ROWS = (
    Row(
        "cdist",
        (real, real),
        (
            *sweep(PAIRS, POWERS),
            *sweep([((3, 20), (2, 20)), ((2, 130), (3, 130))], [{}, {"p": 1.0}, {"p": 1.5}]),
            (((2, 3), (4, 3)), {"compute_mode": "use_mm_for_euclid_dist"}),
            (((3, 20), (2, 20)), {"compute_mode": "donot_use_mm_for_euclid_dist"}),
        ),
        _cdist,
        exact=False,
    ),
    Row(
        "cdist",
        (real, real),
        (*sweep([((530, 13), (500, 13)), ((0, 14), (1, 14))]), *sweep([((180, 2), (190, 2))], [{"p": 1.0}])),
        _cdist,
        exact=False,
        name="cdist_in_blocks",
    ),
    Row(
        "normalize",
        (away_from_zero,),
        (
            *ones_of([(2, 3), (2, 3, 2), (0, 3), (2, 0)]),
            *ones_of([(2, 3)], [{"p": p} for p in (1.0, 3.0, math.inf, -1.0)]),
            *ones_of([(2, 3)], [{"axis": 0}, {"axis": -1, "p": 1.0}, {"eps": 3.0}]),
            *ones_of([(3,)], [{"axis": 0}]),
        ),
        _normalize,
        exact=False,
    ),
    Row(
        "cosine_similarity",
        (real, real),
        (
            *sweep(
                [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3, 1), (3, 2)), ((0, 3), (1, 3)), ((2, 0), (2, 0))]
            ),
            *sweep([((2, 3), (2, 3))], [{"axis": 0}, {"axis": -1, "eps": 0.1}]),
            *sweep([((2, 1), (2, 3))]),
        ),
        _cosine,
        exact=False,
    ),
    Row(
        "pairwise_distance",
        (real, real),
        (
            *sweep([((2, 3), (2, 3)), ((3,), (3,)), ((2, 3), (3,)), ((4, 2, 3), (2, 1)), ((0, 3), (3,))]),
            *sweep([((2, 3), (2, 3))], [{"p": p} for p in (1.0, math.inf, 3.0, -1.0)]),
            *sweep([((2, 3), (2, 3))], [{"eps": 0.5, "keepdims": True}]),
        ),
        _pairwise,
        exact=False,
    ),
    Row(
        "pdist",
        (real,),
        (*ones_of([(4, 3), (2, 2), (1, 3), (0, 3)]), *ones_of([(4, 3)], POWERS[1:])),
        _pdist,
        exact=False,
    ),
)
