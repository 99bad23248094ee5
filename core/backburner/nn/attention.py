"""Attention as a module."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.errors import ArgumentError, ShapeError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag, within
from backburner.nn._masks import Masks, causal_mask
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter
from backburner.nn.cache import KVCache
from backburner.nn.init import xavier_normal, xavier_uniform
from backburner.nn.linalg import Linear
from backburner.ops._operands import flag as option
from backburner.ops._operands import primitive
from backburner.ops.creation import zeros
from backburner.ops.elementwise import where
from backburner.ops.shape import broadcast_to, concat, expand_dims, pad, permute_dims, split, squeeze

_OP = "MultiheadAttention"
Heads = tuple[Tensor, Tensor, Tensor]


class MultiheadAttention(Module):
    """Attention of several heads side by side (Vaswani et al. 2017), each on its share of the features.

    Args:
        embed_dim: the features of a query and of the result, ``e``.
        num_heads: how many heads, which divides ``embed_dim``.
        dropout: the probability with which a weight of attention is dropped while the module trains.
        bias: whether the projections have biases.
        add_bias_kv: whether one more key and value are learned, which every query sees.
        add_zero_attn: whether every query sees one more key and value of zeros.
        kdim: the features of a key, by default ``embed_dim``.
        vdim: those of a value, likewise.
        batch_first: whether input and output are ``[n, l, e]`` instead of ``[l, n, e]``.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    ``forward(query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
    average_attn_weights=True, is_causal=False, cache=None, static_kv=False)`` returns the result and, if they are
    needed, the weights, of all heads or their mean; without them it is faster and takes less memory. A bool mask is
    true where a key takes *no* part, a float one is added to the scores. A query that sees no key gets zeros.

    With ``is_causal`` a query sees no key after its own place; no mask needs to say so too. A ``cache`` (see
    ``KVCache``) takes the keys given and brings those before; masks are for all of them then, and places count from
    the first. With ``static_kv`` it takes keys and values the first time alone and knows them afterwards.

    Shape:
        query ``[l, n, e]``, key ``[s, n, kdim]``, value ``[s, n, vdim]``, or all without ``n``; key_padding_mask
        ``[n, s]`` or ``[s]``; attn_mask ``[l, s]`` or ``[n * num_heads, l, s]``. Result as query; weights
        ``[n, l, s]``, or ``[n, num_heads, l, s]``. Parameters ``in_proj_weight`` ``[3 e, e]``, or where kdim or vdim
        differ ``q_proj_weight`` ``[e, e]``, ``k_proj_weight`` ``[e, kdim]``, ``v_proj_weight`` ``[e, vdim]``;
        ``in_proj_bias`` ``[3 e]``, ``bias_k``, ``bias_v`` ``[1, 1, e]``, ``out_proj.weight`` ``[e, e]``,
        ``out_proj.bias`` ``[e]``.

    Raises:
        ArgumentError: ``num_heads`` does not divide ``embed_dim``, or ``dropout`` is no probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> attention = nn.MultiheadAttention(8, num_heads=2, batch_first=True)
        >>> x = bb.ones((3, 5, 8))
        >>> out, weights = attention(x, x, x, is_causal=True)
        >>> out.shape, weights.shape, weights[0, 0].tolist()
        ((3, 5, 8), (3, 5, 5), [1.0, 0.0, 0.0, 0.0, 0.0])
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.embed_dim = e = count(_OP, "embed_dim", embed_dim)
        self.num_heads = count(_OP, "num_heads", num_heads)
        if e % self.num_heads:
            raise ArgumentError(f"{_OP}: num_heads={num_heads} does not divide embed_dim={e}.")
        self.head_dim = e // self.num_heads
        self.dropout = within(_OP, "dropout", dropout, 0, 1)
        self.kdim = e if kdim is None else count(_OP, "kdim", kdim)
        self.vdim = e if vdim is None else count(_OP, "vdim", vdim)
        self.batch_first = flag(_OP, "batch_first", batch_first)
        self.add_zero_attn = flag(_OP, "add_zero_attn", add_zero_attn)

        def drawn(*shape: int) -> Parameter:
            return Parameter(xavier_uniform(shape, dtype=dtype, device=device))

        alike = self.kdim == self.vdim == e
        self.in_proj_weight = drawn(3 * e, e) if alike else None
        self.q_proj_weight = None if alike else drawn(e, e)
        self.k_proj_weight = None if alike else drawn(e, self.kdim)
        self.v_proj_weight = None if alike else drawn(e, self.vdim)
        has_bias, more = flag(_OP, "bias", bias), flag(_OP, "add_bias_kv", add_bias_kv)
        self.in_proj_bias = Parameter(zeros((3 * e,), dtype=dtype, device=device)) if has_bias else None
        self.bias_k = Parameter(xavier_normal((1, 1, e), dtype=dtype, device=device)) if more else None
        self.bias_v = Parameter(xavier_normal((1, 1, e), dtype=dtype, device=device)) if more else None
        self.out_proj = Linear(e, e, has_bias, device, dtype)
        if self.out_proj.bias is not None:
            self.out_proj.bias = Parameter(zeros((e,), dtype=dtype, device=device))

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
        cache: KVCache | None = None,
        static_kv: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        n, l, s, batched = self._check(query, key, value)  # noqa: E741  its letter everywhere
        causal, static = option(_OP, "is_causal", is_causal), option(_OP, "static_kv", static_kv)
        shown = option(_OP, "need_weights", need_weights)
        averaged = option(_OP, "average_attn_weights", average_attn_weights)
        if static and (cache is None or causal):
            raise ArgumentError(f"{_OP}: static_kv takes a cache, and no is_causal: it knows of no places.")
        past = 0 if cache is None or static else cache.length
        mask, causal = self._mask((n, l, past + s), key_padding_mask, attn_mask, batched, causal, past)
        if cache is not None and static:
            q, _, _ = self._project(query, None, None)
            k, v = cache.fixed(lambda: self._project(None, key, value)[1:])
            if (k.shape[0], k.shape[2]) != (n, s):
                raise ShapeError(
                    f"{_OP}: the cache holds a batch of {k.shape[0]} with {k.shape[2]} keys, got one of {n} with {s}. "
                    "Use reset() for another source."
                )
        else:
            q, k, v = self._project(query, key, value)
            if cache is not None:
                k, v = cache.append(k, v)
        k, v = self._with_more(k, v)
        p = self.dropout if self.dropout and self.training else 0.0
        weights = None
        if shown:
            weights = _weights(q, k, mask, causal, p)
            out = weights @ v
            if averaged:
                weights = weights.mean(axis=1)
            weights = weights if batched else squeeze(weights, 0)
        else:
            out = F.scaled_dot_product_attention(q, k, v, mask, p, causal)
        out = permute_dims(out, (0, 2, 1, 3) if self.batch_first or not batched else (2, 0, 1, 3))
        return self.out_proj(out.reshape(query.shape)), weights

    def _check(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[int, int, int, bool]:
        """Check the shapes of the inputs; return the sizes of batch, queries and keys, and whether it is a batch."""
        shapes = [primitive(_OP, x).shape for x in (query, key, value)]
        q, k, v = shapes
        batched = len(q) == 3
        length = 1 if batched and self.batch_first else 0
        alike = len(q) == len(k) == len(v) in (2, 3) and k[:-1] == v[:-1]
        if not alike or batched and q[1 - length] != k[1 - length]:
            text = "query {}, key {}, value {}".format(*map(list, shapes))
            form = "" if not batched else "n, l, " if self.batch_first else "l, n, "
            raise ShapeError(f"{_OP}: the shapes do not fit: {text}. They are [{form or 'l, '}features].")
        for name, shape, size in zip(
            ("query", "key", "value"), shapes, (self.embed_dim, self.kdim, self.vdim), strict=True
        ):
            if shape[-1] != size:
                raise ShapeError(f"{_OP}: the {name} must have {size} features, got {list(shape)}.")
        return (q[1 - length] if batched else 1), q[length], k[length], batched

    def _project(self, query: Tensor | None, key: Tensor | None, value: Tensor | None) -> Any:
        """Return query, key and value of all heads, ``[n, heads, length, head_dim]``."""
        inputs = [query, key, value]
        bias, e = self.in_proj_bias, self.embed_dim
        if self.in_proj_weight is None:
            ws: list[Any] = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
            bs = (None, None, None) if bias is None else split(bias, e)
            return [None if x is None else self._heads(F.linear(x, w, b))
                    for x, w, b in zip(inputs, ws, bs, strict=True)]  # fmt: skip
        found: list[Tensor | None] = [None, None, None]
        first = 0
        while first < 3:  # what is one tensor takes one product
            last = first + 1
            while last < 3 and inputs[last] is inputs[first]:
                last += 1
            x = inputs[first]
            if x is not None:
                rows = slice(first * e, last * e)
                whole = last - first == 3
                w = self.in_proj_weight if whole else self.in_proj_weight[rows]
                y = F.linear(x, w, bias if whole or bias is None else bias[rows])
                parts = (y,) if last - first == 1 else split(y, e, axis=-1)
                found[first:last] = [self._heads(part) for part in parts]
            first = last
        return found

    def _heads(self, x: Tensor) -> Tensor:
        y = x.reshape((*x.shape[:-1], self.num_heads, self.head_dim))
        if y.ndim == 3:
            return expand_dims(permute_dims(y, (1, 0, 2)), 0)
        return permute_dims(y, (0, 2, 1, 3) if self.batch_first else (1, 2, 0, 3))

    def _with_more(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Add the key and value that are learned, and those of zeros."""
        shape = (k.shape[0], self.num_heads, 1, self.head_dim)
        if self.bias_k is not None and self.bias_v is not None:
            own = (1, *shape[1:])
            k = concat([k, broadcast_to(self.bias_k.reshape(own), shape)], axis=2)
            v = concat([v, broadcast_to(self.bias_v.reshape(own), shape)], axis=2)
        if self.add_zero_attn:
            nothing = zeros(shape, dtype=k.dtype, device=k.device)
            k, v = concat([k, nothing], axis=2), concat([v, nothing], axis=2)
        return k, v

    def _mask(
        self, sizes: tuple[int, int, int], padding: Tensor | None, mask: Tensor | None, batched: bool, causal: bool,
        past: int,
    ) -> tuple[Tensor | None, bool]:  # fmt: skip
        """Return one mask for the scores of all heads, and whether they are to be causal besides."""
        n, rows, real = sizes
        h, more = self.num_heads, (self.bias_k is not None) + self.add_zero_attn
        masks = Masks()
        if padding is not None:
            shape = (n, real) if batched else (real,)
            if primitive(f"{_OP}: key_padding_mask", padding).shape != shape:
                raise ShapeError(f"{_OP}: key_padding_mask must be {list(shape)}, got {list(padding.shape)}.")
            masks.hide_or_add(_OP, "key_padding_mask", padding.reshape((n, 1, 1, real)))
        if mask is not None:
            found = primitive(f"{_OP}: attn_mask", mask).shape
            if found not in ((rows, real), (n * h, rows, real)):
                raise ShapeError(
                    f"{_OP}: attn_mask must be {[rows, real]} or {[n * h, rows, real]}, got {list(found)}."
                )
            each = (1, 1) if len(found) == 2 else (n, h)
            masks.hide_or_add(_OP, "attn_mask", mask.reshape((*each, rows, real)))
        if causal and (past or more):
            seen = causal_mask(rows, real, past)
            if seen is not None:
                masks.show(seen)
            causal = False
        if more:
            if masks.keep is not None:
                widths = [(0, 0)] * (masks.keep.ndim - 1) + [(0, more)]
                masks.keep = np.pad(masks.keep, widths, constant_values=True)
            if masks.bias is not None:
                masks.bias = pad(masks.bias, [(0, 0)] * (masks.bias.ndim - 1) + [(0, more)])
        return masks.merged(), causal


def _weights(q: Tensor, k: Tensor, mask: Tensor | None, causal: bool, p: float) -> Tensor:
    """Return the weights of attention, zeros for a query that sees no key."""
    scores = (q * (1 / math.sqrt(q.shape[-1]))) @ k.mT
    if causal:
        seen = causal_mask(q.shape[-2], k.shape[-2], 0)
        if seen is not None:
            scores = _hidden(scores, seen)
    if mask is not None:
        is_bool = mask.dtype.kind == "b"
        scores = _hidden(scores, mask._array()) if is_bool else scores + mask.astype(scores.dtype)
    held = scores._array()
    blind = np.max(held, axis=-1, keepdims=True, initial=-np.inf) == -np.inf
    if blind.any():
        some = Tensor(~blind, scores.device.without_autodiff())
        weights = where(some, F.softmax(where(some, scores, 0.0), -1), 0.0)
    else:
        weights = F.softmax(scores, -1)
    return F.dropout(weights, p) if p else weights


def _hidden(scores: Tensor, seen: Array) -> Tensor:
    return where(Tensor(seen, scores.device.without_autodiff()), scores, -math.inf)
