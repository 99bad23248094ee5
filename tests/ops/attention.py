"""Rows of attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional
from ops._row import Array, Row, mask, real, sweep


def _attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    kept: Array | None = None,
) -> Array:
    if enable_gqa:
        key, value = (np.repeat(x, query.shape[-3] // max(x.shape[-3], 1), axis=-3) for x in (key, value))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    l, s = query.shape[-2], key.shape[-2]  # noqa: E741
    query, key, value = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (query, key, value))
    masks = None if attn_mask is None else np.broadcast_to(attn_mask, (*batch, l, s))
    out = np.zeros((*batch, l, value.shape[-1]))
    for place in np.ndindex(*batch, l):
        weights = np.zeros(s)
        for j in range(s):
            score = factor * math.fsum(query[place] * key[(*place[:-1], j)])
            if masks is not None and masks.dtype.kind == "f":
                score += masks[(*place, j)]
            hidden = masks is not None and masks.dtype.kind == "b" and not masks[(*place, j)]
            weights[j] = 0 if hidden or (is_causal and j > place[-1]) else math.exp(score)
        if weights.any():
            weights /= weights.sum()
        if kept is not None:
            weights *= kept[place]
        out[place] = weights @ value[place[:-1]]
    return out


def _with_dropout(query: Array, key: Array, value: Array, *, dropout_p: float, **options: Any) -> Array:
    # the same draw of the same stream tells what stays: even weights and a value for each
    bb.Device.cpu().seed(20)
    q, k = (bb.zeros((*x.shape[:-1], 1)) for x in (query, key))
    even = functional.scaled_dot_product_attention(q, k, bb.eye(key.shape[-2]), dropout_p=dropout_p).numpy()
    scale = 1 / (1 - dropout_p) if dropout_p < 1 else 0
    return _attention(query, key, value, kept=(even != 0) * scale, **options)


Q, K, V = (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2)
GROUPED = (1, 4, 3, 2), (1, 2, 5, 2), (1, 2, 5, 2)

ROWS = (
    Row(
        "scaled_dot_product_attention",
        (real, real, real, mask),
        (
            *sweep([(Q, K, V, None)], [{}, {"is_causal": True}, {"scale": 0.7}]),
            *sweep([(Q, K, V, (4, 6)), (Q, K, V, (2, 1, 1, 6)), (Q, K, V, (3, 4, 1))]),
            *sweep([((7, 2), (3, 2), (3, 4), None), ((2, 3), (5, 3), (5, 1), None)], [{"is_causal": True}]),
            *sweep([((4, 5), (6, 5), (6, 2), (1, 6))], [{"is_causal": True, "scale": -1.0}]),
            *sweep([(*GROUPED, None), (*GROUPED, (4, 3, 5))], [{"enable_gqa": True}]),
            *sweep([(*GROUPED[:2], (1, 1, 5, 3), (3, 5))], [{"enable_gqa": True, "is_causal": True}]),
            *sweep(
                [((2, 1, 3, 2), (3, 4, 2), (1, 3, 4, 2), None), ((3, 2), (2, 4, 2), (2, 4, 1), (2, 3, 4))]
            ),
            *sweep([((0, 3, 2), (0, 4, 2), (0, 4, 2), None), ((3, 2), (0, 2), (0, 4), None)]),
            *sweep([((0, 2), (3, 2), (3, 2), (0, 3)), ((3, 2), (4, 2), (4, 0), None)], [{"is_causal": True}]),
            *sweep([((2, 0, 3, 2), (2, 0, 4, 2), (2, 0, 4, 2), None)], [{"enable_gqa": True}]),
        ),
        _attention,
        exact=False,
    ),
    Row(
        "scaled_dot_product_attention",
        (real, real, real, real),
        (
            *sweep([(Q, K, V, (4, 6)), (Q, K, V, (2, 1, 1, 6)), (Q, K, V, (2, 3, 4, 6))]),
            *sweep([(Q, K, V, (3, 1, 6)), (Q, K, V, (6,))], [{"is_causal": True}]),
            *sweep([(*GROUPED, (4, 1, 5))], [{"enable_gqa": True, "scale": 0.3}]),
        ),
        _attention,
        exact=False,
        name="scaled_dot_product_attention_with_a_bias",
    ),
    Row(
        "scaled_dot_product_attention",
        (real, real, real),
        (
            *sweep([(Q, K, V)], [{"dropout_p": 0.5}, {"dropout_p": 0.25, "is_causal": True}]),
            *sweep([((3, 2), (5, 2), (5, 3))], [{"dropout_p": 1}]),
        ),
        _with_dropout,
        exact=False,
        random=True,
        name="scaled_dot_product_attention_with_dropout",
    ),
)
