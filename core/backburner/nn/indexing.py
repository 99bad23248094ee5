"""Tables of vectors as modules."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import DTypeError, IndexOutOfRange, ShapeError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag, within
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter
from backburner.nn.init import standard_normal
from backburner.ops._operands import chosen, integer


class _Table(Module):
    """What ``Embedding`` and ``EmbeddingBag`` share: the table and what is done with its rows."""

    def _take(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        max_norm: float | None,
        norm_type: float,
        scale_grad_by_freq: bool,
        sparse: bool,
    ) -> None:
        name = type(self).__name__
        self.num_embeddings = n = count(name, "num_embeddings", num_embeddings, 0)
        self.embedding_dim = count(name, "embedding_dim", embedding_dim, 0)
        if padding_idx is not None:
            padding_idx = integer(name, "padding_idx", padding_idx)
            if not -n <= padding_idx < n:
                raise IndexOutOfRange(f"{name}: padding_idx {padding_idx} is out of range [{-n}, {n}).")
            padding_idx %= n
        self.padding_idx = padding_idx
        self.max_norm = None if max_norm is None else within(name, "max_norm", max_norm, 0)
        self.norm_type = within(name, "norm_type", norm_type)
        self.scale_grad_by_freq = flag(name, "scale_grad_by_freq", scale_grad_by_freq)
        self.sparse = flag(name, "sparse", sparse)

    def _fill(self, weight: Tensor | None, device: Device | None, dtype: Any) -> None:
        """Make the table: of these rows as they are, or standard normal with zeros for the padding."""
        shape = (self.num_embeddings, self.embedding_dim)
        if weight is not None:
            name = type(self).__name__
            if not isinstance(weight, Tensor):
                raise DTypeError(
                    f"{name}: _weight must be a Tensor, got {type(weight).__name__}. Use bb.tensor."
                )
            if weight.shape != shape:
                raise ShapeError(f"{name}: _weight must be {list(shape)}, got {list(weight.shape)}.")
            self.weight = Parameter(weight)
            return
        drawn = standard_normal(shape, dtype, device)
        if self.padding_idx is not None:
            rows = np.array(drawn.numpy())
            rows[self.padding_idx] = 0
            drawn = Parameter(Tensor(rows, drawn.device))
        self.weight = drawn

    def _text(self, **usual: Any) -> str:
        """Return the sizes, and the options that are not as usual."""
        shown = [name for name, value in usual.items() if getattr(self, name) != value]
        options = "".join(f", {name}={getattr(self, name)!r}" for name in shown)
        return f"{self.num_embeddings}, {self.embedding_dim}{options}"


def _rows(name: str, embeddings: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns of a table that is given."""
    if not isinstance(embeddings, Tensor):
        raise DTypeError(
            f"{name}.from_pretrained: embeddings must be a Tensor, got {type(embeddings).__name__}. Use bb.asarray."
        )
    if embeddings.ndim != 2:
        raise ShapeError(f"{name}.from_pretrained: embeddings must be [n, d], got {list(embeddings.shape)}.")
    n, d = embeddings.shape
    return n, d


