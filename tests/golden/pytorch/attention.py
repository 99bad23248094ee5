"""PyTorch's functions for the rows of ``ops/attention.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

Torch = Callable[..., Any]


def attention(query: Any, key: Any, value: Any, attn_mask: Any = None, **options: Any) -> Any:
    """Return PyTorch's result; it does not take a mask beside ``is_causal``, so that one becomes part of the other."""
    if attn_mask is not None and options.pop("is_causal", False):
        causal = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
        if attn_mask.dtype == torch.bool:
            attn_mask = attn_mask & causal
        else:
            attn_mask = attn_mask + torch.zeros(causal.shape, dtype=attn_mask.dtype).masked_fill(
                ~causal, -torch.inf
            )
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(query, key, value, attn_mask, **options)


PYTORCH: dict[str, Torch] = {
    "scaled_dot_product_attention": attention,
    "scaled_dot_product_attention_with_a_bias": attention,
}
