"""The loss of sequences without an alignment."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.errors import ArgumentError, IndexOutOfRange, ShapeError
from backburner.nn.functional._reduction import check_reduction, reduced
from backburner.ops import elementwise
from backburner.ops._index import checked_indices, index_array, index_device
from backburner.ops._operands import flag, floating, integer

OP = "ctc_loss"


def ctc_loss(
    log_probs: Tensor,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return the negative log probability of sequences under all alignments (Graves et al. 2006).

    The gradient is the true one of ``log_probs`` as independent numbers, minus how likely each class is at each step
    given the target. PyTorch's adds ``exp(log_probs)`` to that, which takes log probabilities of a softmax for
    granted; through ``log_softmax`` both give the same.

    Args:
        log_probs: the log probability of each class at each step, as ``log_softmax`` gives it.
        targets: the classes of each sequence, integers, padded with anything or end to end.
        input_lengths: how many steps of each sequence count; the others get no gradient.
        target_lengths: how many targets each sequence has.
        blank: the class that stands for nothing; no target is it.
        reduction: ``"mean"`` of each loss over its target length, at least 1; ``"sum"`` or ``"none"``.
        zero_infinity: make an infinite loss 0.

    Returns:
        The loss, infinite, with gradient 0, where too few steps are there for the target.

    Shape:
        log_probs ``[t, n, c]``, targets ``[n, s]`` or ``[sum(target_lengths)]``, both lengths ``[n]``; result ``[]``,
        or ``[n]`` for ``"none"``. Or log_probs ``[t, c]``, targets ``[s]``, lengths ``[]`` or ``[1]``; result ``[]``.

    Raises:
        IndexOutOfRange: a target or ``blank`` is not in ``[0, c)``.
        ShapeError: the shapes do not fit.
        ArgumentError: there is no such reduction, a length is out of range, or a target is ``blank``.
        DTypeError: targets or lengths are not integers.
    """
    check_reduction(OP, reduction)
    held = floating(OP, log_probs)
    if held.ndim not in (2, 3):
        raise ShapeError(f"{OP}: log_probs must be [t, n, c] or [t, c], got {list(held.shape)}.")
    device = index_device(OP, log_probs.device, targets, input_lengths, target_lengths)
    single = held.ndim == 2
    steps, classes = held.shape[0], held.shape[-1]
    n = 1 if single else held.shape[1]
    nothing, finite = integer(OP, "blank", blank), flag(OP, "zero_infinity", zero_infinity)
    if not 0 <= nothing < classes:
        raise IndexOutOfRange(f"{OP}: blank {nothing} is out of range [0, {classes}).")
    lengths = _lengths("input_lengths", input_lengths, n, steps)
    labels = index_array(OP, targets)
    if labels.ndim not in (1, 2):
        raise ShapeError(f"{OP}: targets must be [n, s] or [sum(target_lengths)], got {list(labels.shape)}.")
    if single and labels.ndim == 1:
        labels = labels[None]
    counts = _lengths("target_lengths", target_lengths, n, labels.shape[-1])
    padded = _padded(labels, counts, n, classes, nothing)
    rows = device.backend.reshape(held, shape=(steps, n, classes))
    loss = Tensor(device.backend.ctc_loss(rows, padded, lengths, counts, blank=nothing), device)
    if finite:
        loss = elementwise.where(loss == float("inf"), 0.0, loss)
    if reduction == "mean":
        loss = loss / Tensor(np.maximum(counts, 1).astype(loss.dtype), device)
    return reduced(loss.reshape(()) if single else loss, reduction)


def _lengths(name: str, lengths: Any, n: int, most: int) -> Array:
    """Return the length of each sequence as int64, each in ``[0, most]``."""
    found = index_array(f"{OP}: {name}", lengths)
    if found.shape != (n,) and not (n == 1 and found.shape == ()):
        raise ShapeError(f"{OP}: {name} must be [{n}], got {list(found.shape)}.")
    wrong = found[(found < 0) | (found > most)]
    if wrong.size:
        raise ArgumentError(f"{OP}: {name} must be in [0, {most}], got {wrong[0]}.")
    return found.reshape(n).astype(np.int64, copy=False)


def _padded(labels: Array, counts: Array, n: int, classes: int, blank: int) -> Array:
    """Return targets ``[n, s]`` of the longest length, with blanks after the end."""
    longest = int(counts.max(initial=0))
    within = np.arange(longest) < counts[:, None]
    if labels.ndim == 1:
        if labels.size != counts.sum():
            raise ShapeError(
                f"{OP}: targets end to end must have {counts.sum()} elements, as target_lengths say, got {labels.size}."
            )
        named = labels
    else:
        if len(labels) != n:
            raise ShapeError(f"{OP}: targets must be [{n}, s], got {list(labels.shape)}.")
        named = labels[:, :longest][within]
    named = checked_indices(f"{OP}: target", named, classes, negative=False)
    if (named == blank).any():
        raise ArgumentError(f"{OP}: a target is {blank}, which is blank. Name another class blank.")
    padded = np.full((n, longest), blank, np.int64)
    padded[within] = named
    return padded
