"""PyTorch's functions for the rows of ``ops/indexing.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Torch = Callable[..., Any]


def getitem(x: torch.Tensor, *tensors: torch.Tensor, index: Any = None) -> Any:
    """Index by a tensor, or by the lists of an option, which PyTorch would read in another way."""

    def plain(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(plain(p) for p in part)
        return (
            torch.tensor(part, dtype=torch.int64 if part == [] else None) if isinstance(part, list) else part
        )

    return x[tensors[0] if tensors else plain(index)]


def take(x: torch.Tensor, places: torch.Tensor, axis: int = 0) -> Any:
    return x[(slice(None),) * (axis % x.ndim) + (places,)]


def scaled_rows(places: torch.Tensor, weight: torch.Tensor, **options: Any) -> Any:
    """Look rows up in a copy of the table, which PyTorch scales in place."""
    return F.embedding(places, weight.clone(), **options)


def bags(places: Any, weight: Any, weights: Any = None, offsets: Any = None, **options: Any) -> Any:
    starts = None if offsets is None else torch.tensor(offsets)
    if "padding_idx" in options:
        options["padding_idx"] %= weight.shape[0]
    return F.embedding_bag(places, weight, starts, per_sample_weights=weights, **options)


PYTORCH: dict[str, Torch] = {
    "embedding_of_scaled_rows": scaled_rows,
    "embedding_bag": bags,
    "embedding_bag_by_offsets": bags,
    "embedding_bag_with_weights": bags,
    "getitem_of_arrays": getitem,
    "getitem_by_tensor": getitem,
    "getitem_by_mask": getitem,
    "take": take,
    "one_hot": F.one_hot,
    # a sparse gradient has no array: the dense one has the same values
    "embedding": lambda indices, table, sparse=False, **options: F.embedding(indices, table, **options),
    "embedding_without_padding_met": F.embedding,
}
