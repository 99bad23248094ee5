"""Forwards of the losses of probabilities and classes that are primitives."""

from __future__ import annotations

import math

import numpy as np

from backburner.backends.numpy._blocks import by_blocks
from backburner.backends.numpy.activation import log_of_sum
from backburner.contracts import Array


@np.errstate(all="ignore")
def cross_entropy(
    x: Array, target: Array, weight: Array | None, /,
    *, ignore_index: int, label_smoothing: float, reduction: str,
) -> Array:  # fmt: skip
    """Return ``-log_softmax(x)[target]``, smoothed, weighted by class, and reduced."""
    n, c = x.shape
    if target.dtype.kind == "f":
        loss = np.zeros(n, x.dtype)
        if x.size:
            logs = x - np.maximum.reduce(x, axis=1, keepdims=True)
            logs -= np.log(np.add.reduce(np.exp(logs), axis=1, keepdims=True))
            loss = soft_loss(logs, soft_target(target, weight, label_smoothing))
        return reduced_rows(loss, reduction)
    kept = target != ignore_index
    index = np.where(kept, target, 0)  # an ignored target such as -100 never indexes
    row_weight = kept.astype(x.dtype) if weight is None or c == 0 else np.where(kept, weight[index], 0)
    loss = np.zeros(n, x.dtype)
    if x.size:
        shifted = x - np.maximum.reduce(x, axis=1, keepdims=True)
        log_sum = np.log(np.add.reduce(np.exp(shifted), axis=1))
        nll = log_sum - shifted[np.arange(n), index]
        loss = (1 - label_smoothing) * row_weight * nll
        if label_smoothing:
            total = c if weight is None else np.add.reduce(weight)
            if weight is not None:
                shifted *= weight
            loss += (label_smoothing / c) * (total * log_sum - np.add.reduce(shifted, axis=1))
        loss = np.where(kept, loss, 0)
    if reduction == "none":
        return loss
    value = np.add.reduce(loss)
    if reduction == "sum":
        return np.asarray(value)
    divisor = np.add.reduce(row_weight)
    return np.asarray(value / divisor if divisor else np.nan, x.dtype)  # smoothing would make it infinite


def soft_target(target: Array, weight: Array | None, smoothing: float) -> Array:
    """Return probabilities of classes, smoothed and weighted."""
    if smoothing:
        target = target * (1 - smoothing)
        target += smoothing / target.shape[1]
    return target if weight is None else target * weight


def soft_loss(logs: Array, goal: Array) -> Array:
    """Return ``-sum(goal * logs)`` of each row, where 0 times ``-inf`` is 0."""
    terms = goal * logs
    total = np.add.reduce(terms, axis=1)
    if not math.isfinite(np.add.reduce(total)):
        total = np.add.reduce(np.where(goal == 0, 0, terms), axis=1)
    return np.asarray(np.subtract(0, total, out=total))  # never -0


def reduced_rows(loss: Array, reduction: str) -> Array:
    """Return the losses of rows, or their sum, or that over their number."""
    if reduction == "none":
        return loss
    total = np.add.reduce(loss)
    return np.asarray(total if reduction == "sum" else total / loss.dtype.type(loss.size))


LOWEST_LOG = -100.0  # PyTorch's, which keeps losses and gradients finite


def binary_cross_entropy(x: Array, target: Array, /) -> Array:
    """Return ``-target * log(x) - (1 - target) * log(1 - x)``, each logarithm at least -100."""
    yes, no = clamped_logs(x)
    yes *= target
    no *= 1 - target
    no += yes
    return np.asarray(np.subtract(0, no, out=no))  # never -0


@np.errstate(divide="ignore")
def clamped_logs(x: Array) -> tuple[Array, Array]:
    """Return the logarithms of ``x`` and ``1 - x``, new arrays with nothing below -100."""
    yes = np.log(x, out=np.empty_like(x))
    no = np.negative(x, out=np.empty_like(x))
    np.log1p(no, out=no)
    return np.maximum(yes, LOWEST_LOG, out=yes), np.maximum(no, LOWEST_LOG, out=no)


@np.errstate(over="ignore", invalid="ignore")
def binary_cross_entropy_with_logits(x: Array, target: Array, pos_weight: Array | None, /) -> Array:
    """Return ``target * pos_weight * softplus(-x) + (1 - target) * softplus(x)``.

    Both are ``log(1 + exp(-|x|))`` and one has ``|x|`` beside, whose factor is exactly 0 for a certain and right answer.
    """
    out = _log_of_sum(x)
    factor = positive_factor(target, pos_weight)
    if factor is not None:
        out *= factor
    if pos_weight is None:
        slope = np.subtract(x > 0, target, out=np.empty_like(x))
    else:
        slope = np.asarray(np.where(x > 0, 1 - target, -target * pos_weight))
    line = np.multiply(slope, x)
    if not math.isfinite(np.add.reduce(line, axis=None)):
        line = np.where(slope == 0, 0, line)  # an infinite logit that is right costs nothing
    out += line
    return out


def _log_of_sum(x: Array) -> Array:
    """Return ``log(1 + exp(-|x|))``, a new array."""
    return by_blocks(log_of_sum, x, scratch=2)


def softplus_of_negative(x: Array) -> Array:
    """Return ``log(1 + exp(-x))``, a new array."""
    out = _log_of_sum(x)
    out -= np.minimum(x, 0)
    return out


def positive_factor(target: Array, pos_weight: Array | None) -> Array | None:
    """Return ``1 + (pos_weight - 1) * target``; ``None`` is 1."""
    return None if pos_weight is None else 1 + (pos_weight - 1) * target


@np.errstate(divide="ignore", over="ignore", invalid="ignore")
def kl_div(x: Array, target: Array, /, *, log_target: bool) -> Array:
    """Return ``target * (log(target) - x)``, 0 where the target is."""
    p, logs = (np.exp(target), target) if log_target else (target, np.log(target))
    out = np.subtract(logs, x, out=np.empty_like(x))
    out *= p
    np.copyto(out, 0, where=p == 0)
    return out
