"""Tables of vectors as modules."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import IndexOutOfRange
from backburner.nn import functional as F
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter
from backburner.nn.init import standard_normal
from backburner.ops._operands import integer, shape_of


class Embedding(Module):
    """``functional.embedding`` with its own table, standard normal at first.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: their length.
        padding_idx: a row that starts at zero and gets no gradient.
        device: where the table is.
        dtype: its dtype; float32 by default.

    Shape:
        input ``[...]`` of integers in ``[0, num_embeddings)``, output ``[..., embedding_dim]``; weight
        ``[num_embeddings, embedding_dim]``.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        shape = shape_of("Embedding", (num_embeddings, embedding_dim))
        self.num_embeddings, self.embedding_dim = shape
        if padding_idx is not None:
            padding_idx = integer("Embedding", "padding_idx", padding_idx)
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise IndexOutOfRange(
                    f"Embedding: padding_idx {padding_idx} is out of range [{-num_embeddings}, {num_embeddings})."
                )
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        weight = standard_normal(shape, dtype, device)
        if padding_idx is not None:
            rows = np.array(weight.numpy())
            rows[padding_idx] = 0
            weight = Parameter(Tensor(rows, weight.device))
        self.weight = weight

    def forward(self, indices: Any) -> Tensor:
        return F.embedding(indices, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
