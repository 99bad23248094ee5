"""Losses of probabilities and classes.

Common arguments: ``reduction`` is ``"mean"``, ``"sum"`` or ``"none"``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner._tensor import Tensor, wrap
from backburner.contracts import Array, Shape
from backburner.device import merge
from backburner.dtype import int64
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.nn.functional._reduction import (
    REDUCTIONS,
    check_reduction,
    class_weights,
    factor,
    reduced,
    same_shapes,
)
from backburner.ops import elementwise, indexing
from backburner.ops._index import bounds, checked_indices, index_array
from backburner.ops._operands import element, flag, floating, integer, number

_MOST = (1 << 63) - 1


def cross_entropy(
    x: Tensor,
    target: Any,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy between the softmax of scores and classes or their probabilities.

    Args:
        x: the scores, unnormalised.
        target: the classes, integers, or floats of the shape of ``x``: the probability of each class, which has a
            gradient too.
        weight: a constant for each class.
        ignore_index: a class that marks a row to leave out; such a row changes nothing. It says nothing about
            probabilities.
        reduction: ``"mean"`` (over the weights of the classes that count; over the rows of probabilities), ``"sum"``
            or ``"none"``.
        label_smoothing: the share of the target that is spread over all classes.

    Returns:
        The loss; NaN, with gradient 0, for the mean over no row at all. A class of probability 0 adds 0, however
        low its score.

    Shape:
        x ``[n, c, d...]`` or ``[c]``, target ``[n, d...]`` or ``[]``, or that of ``x``, weight ``[c]``; result
        ``[]``, or ``[n, d...]`` or ``[]`` for ``"none"``.

    Raises:
        IndexOutOfRange: a class is neither in ``[0, c)`` nor ``ignore_index``.
        ShapeError: the shapes do not fit.
        ArgumentError: an option has a value that makes no sense.
        DTypeError: the target is neither integers nor floats.
    """
    op = "cross_entropy"
    check_reduction(op, reduction)
    smoothing = number(op, "label_smoothing", label_smoothing)
    if not 0 <= smoothing <= 1:
        raise ArgumentError(f"cross_entropy: label_smoothing must be in [0, 1], got {label_smoothing}.")
    ignored = _ignored(op, ignore_index)
    held = floating(op, x)
    classes, outer = _rows(op, held.shape)
    device = x.device
    goal: Any
    probabilities = isinstance(target, Tensor) and target.dtype.kind == "f"
    if probabilities:
        if target.shape == outer and target.shape != held.shape:
            raise DTypeError(
                f"cross_entropy: classes are integers, the target {list(target.shape)} is {target.dtype}. "
                "Use astype('int64')."
            )
        (held, goal), device = same_shapes(op, x, target)
    else:
        if isinstance(target, Tensor) and target.device is not device:
            device = merge(op, device, target.device)
        goal = _classes(op, target, held.shape, ignored)
    per_class = None
    if weight is not None:
        per_class, device = class_weights(op, weight, classes, wrap(held, device))
    backend = device.backend

    def as_rows(scores: Any) -> Any:
        if scores.ndim == 2:
            return scores
        if scores.ndim > 2:
            scores = backend.permute_dims(scores, axes=(0, *range(2, scores.ndim), 1))
        return backend.reshape(scores, shape=(math.prod(outer), classes))

    loss = backend.cross_entropy(
        as_rows(held),
        as_rows(goal) if probabilities else goal if goal.ndim == 1 else goal.reshape(-1),
        per_class,
        ignore_index=ignored,
        label_smoothing=smoothing,
        reduction=reduction,
    )
    if reduction == "none" and len(outer) != 1:
        loss = backend.reshape(loss, shape=outer)
    return wrap(loss, device)


