"""Losses that ask for a margin: between scores, or between distances.

Common arguments: ``reduction`` is ``"mean"``, ``"sum"`` or ``"none"``. Where a margin is kept exactly, the gradient is
that of a margin missed, as in PyTorch; ``multi_margin_loss`` and ``multilabel_margin_loss`` have 0 there, as it does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device, merge
from backburner.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from backburner.nn.functional._reduction import check_reduction, class_weights, factor, reduced, same_shapes
from backburner.ops import elementwise
from backburner.ops._index import checked_indices, index_array
from backburner.ops._operands import broadcast_shape, flag, floating, integer, number, primitive, same_floats
from backburner.ops.reduction import vector_norm

Distance = Callable[[Tensor, Tensor], Tensor]


def soft_margin_loss(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return ``log(1 + exp(-target * x))``, reduced, without overflow.

    Args:
        x: the scores.
        target: 1 or -1.
        reduction: see the module.

    Shape:
        x and target have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction.
    """
    check_reduction("soft_margin_loss", reduction)
    (a, b), device = same_shapes("soft_margin_loss", x, target)
    margin = device.backend.multiply(a, b)
    yes = np.broadcast_to(np.ones((), a.dtype), a.shape)
    return reduced(
        Tensor(device.backend.binary_cross_entropy_with_logits(margin, yes, None), device), reduction
    )


