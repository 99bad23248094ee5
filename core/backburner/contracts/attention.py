"""The contracts of family ``attention``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Attention(Protocol):
    """The ops of family ``attention``; ``backburner.backend`` says what they may rely on."""

    def scaled_dot_product_attention(
        self, query: Array, key: Array, value: Array, attn_mask: Array | None, /, *,
        is_causal: bool, scale: float, dropout_p: float, seed: int,
    ) -> Array:  # fmt: skip
        """Return ``softmax(scale * query @ key.T + attn_mask) @ value``, in memory linear in both lengths.

        query ``[..., h, l, e]``, key ``[..., k, s, e]``, value ``[..., k, s, d]``: ``h`` is a multiple of ``k``, and
        as many heads in a row share a key; the dimensions before broadcast, and result ``[..., h, l, d]``.
        attn_mask broadcasts to ``[..., h, l, s]``: a bool one says which keys take part, a float one is added.
        With ``is_causal`` only keys up to the query's own place take part, counted from the front. A row in
        which no key does is 0, and what a key that takes no part holds does not matter, NaN included. Weights
        are dropped with probability ``dropout_p``, and the rest scaled, by a mask that ``seed`` decides.
        """
        ...