class Embedding(_Table):
    """Look up rows of its own table, standard normal at first; see ``functional.embedding``.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: their length.
        padding_idx: a row that starts at zero and gets no gradient.
        max_norm: rows whose norm is larger are scaled to it when they are looked up. PyTorch writes them back into its
            table; here the table changes in an optimizer's step alone.
        norm_type: which norm.
        scale_grad_by_freq: divide the gradient of a row by how often it was named.
        sparse: PyTorch's layout of the gradient; taken, and it is dense either way.
        _weight: a table to start with.
        _freeze: leave the table alone in training.
        device: where the table is.
        dtype: its dtype; float32 by default.

    Shape:
        input ``[...]`` of integers in ``[0, num_embeddings)``, output ``[..., embedding_dim]``; weight
        ``[num_embeddings, embedding_dim]``.

    Raises:
        IndexOutOfRange: ``padding_idx`` is no row.

    Example:
        >>> from backburner import nn
        >>> nn.Embedding(10, 4, padding_idx=0)([[1, 2, 0]]).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        self._take(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
        )
        frozen = flag("Embedding", "_freeze", _freeze)
        self._fill(_weight, device, dtype)
        if frozen:
            self.freeze()

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """Return a layer with this table, as it is.

        Args:
            embeddings: the table.
            freeze: leave it alone in training.
            padding_idx: as in the class, as the rest.
            max_norm: see there.
            norm_type: see there.
            scale_grad_by_freq: see there.
            sparse: see there.

        Shape:
            embeddings ``[num_embeddings, embedding_dim]``.

        Raises:
            ShapeError: ``embeddings`` has not two dimensions.

        Example:
            >>> import backburner as bb
            >>> from backburner import nn
            >>> nn.Embedding.from_pretrained(bb.tensor([[0.0, 1.0], [2.0, 3.0]]))([1]).tolist()
            [[2.0, 3.0]]
        """
        n, d = _rows(cls.__name__, embeddings)
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        return cls(n, d, *options, _weight=embeddings, _freeze=freeze)

    def forward(self, indices: Any) -> Tensor:
        return F.embedding(
            indices,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        return self._text(
            padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
        )


class EmbeddingBag(_Table):
    """Sum, average or maximise bags of rows of its own table, standard normal at first.

    See ``functional.embedding_bag``, also for what goes into ``forward(indices, offsets=None,
    per_sample_weights=None)``.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: their length.
        max_norm: rows whose norm is larger are scaled to it; see ``Embedding``.
        norm_type: which norm.
        scale_grad_by_freq: divide the gradient of a row by how often it was named; not for the maximum.
        mode: ``"sum"``, ``"mean"`` or ``"max"``.
        sparse: PyTorch's layout of the gradient; taken, and it is dense either way.
        _weight: a table to start with.
        include_last_offset: the offsets hold one more, where the last bag ends.
        padding_idx: a row that starts at zero, is left out and gets no gradient.
        device: where the table is.
        dtype: its dtype; float32 by default.

    Shape:
        indices ``[b, k]``, or ``[k]`` with offsets ``[b]``; weight ``[num_embeddings, embedding_dim]``; output
        ``[b, embedding_dim]``.

    Raises:
        IndexOutOfRange: ``padding_idx`` is no row.
        ArgumentError: ``mode`` is none of these.

    Example:
        >>> from backburner import nn
        >>> nn.EmbeddingBag(10, 4, mode="sum")([1, 2, 4, 5, 4], offsets=[0, 2]).shape
        (2, 4)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        self._take(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
        )
        chosen("EmbeddingBag", "mode", mode, ("sum", "mean", "max"))
        self.mode = mode
        self.include_last_offset = flag("EmbeddingBag", "include_last_offset", include_last_offset)
        self._fill(_weight, device, dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Return a layer with this table, as it is.

        Args:
            embeddings: the table.
            freeze: leave it alone in training.
            max_norm: as in the class, as the rest.
            norm_type: see there.
            scale_grad_by_freq: see there.
            mode: see there.
            sparse: see there.
            include_last_offset: see there.
            padding_idx: see there.

        Shape:
            embeddings ``[num_embeddings, embedding_dim]``.

        Raises:
            ShapeError: ``embeddings`` has not two dimensions.

        Example:
            >>> import backburner as bb
            >>> from backburner import nn
            >>> bag = nn.EmbeddingBag.from_pretrained(bb.tensor([[0.0, 1.0], [2.0, 3.0]]))
            >>> bag([[0, 1]]).tolist()
            [[1.0, 2.0]]
        """
        n, d = _rows(cls.__name__, embeddings)
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset)
        made = cls(n, d, *options, padding_idx)
        return made.freeze() if flag(cls.__name__, "freeze", freeze) else made

    def forward(self, indices: Any, offsets: Any = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            indices,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        return self._text(max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode=None, padding_idx=None)
