"""Backward rules of the losses of probabilities and classes, and the forwards that training uses for some."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from backburner.backends.numpy import loss
from backburner_autodiff.kernels import activation as activation_kernels
from backburner_autodiff.kernels import loss as kernels
from backburner_autodiff.rules._rule import Array, Vjp, rule

Joint = Callable[[Array, tuple[bool, ...]], tuple[Array | None, Array | None, None]]


class Softmax(NamedTuple):
    """What the softmax of each row is made of, ``exp(x - highest) * scale``, and the divisor of the mean."""

    highest: Array
    scale: Array
    divisor: float


def _weights(x: Array, weight: Array | None) -> tuple[Array, float]:
    """Return the weights of the classes, ones where there are none, and their sum."""
    if weight is None:
        return np.ones(x.shape[1], x.dtype), float(x.shape[1])
    return weight, float(np.add.reduce(weight, dtype=np.float64))


def cross_entropy_forward(
    x: Array, target: Array, weight: Array | None, /,
    *, ignore_index: int, label_smoothing: float, reduction: str,
) -> tuple[Array, Softmax | Array]:  # fmt: skip
    if target.dtype.kind == "f":
        return _soft_forward(x, target, weight, label_smoothing, reduction)
    losses, highest, scale = np.empty((3, x.shape[0]), x.dtype)
    totals = np.empty(2)
    weights, total = _weights(x, weight)
    kernels.cross_entropy_forward(
        x, target, weights, ignore_index, label_smoothing, total, losses, highest, scale, totals
    )
    if reduction == "none":
        return losses, Softmax(highest, scale, 1.0)
    value, divisor = totals.tolist()
    if reduction == "sum":
        divisor = 1.0
    return np.array(value / divisor if divisor else np.nan, x.dtype), Softmax(highest, scale, divisor)


@rule(forward=cross_entropy_forward, compute_bound=True)
def cross_entropy(
    out: Array, x: Array, target: Array, weight: Array | None,
    *, ignore_index: int, label_smoothing: float, reduction: str, residuals: Softmax | Array,
) -> Joint:  # fmt: skip
    if not isinstance(residuals, Softmax):
        return _soft(residuals, target, weight, label_smoothing, reduction)
    highest, scale, divisor = residuals

    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array, None, None]:
        weights, total = _weights(x, weight)
        dx = np.empty(x.shape, x.dtype)
        rows = g if reduction == "none" else np.full(x.shape[0], g / divisor if divisor else 0, x.dtype)
        kernels.cross_entropy_backward(
            x, rows, target, weights, ignore_index, label_smoothing, total, highest, scale, dx
        )
        return dx, None, None

    return vjp


@np.errstate(all="ignore")
def _soft_forward(
    x: Array, target: Array, weight: Array | None, smoothing: float, reduction: str
) -> tuple[Array, Array]:
    """Return the loss of probabilities as targets, and the log-softmax."""
    logs = np.empty(x.shape, x.dtype)
    losses = np.zeros(x.shape[0], x.dtype)
    if x.size:
        activation_kernels.log_softmax_forward(x, logs)
        losses = loss.soft_loss(logs, loss.soft_target(target, weight, smoothing))
    return loss.reduced_rows(losses, reduction), logs


def _soft(logs: Array, target: Array, weight: Array | None, smoothing: float, reduction: str) -> Joint:
    """Return the joint vjp for probabilities as targets."""

    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array | None, Array | None, None]:
        n, c = logs.shape
        rows = np.broadcast_to(g / max(n, 1) if reduction == "mean" else g, (n,))[:, None]
        dx = dt = None
        if needed[0]:
            goal = loss.soft_target(target, weight, smoothing) if c else target
            dx = np.exp(logs)
            dx *= np.add.reduce(goal, axis=1, keepdims=True)
            dx -= goal
            dx *= rows
            dx = _rows_with_cotangent(dx, rows)
        if needed[1]:
            factor = np.asarray(smoothing - 1, logs.dtype) if weight is None else (smoothing - 1) * weight
            dt = _rows_with_cotangent(logs * factor * rows, rows)
        return dx, dt, None

    return vjp


def _rows_with_cotangent(dx: Array, rows: Array) -> Array:
    """Return ``dx`` with zeros in the rows whose cotangent is 0, whatever they held."""
    if rows.all():
        return dx
    return np.where(rows == 0, np.zeros((), dx.dtype), dx)


@rule(singular=True)
def binary_cross_entropy(out: Array, x: Array, target: Array) -> tuple[Vjp, Vjp]:
    def vjp_x(g: Array) -> Array:
        variance = np.subtract(1, x, out=np.empty_like(x))
        variance *= x
        np.maximum(variance, 1e-12, out=variance)  # PyTorch's bound
        slope = np.subtract(x, target, out=np.empty_like(x))
        slope *= g
        slope /= variance
        return slope

    def vjp_target(g: Array) -> Array:
        yes, no = loss.clamped_logs(x)
        no -= yes
        no *= g
        return no

    return vjp_x, vjp_target


@rule(singular=True)
def binary_cross_entropy_with_logits(
    out: Array, x: Array, target: Array, pos_weight: Array | None
) -> tuple[Vjp, Vjp, Vjp | None]:
    def vjp_x(g: Array) -> Array:
        factor = loss.positive_factor(target, pos_weight)
        slope = np.empty(x.shape, x.dtype)
        activation_kernels.sigmoid_forward(x if factor is None else -x, slope)
        if factor is None:
            slope -= target
        else:
            slope *= -factor
            slope += 1 - target
        slope *= g
        return slope

    def vjp_target(g: Array) -> Array:
        if pos_weight is None:
            return -x * g
        return ((pos_weight - 1) * loss.softplus_of_negative(x) - x) * g

    def vjp_pos_weight(g: Array) -> Array:
        return g * target * loss.softplus_of_negative(x)

    return vjp_x, vjp_target, None if pos_weight is None else vjp_pos_weight


@rule(singular=True)
def kl_div(out: Array, x: Array, target: Array, *, log_target: bool) -> tuple[Vjp, Vjp]:
    def vjp_x(g: Array) -> Array:
        return np.negative(np.exp(target) if log_target else target) * g

    def vjp_target(g: Array) -> Array:
        p, logs = (np.exp(target), target) if log_target else (target, np.log(target))
        slope = np.subtract(logs, x, out=np.empty_like(x))
        slope += 1
        if log_target:
            slope *= p
        slope *= g
        np.copyto(slope, 0, where=p == 0)
        return slope

    return vjp_x, vjp_target
