"""Attention."""

from __future__ import annotations

import math
from typing import Any

from backburner._tensor import Tensor
from backburner.contracts import Shape
from backburner.device import merge
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.ops._operands import broadcast_shape, cast, flag, number, primitive, same_floats
from backburner.ops.shape import repeat

_OP = "scaled_dot_product_attention"


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return ``softmax(scale * query @ key.T + attn_mask) @ value`` (Vaswani et al. 2017), in linear memory.

    The scores are never there all at once, neither forward nor backward. A query that may see no key gives zeros,
    and passes none but zeros back. What a key holds that takes no part for a query does not reach its result, NaN
    and infinities included.

    Args:
        query: what asks.
        key: what it is compared with.
        value: what the result is made of.
        attn_mask: a bool mask that is true where a key takes part, or a float one that is added to the scores.
        dropout_p: the probability with which a weight is dropped, the others being scaled. Unlike a layer's it does
            not know of training: give 0 to evaluate.
        is_causal: let a query see only keys up to its own place, both counted from the front. With a mask too, a key
            takes part where both let it.
        scale: of the scores; by default ``1 / sqrt(e)``.
        enable_gqa: let several heads of the query in a row share one of key and value (Ainslie et al. 2023).

    Shape:
        query ``[..., h, l, e]``, key ``[..., h, s, e]``, value ``[..., h, s, d]``, of which all dimensions but the
        last two broadcast; result ``[..., h, l, d]``. attn_mask broadcasts to ``[..., h, l, s]``. With
        ``enable_gqa`` key and value may have fewer heads, by numbers that divide ``h``.

    Raises:
        ShapeError: the shapes do not fit.
        DTypeError: the mask is of integers.
        ArgumentError: ``dropout_p`` is not a probability.
    """
    p = number(_OP, "dropout_p", dropout_p)
    if not 0 <= p <= 1:
        raise ArgumentError(f"{_OP}: dropout_p must be in [0, 1], got {dropout_p}.")
    causal = flag(_OP, "is_causal", is_causal)
    shared = flag(_OP, "enable_gqa", enable_gqa)
    if shared:
        key, value = _shared_heads(query, key, value)
    (q, k, v), device = same_floats(_OP, query, key, value, required=3)
    shape = _score_shape(q.shape, k.shape, v.shape, shared)
    mask: Any = None
    if attn_mask is not None:
        mask = primitive(f"{_OP}: attn_mask", attn_mask)
        device = merge(_OP, device, attn_mask.device)
        if mask.dtype.kind not in "bf":
            raise DTypeError(
                f"{_OP}: attn_mask must be bool or float, got {mask.dtype}. Compare, or use astype."
            )
        if mask.dtype.kind == "f":
            mask = cast(mask, q.dtype, device)
        if len(mask.shape) > len(shape) or any(
            n not in (1, size) for n, size in zip(mask.shape[::-1], shape[::-1], strict=False)
        ):
            raise ShapeError(
                f"{_OP}: attn_mask {list(mask.shape)} does not broadcast to the scores, {list(shape)}."
            )
    factor = 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else number(_OP, "scale", scale)
    seed = device.seeds.next() if p else 0
    backend = device.backend
    out = backend.scaled_dot_product_attention(
        q, k, v, mask, is_causal=causal, scale=factor, dropout_p=p, seed=seed
    )
    return Tensor(out, device)


def _shapes(*shapes: Shape) -> str:
    return "query {}, key {}, value {}".format(*map(list, shapes))


def _shared_heads(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Return key and value with equally many heads, which divide those of the query."""
    shapes = [primitive(_OP, x).shape for x in (query, key, value)]
    if any(len(shape) < 3 for shape in shapes):
        raise ShapeError(f"{_OP}: enable_gqa needs an axis of heads: {_shapes(*shapes)}.")
    heads, *shared = (shape[-3] for shape in shapes)
    if any(n == 0 or heads % n for n in shared) and any(shared):
        raise ShapeError(
            f"{_OP}: the heads of key and value do not divide those of the query: {_shapes(*shapes)}."
        )
    common = math.lcm(*shared)
    key, value = (
        x if x.shape[-3] == common else repeat(x, common // x.shape[-3], axis=-3) for x in (key, value)
    )
    return key, value


def _score_shape(q: Shape, k: Shape, v: Shape, shared: bool) -> Shape:
    """Return the shape of the scores, all heads of the query included."""
    if min(len(q), len(k), len(v)) < 2:
        raise ShapeError(f"{_OP}: needs at least two dimensions: {_shapes(q, k, v)}.")
    if q[-1] != k[-1]:
        raise ShapeError(f"{_OP}: query and key differ in the last dimension: {_shapes(q, k, v)}.")
    if k[-2] != v[-2]:
        raise ShapeError(f"{_OP}: key and value differ in number: {_shapes(q, k, v)}.")
    if shared:
        k, v = ((*shape[:-3], q[-3], *shape[-2:]) for shape in (k, v))
    batch = broadcast_shape(_OP, broadcast_shape(_OP, q[:-2], k[:-2]), v[:-2])
    return (*batch, q[-2], k[-2])
