"""Looking up rows by index."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.errors import IndexOutOfRange, ShapeError
from backburner.ops._index import checked_indices, index_array, index_device
from backburner.ops._operands import floating, integer, rank


def embedding(indices: Any, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Return the rows of ``weight`` that ``indices`` name.

    Args:
        indices: integers.
        weight: the table.
        padding_idx: the row that gets no gradient; its values are used as they are. Negative counts from
            the end.

    Shape:
        indices ``[...]`` in ``[0, n)``, weight ``[n, d]``; result ``[..., d]``.

    Raises:
        IndexOutOfRange: an index is outside the table; a negative one is.
        ShapeError: ``weight`` has not two dimensions.
        DTypeError: the indices are not integers.
    """
    table = floating("embedding", weight)
    if table.ndim != 2:
        raise ShapeError(f"embedding: weight must be [n, d], got {list(table.shape)}.")
    rows = table.shape[0]
    found = checked_indices("embedding", index_array("embedding", indices), rows, negative=False)
    rank("embedding", found.ndim + 1)
    if padding_idx is not None:
        padding_idx = integer("embedding", "padding_idx", padding_idx)
        if not -rows <= padding_idx < rows:
            raise IndexOutOfRange(f"embedding: padding_idx {padding_idx} is out of range [{-rows}, {rows}).")
        padding_idx %= rows
    device = index_device("embedding", weight.device, indices)
    return Tensor(device.backend.embedding(table, found, padding_idx=padding_idx), device)