def nll_loss(
    x: Tensor,
    target: Any,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log probability of the right classes, as ``log_softmax`` gives it.

    Args:
        x: the log probabilities.
        target: the classes, integers.
        weight: a constant for each class.
        ignore_index: a target that marks a row to leave out; such a row changes nothing.
        reduction: ``"mean"`` (over the weights of the targets that count), ``"sum"`` or ``"none"``.

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
    op = "nll_loss"
    check_reduction(op, reduction)
    ignored = _ignored(op, ignore_index)
    held = floating(op, x)
    classes, outer = _rows(op, held.shape)
    device = merge(op, x.device, target.device) if isinstance(target, Tensor) else x.device
    labels = _classes(op, target, held.shape, ignored)
    counted = np.asarray(labels != ignored)
    per_class, device = class_weights(op, weight, classes, Tensor(held, device))
    index = np.where(counted, labels, 0)
    share = np.ones(outer, held.dtype) if per_class is None or not classes else per_class[index]
    share = np.asarray(np.where(counted, share, 0))
    if classes:
        axis = 0 if held.ndim == 1 else 1
        places = Tensor(np.expand_dims(index, axis), device)
        picked = indexing.take_along_axis(Tensor(held, device), places, axis=axis).reshape(outer)
        loss = elementwise.where(Tensor(share != 0, device), picked * Tensor(-share, device), 0.0)
    else:
        loss = Tensor(held, device).reshape((0, *outer)).sum(axis=0)
    if reduction != "mean":
        return reduced(loss, reduction)
    divisor = float(share.sum(dtype=np.float64))
    total = loss.sum()
    return total / divisor if divisor else total + float("nan")


def _ignored(op: str, ignore_index: int) -> int:
    """Return the class that marks a row to leave out."""
    if ignore_index.__class__ is int and -_MOST <= ignore_index <= _MOST:
        return ignore_index
    ignored = integer(op, "ignore_index", ignore_index)
    element(op, "ignore_index", ignored, int64)
    return ignored


def _rows(op: str, shape: Shape) -> tuple[int, Shape]:
    """Return the number of classes of scores ``[n, c, d...]`` or ``[c]``, and the shape ``[n, d...]`` or ``[]``."""
    if not shape:
        raise ShapeError(f"{op}: the scores are 0-d. They must be [n, c, ...] or [c].")
    return shape[0 if len(shape) == 1 else 1], shape[:1][: len(shape) - 1] + shape[2:]


def _classes(op: str, target: Any, shape: Shape, ignored: int) -> Array:
    """Return the class of each row as int64, in range or ``ignored``."""
    classes, outer = _rows(op, shape)
    labels = index_array(op, target)
    if labels.shape != outer:
        hint = " Class indices, not one-hot rows: use target.argmax(axis=1)." if labels.shape == shape else ""
        raise ShapeError(
            f"{op}: scores {list(shape)} take a target of {list(outer)}, got {list(labels.shape)}.{hint}"
        )
    if labels.size:
        low, high = bounds(labels)
        if low < 0 or high >= classes:
            counted = labels[np.asarray(labels != ignored)]
            checked_indices(f"{op}: target", counted, classes, negative=False)
    return labels.astype(np.int64, copy=False)


def binary_cross_entropy(
    x: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the cross entropy between probabilities of a yes and the right answers.

    It is ``-target * log(x) - (1 - target) * log(1 - x)``, each logarithm being at least -100, as in PyTorch; the
    gradient divides by at least 1e-12. Of logits ``binary_cross_entropy_with_logits`` is more accurate.

    Args:
        x: the probabilities.
        target: the right ones, which have a gradient too.
        weight: a factor for each element.
        reduction: see the module.

    Shape:
        x and target have one shape, to which weight broadcasts; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction, or a probability is not in ``[0, 1]``.
    """
    op = "binary_cross_entropy"
    check_reduction(op, reduction)
    (a, b), device = same_shapes(op, x, target)
    for name, values in (("the input", Tensor(a, device).numpy()), ("target", Tensor(b, device).numpy())):
        low, high = (float(f.reduce(values, axis=None, initial=0.5)) for f in (np.minimum, np.maximum))
        if not (low >= 0 and high <= 1):
            wrong = high if low >= 0 else low
            raise ArgumentError(
                f"{op}: {name} must be in [0, 1], got {wrong}. Of logits use {op}_with_logits."
            )
    loss = Tensor(device.backend.binary_cross_entropy(a, b), device)
    return reduced(loss if weight is None else loss * factor(op, "weight", weight, loss), reduction)


def binary_cross_entropy_with_logits(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the cross entropy between the sigmoid of logits and the right answers, without overflow.

    Args:
        x: the logits.
        target: the right probabilities of a yes, which have a gradient too.
        weight: a factor for each element.
        reduction: see the module.
        pos_weight: a factor for the part of a yes, ``-target * log(sigmoid(x))``.

    Shape:
        x and target have one shape, to which weight and pos_weight broadcast; result ``[]``, or that shape for
        ``"none"``.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction.
    """
    op = "binary_cross_entropy_with_logits"
    check_reduction(op, reduction)
    (a, b), device = same_shapes(op, x, target)
    positive = None
    if pos_weight is not None:
        scale = factor(op, "pos_weight", pos_weight, Tensor(a, device))
        positive, device = scale._primitive, scale.device
    loss = Tensor(device.backend.binary_cross_entropy_with_logits(a, b, positive), device)
    return reduced(loss if weight is None else loss * factor(op, "weight", weight, loss), reduction)


def kl_div(x: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """Return the Kullback-Leibler divergence, ``target * (log(target) - x)``, reduced.

    A target of 0 adds 0 and has gradient 0, whatever ``x`` is there.

    Args:
        x: log probabilities.
        target: probabilities, which have a gradient too.
        reduction: ``"batchmean"``, the sum over the length of the first axis, is the divergence; ``"mean"`` is over
            the elements.
        log_target: whether ``target`` holds logarithms.

    Shape:
        x and target have one shape; result ``[]``, or that shape for ``"none"``.

    Raises:
        ShapeError: the shapes differ.
        ArgumentError: there is no such reduction.
    """
    check_reduction("kl_div", reduction, (*REDUCTIONS, "batchmean"))
    (a, b), device = same_shapes("kl_div", x, target)
    loss = Tensor(device.backend.kl_div(a, b, log_target=flag("kl_div", "log_target", log_target)), device)
    if reduction != "batchmean":
        return reduced(loss, reduction)
    n = loss.shape[0] if loss.ndim else 1
    return loss.sum() / n if n else loss.mean()
