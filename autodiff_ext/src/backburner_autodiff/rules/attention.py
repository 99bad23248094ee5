"""Backward rule of attention, and the forward that training uses in place of the core's.

It keeps two numbers per row of scores: the largest, and one over the sum. The backward pass makes the weights again,
a block at a time, as the forward did (Dao et al. 2022, "FlashAttention").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backburner.backends.numpy.attention import Block, Heads, Masks, Place
from backburner_autodiff.kernels import attention as kernels
from backburner_autodiff.rules._rule import Array, rule

Residuals = tuple[Array, Array]
Gradients = tuple[Array | None, ...]

_NONE = np.empty((0, 0), bool)


def _mask(block: Block) -> Array:
    """Return the bool mask as the rows of a matrix, which start anew after the last."""
    mask = block.mask
    if mask is None:
        return _NONE
    heads, rows, _ = mask.shape
    if heads == 1:
        return np.broadcast_to(mask[0], (rows, block.keys))
    return np.broadcast_to(mask, (heads, block.rows, block.keys)).reshape(-1, block.keys)


def _kept(block: Block) -> Array:
    return _NONE if block.kept is None else block.kept


def _weigh(scores: Array, block: Block) -> tuple[Array, Array]:
    highest, reciprocal = np.empty((2, len(scores)), scores.dtype)
    kernels.attention_forward.serial(  # blocks are shared out among threads
        scores, _mask(block), _kept(block), block.visible, block.rows, scores, highest, reciprocal
    )
    return highest, reciprocal


def scaled_dot_product_attention_forward(
    query: Array, key: Array, value: Array, attn_mask: Array | None, /, **options: Any
) -> tuple[Array, Residuals]:
    out, highest, reciprocal = Heads(query, key, value, attn_mask, **options).attend(_weigh)
    return out, (highest, reciprocal)


@rule(forward=scaled_dot_product_attention_forward, compute_bound=True)
def scaled_dot_product_attention(
    out: Array, query: Array, key: Array, value: Array, attn_mask: Array | None, *,
    is_causal: bool, scale: float, dropout_p: float, seed: int, residuals: Residuals,
) -> Callable[[Array, tuple[bool, ...]], Gradients]:  # fmt: skip
    highest, reciprocal = residuals

    def vjp(g: Array, needed: tuple[bool, ...]) -> Gradients:
        heads = Heads(
            query, key, value, attn_mask, is_causal=is_causal, scale=scale, dropout_p=dropout_p, seed=seed
        )
        heads.set_aside()
        dquery, dkey, dvalue = (np.zeros(x.shape, x.dtype) for x in (heads.query, heads.key, heads.value))
        dmask = None
        if needed[3]:
            assert attn_mask is not None
            dmask = Masks(np.zeros(attn_mask.shape, attn_mask.dtype), heads.batch, heads.query.shape[1])
        g = np.ascontiguousarray(g).reshape(*highest.shape, out.shape[-1])
        mean = np.add.reduce(g * out.reshape(g.shape), axis=-1)
        spaces: list[tuple[Array, Array]] = []

        def differentiate(place: Place) -> None:
            block = heads.block(place)
            space = spaces.pop() if spaces else (heads.space(), heads.space())
            rows = block.heads, slice(None), block.queries
            keys = block.heads, slice(0, block.keys)
            p, ds = block.part_of(space[0]), block.part_of(space[1])
            x = heads.scaled(block, heads.query)
            heads.score(block, x, p)
            cotangents = g[rows].reshape(*x.shape[:2], g.shape[-1])
            flat = len(x), -1, block.keys
            np.matmul(cotangents, heads.value[keys].swapaxes(1, 2), out=ds.reshape(flat))
            kernels.attention_backward.serial(
                p, _mask(block), _kept(block), highest[rows].reshape(-1), reciprocal[rows].reshape(-1),
                mean[rows].reshape(-1), heads.keep_scale, block.visible, block.rows, p, ds,
            )  # fmt: skip
            if needed[0]:
                dx = np.matmul(ds.reshape(flat), heads.finite_key[keys])
                np.multiply(dx.reshape(dquery[rows].shape), heads.scale, out=dquery[rows])
            if needed[1]:
                if heads.finite_query is not heads.query:
                    x = heads.scaled(block, heads.finite_query)
                dkey[keys] += np.matmul(ds.reshape(flat).swapaxes(1, 2), x)
            if needed[2]:
                dvalue[keys] += np.matmul(p.reshape(flat).swapaxes(1, 2), cotangents)
            if dmask is not None:
                dmask.add(block, ds)
            spaces.append(space)

        heads.each(differentiate, alone=dmask is not None)
        return (
            dquery.reshape(*heads.batch, *dquery.shape[-2:]),
            dkey.reshape(*heads.kv_batch, *dkey.shape[-2:]),
            dvalue.reshape(*heads.kv_batch, *dvalue.shape[-2:]),
            None if dmask is None or attn_mask is None else dmask.own.reshape(attn_mask.shape),
        )

    return vjp
