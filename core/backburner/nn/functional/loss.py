"""Losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.device import merge
from backburner.dtype import int64
from backburner.errors import ArgumentError, GraphError, ShapeError
from backburner.nn.functional._options import parameter
from backburner.ops._index import checked_indices, index_array
from backburner.ops._operands import element, floating, integer, number, primitive, same_floats

REDUCTIONS = ("mean", "sum", "none")


def _reduction(op: str, reduction: str) -> str:
    if reduction not in REDUCTIONS:
        raise ArgumentError(f"{op}: reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r}.")
    return reduction


def cross_entropy(
    x: Tensor,
    target: Any,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy between the softmax of scores and class indices.

    Args:
        x: the scores, unnormalised.
        target: the classes, integers.
        weight: a constant for each class.
        ignore_index: a target that marks a row to leave out; such a row changes nothing.
        reduction: ``"mean"`` (over the weights of the targets that count), ``"sum"`` or ``"none"``.
        label_smoothing: the share of the target that is spread over all classes.

    Returns:
        The loss; NaN, with gradient 0, for the mean over no row at all.

    Shape:
        x ``[n, c, d...]`` or ``[c]``, target ``[n, d...]`` or ``[]``, weight ``[c]``; result ``[]``, or the
        shape of ``target`` for ``"none"``.

    Raises:
        IndexOutOfRange: a target is neither in ``[0, c)`` nor ``ignore_index``.
        ShapeError: the shapes do not fit.
        ArgumentError: an option has a value that makes no sense.
        DTypeError: the targets are not integers.
    """
    _reduction("cross_entropy", reduction)
    smoothing = number("cross_entropy", "label_smoothing", label_smoothing)
    if not 0 <= smoothing <= 1:
        raise ArgumentError(f"cross_entropy: label_smoothing must be in [0, 1], got {label_smoothing}.")
    ignored = integer("cross_entropy", "ignore_index", ignore_index)
    element("cross_entropy", "ignore_index", ignored, int64)
    held = floating("cross_entropy", x)
    if held.ndim == 0:
        raise ShapeError("cross_entropy: the scores are 0-d. They must be [n, c, ...] or [c].")
    device = x.device
    if isinstance(target, Tensor):
        device = merge("cross_entropy", device, target.device)
    classes = held.shape[0 if held.ndim == 1 else 1]
    labels = index_array("cross_entropy", target)
    outer = held.shape[:1][: held.ndim - 1] + held.shape[2:]
    if labels.shape != outer:
        hint = (
            " Class indices, not one-hot rows: use target.argmax(axis=1)."
            if labels.shape == held.shape
            else ""
        )
        raise ShapeError(
            f"cross_entropy: scores {list(held.shape)} take a target of {list(outer)}, got {list(labels.shape)}.{hint}"
        )
    counted = labels != ignored
    checked_indices("cross_entropy: target", labels[counted], classes, negative=False)
    labels = np.where(counted, labels.astype(np.int64, copy=False), ignored)
    per_class = None
    if weight is not None:
        primitive("cross_entropy: weight", weight)
        if weight.is_tracked():
            raise GraphError("cross_entropy: weight is a constant and takes no gradient. Use detach() on it.")
        parameter("cross_entropy", "weight", weight, (classes,))
        device = merge("cross_entropy", device, weight.device)
        per_class = weight.numpy().astype(held.dtype, copy=False)
    backend = device.backend
    if held.ndim > 2:
        held = backend.permute_dims(held, axes=(0, *range(2, held.ndim), 1))
    rows = backend.reshape(held, shape=(labels.size, classes))
    loss = backend.cross_entropy(
        rows,
        labels.reshape(-1),
        per_class,
        ignore_index=ignored,
        label_smoothing=smoothing,
        reduction=reduction,
    )
    return Tensor(backend.reshape(loss, shape=outer) if reduction == "none" else loss, device)


def mse_loss(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the squared difference, reduced.

    Args:
        x: the predictions.
        target: what they should be; it has a gradient too.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Shape:
        x and target have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ. They are not broadcast: that is more often a mistake than meant.
        ArgumentError: there is no such reduction.
    """
    _reduction("mse_loss", reduction)
    (a, b), device = same_floats("mse_loss", x, target, required=2)
    if a.shape != b.shape:
        raise ShapeError(f"mse_loss: shapes differ: {list(a.shape)} and {list(b.shape)}. Reshape one.")
    squares = (Tensor(a, device) - Tensor(b, device)).square()
    if reduction == "none":
        return squares
    return squares.mean() if reduction == "mean" else squares.sum()
