"""Distances between vectors as modules."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._checks import flag, within
from backburner.nn._module import Module
from backburner.ops._operands import integer


class CosineSimilarity(Module):
    """Return the cosine of the angle between vectors along an axis; see ``functional.cosine_similarity``.

    Args:
        axis: along which they lie.
        eps: the least that each norm counts as.

    Shape:
        two inputs that broadcast; the output has not the axis.

    Raises:
        ArgumentError: ``eps`` is negative.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.CosineSimilarity()(bb.tensor([[1.0, 0.0]]), bb.tensor([[0.0, 2.0]])).tolist()
        [0.0]
    """

    def __init__(self, axis: int = 1, eps: float = 1e-8) -> None:
        self.axis = integer("CosineSimilarity", "axis", axis)
        self.eps = within("CosineSimilarity", "eps", eps, 0)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.axis, self.eps)


class PairwiseDistance(Module):
    """Return the norm of the difference of vectors along the last axis; see ``functional.pairwise_distance``.

    Args:
        p: which norm.
        eps: added to the difference.
        keepdims: keep the axis, of size 1.

    Shape:
        two inputs ``[..., d]`` that broadcast; output ``[...]``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.PairwiseDistance(p=1.0, eps=0.0)(bb.tensor([[1.0, 2.0]]), bb.tensor([[0.0, 0.0]])).tolist()
        [3.0]
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdims: bool = False) -> None:
        self.norm = within("PairwiseDistance", "p", p, 0)
        self.eps = within("PairwiseDistance", "eps", eps)
        self.keepdims = flag("PairwiseDistance", "keepdims", keepdims)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdims)
