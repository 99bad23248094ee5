"""A softmax over very many classes, most of them rare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ArgumentError, IndexOutOfRange, ShapeError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag, within
from backburner.nn._module import Module
from backburner.nn.container import ModuleList, Sequential
from backburner.nn.linalg import Linear
from backburner.ops._index import index_array
from backburner.ops._operands import primitive
from backburner.ops.elementwise import where
from backburner.ops.indexing import take_along_axis
from backburner.ops.shape import concat


class AdaptiveLogSoftmax(NamedTuple):
    """What ``AdaptiveLogSoftmaxWithLoss`` gives.

    ``output`` is the log probability of each target, ``loss`` minus their mean.
    """

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Give log probabilities of very many classes, most of them rare, at little cost (Grave et al. 2017).

    Classes are ordered from frequent to rare. Those before the first cutoff, the head, share a softmax with one entry
    for each cluster of the others; a cluster has its own softmax after a projection to fewer features.

    Args:
        in_features: the size of an input vector.
        n_classes: the number of classes.
        cutoffs: where clusters begin, rising, all below ``n_classes``.
        div_value: by what the features of each cluster are fewer than those of the one before.
        head_bias: whether the head has a bias.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[n, in_features]`` and target ``[n]``, or ``[in_features]`` and ``[]``; the output is as the target, the
        loss ``[]``. The state is ``head.weight`` and for each cluster ``tail.<i>.0.weight`` and ``tail.<i>.1.weight``.

    Raises:
        ArgumentError: the cutoffs do not rise, or are not between 0 and ``n_classes``.
        ShapeError: input and target do not fit.
        IndexOutOfRange: a target is no class.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.AdaptiveLogSoftmaxWithLoss(16, 100, cutoffs=[10, 50])
        >>> layer(bb.ones((3, 16)), [0, 20, 99]).output.shape, layer.log_prob(bb.ones((3, 16))).shape
        ((3,), (3, 100))
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        name = "AdaptiveLogSoftmaxWithLoss"
        self.in_features = count(name, "in_features", in_features)
        self.n_classes = count(name, "n_classes", n_classes)
        if not isinstance(cutoffs, Sequence) or not cutoffs:
            raise ArgumentError(f"{name}: cutoffs is a sequence of at least one class, got {cutoffs!r}.")
        starts = [count(name, "cutoffs", n) for n in cutoffs]
        if starts != sorted(set(starts)) or starts[-1] >= n_classes:
            raise ArgumentError(f"{name}: cutoffs must rise and stay below {n_classes}, got {list(cutoffs)}.")
        self.cutoffs = [*starts, self.n_classes]
        self.div_value = within(name, "div_value", div_value)
        if self.div_value <= 0:
            raise ArgumentError(f"{name}: div_value must be positive, got {div_value}.")
        self.head_bias = flag(name, "head_bias", head_bias)
        self.shortlist_size = starts[0]
        self.n_clusters = len(starts)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(self.in_features, self.head_size, self.head_bias, device, dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(self.in_features // self.div_value ** (i + 1))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            if hidden < 1:
                raise ArgumentError(
                    f"{name}: cluster {i} has no features: {in_features} / {self.div_value:g} ** {i + 1}. Use a "
                    "smaller div_value or fewer cutoffs."
                )
            self.tail.append(
                Sequential(
                    Linear(self.in_features, hidden, False, device, dtype),
                    Linear(hidden, size, False, device, dtype),
                )
            )

    def forward(self, x: Tensor, target: Any) -> AdaptiveLogSoftmax:
        """Return the log probability of each target, and minus their mean."""
        held = primitive("AdaptiveLogSoftmaxWithLoss", x)
        labels = index_array("AdaptiveLogSoftmaxWithLoss", target)
        if held.ndim not in (1, 2) or held.shape[-1] != self.in_features or labels.shape != held.shape[:-1]:
            raise ShapeError(
                f"AdaptiveLogSoftmaxWithLoss: takes [n, {self.in_features}] with targets [n], or one without n, got "
                f"{list(held.shape)} and {list(labels.shape)}."
            )
        if labels.size and not (0 <= labels.min() and labels.max() < self.n_classes):
            raise IndexOutOfRange(
                f"AdaptiveLogSoftmaxWithLoss: targets are in [0, {self.n_classes}), got {labels.min()} to {labels.max()}."
            )
        rows, classes = x.reshape((-1, self.in_features)), labels.reshape(-1)
        clusters = np.searchsorted(self.cutoffs, classes, side="right")
        entries = np.where(clusters == 0, classes, self.shortlist_size + clusters - 1)
        head = F.log_softmax(self.head(rows), 1)
        output = take_along_axis(head, entries[:, None], axis=1)[:, 0]
        places, parts = [], []
        for i, layers in enumerate(self.tail):
            (chosen,) = np.nonzero(clusters == i + 1)
            if chosen.size:
                scores = F.log_softmax(layers(rows[chosen]), 1)
                inside = (classes[chosen] - self.cutoffs[i])[:, None]
                places.append(chosen)
                parts.append(take_along_axis(scores, inside, axis=1)[:, 0])
        if parts:
            # where each row's second factor stands among the parts; rows of the head take none
            where_from = np.zeros(classes.size, np.int64)
            where_from[np.concatenate(places)] = np.arange(sum(part.size for part in places))
            second = concat(parts, axis=0)[where_from]
            output = output + where(Tensor(clusters > 0, output.device.without_autodiff()), second, 0.0)
        output = output.reshape(labels.shape)
        return AdaptiveLogSoftmax(output, -output.mean())

    def log_prob(self, x: Tensor) -> Tensor:
        """Return the log probabilities of all classes.

        Shape:
            x ``[n, in_features]``; result ``[n, n_classes]``.

        Raises:
            ShapeError: ``x`` has another shape.
        """
        return self._all(x, self._head(x))

    def predict(self, x: Tensor) -> Tensor:
        """Return the most likely class of each input.

        Clusters are looked at only where one is the most likely entry of the head.

        Shape:
            x ``[n, in_features]``; result ``[n]``, int64.

        Raises:
            ShapeError: ``x`` has another shape.
        """
        head = self._head(x)
        found = np.array(head.detach().argmax(axis=1).numpy())
        (outside,) = np.nonzero(found >= self.shortlist_size)
        if outside.size:
            everything = self._all(x[outside], head[outside])
            found[outside] = everything.detach().argmax(axis=1).numpy()
        return Tensor(found, x.device)

    def _head(self, x: Tensor) -> Tensor:
        held = primitive("AdaptiveLogSoftmaxWithLoss", x)
        if held.ndim != 2 or held.shape[1] != self.in_features:
            raise ShapeError(
                f"AdaptiveLogSoftmaxWithLoss: takes [n, {self.in_features}], got {list(held.shape)}."
            )
        out: Tensor = self.head(x)
        return out

    def _all(self, x: Tensor, head: Tensor) -> Tensor:
        scores = F.log_softmax(head, 1)
        parts = [scores[:, : self.shortlist_size]]
        for i, layers in enumerate(self.tail):
            entry = self.shortlist_size + i
            parts.append(F.log_softmax(layers(x), 1) + scores[:, entry : entry + 1])
        return concat(parts, axis=1)