def multilabel_soft_margin_loss(
    x: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the mean over classes of ``binary_cross_entropy_with_logits``, reduced over the rest.

    Args:
        x: the logits of each class.
        target: 1 where a class is there, else 0, or its probability.
        weight: a factor for each class.
        reduction: see the module.

    Shape:
        x and target ``[..., c]``, to which weight broadcasts; result ``[]``, or ``[...]`` for ``"none"``.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction.
    """
    op = "multilabel_soft_margin_loss"
    check_reduction(op, reduction)
    (a, b), device = same_shapes(op, x, target)
    if a.ndim == 0:
        raise ShapeError(f"{op}: the scores are 0-d. They must be [..., c].")
    loss = Tensor(device.backend.binary_cross_entropy_with_logits(a, b, None), device)
    if weight is not None:
        loss = loss * factor(op, "weight", weight, loss)
    return reduced(loss.mean(axis=-1), reduction)


def hinge_embedding_loss(x: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """Return the distance of a pair that is alike, and what one that is not lacks of the margin.

    Args:
        x: the distances.
        target: 1 for a pair that is alike, else -1.
        margin: how far apart other pairs should be.
        reduction: see the module.

    Shape:
        x and target have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction, or a target is neither 1 nor -1.
    """
    op = "hinge_embedding_loss"
    check_reduction(op, reduction)
    gap = number(op, "margin", margin)
    (a, b), device = same_shapes(op, x, target)
    distance, alike = Tensor(a, device), _alike(op, b, device)
    loss = elementwise.where(alike, distance, elementwise.clip(gap - distance, min=0))
    return reduced(loss, reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return 1 less the cosine for vectors that are alike, and what it exceeds the margin by for others.

    The cosine divides by norms whose squares are 1e-12 more, as PyTorch's does: that of a zero vector is 0, and its
    gradient finite.

    Args:
        input1: vectors.
        input2: as many more.
        target: 1 for a pair that is alike, else -1.
        margin: the largest cosine of other pairs that costs nothing.
        reduction: see the module.

    Shape:
        input1 and input2 ``[n, d]``, target ``[n]``; or ``[d]`` and ``[]``; result ``[]``, or the shape of target
        for ``"none"``.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction, or a target is neither 1 nor -1.
    """
    op = "cosine_embedding_loss"
    check_reduction(op, reduction)
    limit = number(op, "margin", margin)
    (a, b), device = same_shapes(op, input1, input2)
    if a.ndim not in (1, 2):
        raise ShapeError(f"{op}: the inputs must be [n, d] or [d], got {list(a.shape)}.")
    labels = primitive(f"{op}: target", target)
    if labels.shape != a.shape[:-1]:
        raise ShapeError(
            f"{op}: inputs {list(a.shape)} take a target of {list(a.shape[:-1])}, got {list(labels.shape)}."
        )
    device = merge(op, device, target.device)
    cosine = _cosine(Tensor(a, device), Tensor(b, device))
    loss = elementwise.where(_alike(op, labels, device), 1 - cosine, elementwise.clip(cosine - limit, min=0))
    return reduced(loss, reduction)


def _cosine(x: Tensor, y: Tensor) -> Tensor:
    """Return the cosine of vectors along the last axis."""
    with np.errstate(over="ignore"):
        squares = [v.square().sum(axis=-1) for v in (x, y)]
    if not all(np.isfinite(s.numpy()).all() for s in squares):
        x, y = _tamed(x), _tamed(y)
        squares = [v.square().sum(axis=-1) for v in (x, y)]
    norms = [elementwise.sqrt(s + 1e-12) for s in squares]
    return (x * y).sum(axis=-1) / (norms[0] * norms[1])


def _tamed(x: Tensor) -> Tensor:
    """Return vectors whose squares do not overflow, by a factor that changes no cosine."""
    factors = np.abs(x.numpy()).max(axis=-1, keepdims=True, initial=1)
    return x / Tensor(np.where(np.isfinite(factors), factors, 1).astype(x.dtype), x.device)


def _alike(op: str, target: Any, device: Device) -> Tensor:
    """Return where a target is 1.

    Raises:
        ArgumentError: one is neither 1 nor -1.
    """
    labels = Tensor(target, device).numpy()
    alike = np.asarray(labels == 1)
    wrong = labels[~(alike | (labels == -1))]
    if wrong.size:
        raise ArgumentError(f"{op}: target must be 1 or -1, got {wrong.flat[0]}.")
    return Tensor(alike, device)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return what the right one of two scores lacks of being the larger by a margin.

    Args:
        input1: scores.
        input2: scores.
        target: 1 where the first should be the larger, else -1.
        margin: by how much.
        reduction: see the module.

    Shape:
        input1, input2 and target have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction.
    """
    op = "margin_ranking_loss"
    check_reduction(op, reduction)
    gap = number(op, "margin", margin)
    (a, b, y), device = same_shapes(op, input1, input2, target)
    lead = (Tensor(a, device) - Tensor(b, device)) * Tensor(y, device)
    return reduced(elementwise.clip(gap - lead, min=0), reduction)


def multi_margin_loss(
    x: Tensor,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return what the score of the right class lacks of being larger by a margin than each other, over the classes.

    It is ``sum_j(max(0, margin - x[t] + x[j])^p) / c`` of all ``j`` but ``t``, times the weight of ``t`` (Crammer
    and Singer 2001).

    Args:
        x: the scores of each class.
        target: the right classes, integers.
        p: the power, 1 or 2.
        margin: by how much the right score should be larger.
        weight: a constant for each class.
        reduction: see the module.

    Shape:
        x ``[n, c]`` or ``[c]``, target ``[n]`` or ``[]``, weight ``[c]``; result ``[]``, or the shape of target for
        ``"none"``.

    Raises:
        IndexOutOfRange: a target is not in ``[0, c)``.
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction, or ``p`` is neither 1 nor 2.
        DTypeError: the targets are not integers.
    """
    op = "multi_margin_loss"
    check_reduction(op, reduction)
    power, gap = integer(op, "p", p), number(op, "margin", margin)
    if power not in (1, 2):
        raise ArgumentError(f"{op}: p must be 1 or 2, got {p}.")
    held, labels, device = _classified(op, x, target)
    if labels.shape != held.shape[:-1]:
        raise ShapeError(
            f"{op}: scores {list(held.shape)} take a target of {list(held.shape[:-1])}, got {list(labels.shape)}."
        )
    per_class, device = class_weights(op, weight, held.shape[-1], Tensor(held, device))
    labels = checked_indices(f"{op}: target", labels, held.shape[-1], negative=False)
    backend = device.backend
    rows = backend.reshape(held, shape=(labels.size, held.shape[-1]))
    loss = Tensor(backend.multi_margin_loss(rows, labels.reshape(-1), p=power, margin=gap), device)
    if per_class is not None:
        loss = loss * Tensor(per_class[labels.reshape(-1)], device)
    return reduced(loss.reshape(labels.shape), reduction)


def multilabel_margin_loss(x: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """Return what the score of each right class lacks of being larger by 1 than each wrong one, over the classes.

    Args:
        x: the scores of each class.
        target: the right classes of each row, integers, up to the first -1.
        reduction: see the module.

    Shape:
        x and target ``[n, c]`` or ``[c]``; result ``[]``, or ``[n]`` or ``[]`` for ``"none"``.

    Raises:
        IndexOutOfRange: a target is not in ``[-1, c)``.
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction.
        DTypeError: the targets are not integers.
    """
    op = "multilabel_margin_loss"
    check_reduction(op, reduction)
    held, labels, device = _classified(op, x, target)
    if labels.shape != held.shape:
        raise ShapeError(f"{op}: shapes differ: {list(held.shape)} and {list(labels.shape)}. Reshape one.")
    classes = held.shape[-1]
    if labels.size and not -1 <= int(labels.min()) <= int(labels.max()) < classes:
        worst = labels.min() if labels.min() < -1 else labels.max()
        raise IndexOutOfRange(f"{op}: target: index {worst} is out of range [-1, {classes}).")
    labels = labels.astype(np.int64, copy=False)
    outer = held.shape[:-1]
    shape = (int(np.prod(outer)), classes)
    listed = np.logical_and.accumulate(labels.reshape(shape) >= 0, axis=1)
    backend = device.backend
    loss = backend.multilabel_margin_loss(
        backend.reshape(held, shape=shape), np.where(listed, labels.reshape(shape), -1)
    )
    return reduced(Tensor(backend.reshape(loss, shape=outer), device), reduction)


def _classified(op: str, x: Tensor, target: Any) -> tuple[Any, Array, Device]:
    """Return scores ``[n, c]`` or ``[c]``, integers that name classes, and where they meet."""
    held = floating(op, x)
    if held.ndim not in (1, 2):
        raise ShapeError(f"{op}: the scores must be [n, c] or [c], got {list(held.shape)}.")
    device = merge(op, x.device, target.device) if isinstance(target, Tensor) else x.device
    return held, index_array(op, target), device


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return what a positive lacks of being nearer to its anchor than a negative by a margin.

    Args:
        anchor: vectors.
        positive: vectors that should be near.
        negative: vectors that should be far.
        margin: by how much.
        p: the norm of the distance; positive, or infinity.
        eps: added to each difference.
        swap: take the distance from negative to positive instead, where it is the smaller (Balntas et al. 2016).
        reduction: see the module.

    Shape:
        anchor, positive and negative ``[..., d]``, as many dimensions each, broadcast together; result ``[]``, or
        ``[...]`` for ``"none"``.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction, or ``margin`` or ``p`` is not positive.
    """
    op = "triplet_margin_loss"
    order, shift = number(op, "p", p), number(op, "eps", eps)
    if order <= 0:
        raise ArgumentError(f"{op}: p must be positive, got {p}.")

    def distance(x: Tensor, y: Tensor) -> Tensor:
        broadcast_shape(op, x.shape, y.shape)
        return vector_norm(x - y + shift, ord=order, axis=-1)

    return _triplet(op, anchor, positive, negative, distance, margin, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Distance | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return ``triplet_margin_loss`` with a distance of one's own.

    Args:
        anchor: anything that the distance takes.
        positive: what should be near.
        negative: what should be far.
        distance_function: from two tensors to their distances; by default the Euclidean one of ``triplet_margin_loss``.
        margin: by how much.
        swap: take the distance from negative to positive instead, where it is the smaller.
        reduction: see the module.

    Shape:
        anchor, positive and negative have as many dimensions each; result ``[]``, or the shape of the distances for
        ``"none"``.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction, or ``margin`` is not positive.
        DTypeError: the distance is no function.
    """
    op = "triplet_margin_with_distance_loss"
    distance = _euclidean if distance_function is None else distance_function
    if not callable(distance):
        raise DTypeError(f"{op}: distance_function is a {type(distance_function).__name__}, not a function.")
    return _triplet(op, anchor, positive, negative, distance, margin, swap, reduction)


def _euclidean(x: Tensor, y: Tensor) -> Tensor:
    """Return PyTorch's distance, whose gradient is finite for equal points."""
    broadcast_shape("triplet_margin_with_distance_loss", x.shape, y.shape)
    return vector_norm(x - y + 1e-6, axis=-1)


def _triplet(
    op: str,
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Distance,
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    check_reduction(op, reduction)
    gap = number(op, "margin", margin)
    if gap <= 0:
        raise ArgumentError(f"{op}: margin must be positive, got {margin}.")
    held, device = same_floats(op, anchor, positive, negative, required=3)
    if not held[0].ndim == held[1].ndim == held[2].ndim or held[0].ndim == 0:
        raise ShapeError(
            f"{op}: needs as many dimensions each, and one: {', '.join(str(list(x.shape)) for x in held)}."
        )
    a, b, c = (Tensor(x, device) for x in held)
    near, far = distance(a, b), distance(a, c)
    if flag(op, "swap", swap):
        far = elementwise.minimum(far, distance(b, c))
    return reduced(elementwise.clip(near - far + gap, min=0), reduction)
