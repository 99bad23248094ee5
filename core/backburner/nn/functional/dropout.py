"""Dropout: of elements, of channels, and that which keeps the mean and variance of selu."""

from __future__ import annotations

import math
from typing import Any

from backburner import random
from backburner._tensor import Tensor
from backburner.errors import ShapeError
from backburner.nn.functional._options import probability
from backburner.ops._operands import flag, floating
from backburner.ops.elementwise import where

_LOWEST = -1.0507009873554805 * 1.6732632423543772  # what selu gives at -inf


def dropout(x: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zero each element with probability ``p`` and scale the others by ``1 / (1 - p)`` (Srivastava et al. 2014).

    The mask comes from one seed of the device's stream, so ``device.seed(n)`` decides it, and a recomputation
    in the backward pass draws the same.

    Args:
        x: a tensor.
        p: the probability; with 1 all is zero.
        training: without it ``x`` comes back as it is.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``p`` is not a probability.
    """
    p = probability("dropout", p)
    held = floating("dropout", x)
    if not flag("dropout", "training", training) or p == 0:
        return x
    return Tensor(x.device.backend.dropout(held, p=p, seed=x.device.seeds.next()), x.device)


def dropout1d(x: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zero each channel with probability ``p`` and scale the others by ``1 / (1 - p)`` (Tompson et al. 2014).

    Args:
        x: a batch, or one example.
        p: the probability; with 1 all is zero.
        training: without it ``x`` comes back as it is.

    Shape:
        x ``[n, c, l]`` or ``[c, l]``; result as x.

    Raises:
        ArgumentError: ``p`` is not a probability.
        ShapeError: ``x`` has another number of dimensions.
    """
    return _channels("dropout1d", x, p, training, (3, 2), "[n, c, l] or [c, l]")


def dropout2d(x: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zero each channel with probability ``p`` and scale the others by ``1 / (1 - p)`` (Tompson et al. 2014).

    Args:
        x: a batch. Three dimensions are a batch of sequences, as in PyTorch, and not one image.
        p: the probability; with 1 all is zero.
        training: without it ``x`` comes back as it is.

    Shape:
        x ``[n, c, h, w]`` or ``[n, c, l]``; result as x.

    Raises:
        ArgumentError: ``p`` is not a probability.
        ShapeError: ``x`` has another number of dimensions.
    """
    return _channels("dropout2d", x, p, training, (4, 3), "[n, c, h, w] or [n, c, l]")


def dropout3d(x: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Zero each channel with probability ``p`` and scale the others by ``1 / (1 - p)`` (Tompson et al. 2014).

    Args:
        x: a batch, or one example.
        p: the probability; with 1 all is zero.
        training: without it ``x`` comes back as it is.

    Shape:
        x ``[n, c, d, h, w]`` or ``[c, d, h, w]``; result as x.

    Raises:
        ArgumentError: ``p`` is not a probability.
        ShapeError: ``x`` has another number of dimensions.
    """
    return _channels("dropout3d", x, p, training, (5, 4), "[n, c, d, h, w] or [c, d, h, w]")


def alpha_dropout(x: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """Replace each element with probability ``p`` by selu's lowest value, and keep mean 0 and variance 1.

    Args:
        x: a tensor, whose elements have mean 0 and variance 1 (Klambauer et al. 2017).
        p: the probability; with 1 all is zero.
        training: without it ``x`` comes back as it is.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``p`` is not a probability.
    """
    p = probability("alpha_dropout", p)
    held = floating("alpha_dropout", x)
    return _alpha(x, held, p, held.shape) if flag("alpha_dropout", "training", training) and p else x


def feature_alpha_dropout(x: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """Replace each channel with probability ``p`` by selu's lowest value, and keep mean 0 and variance 1.

    Args:
        x: a batch; see ``alpha_dropout``.
        p: the probability; with 1 all is zero.
        training: without it ``x`` comes back as it is.

    Shape:
        x ``[n, c, ...]``; result as x.

    Raises:
        ArgumentError: ``p`` is not a probability.
        ShapeError: ``x`` has less than two dimensions.
    """
    p = probability("feature_alpha_dropout", p)
    held = floating("feature_alpha_dropout", x)
    if held.ndim < 2:
        raise ShapeError(f"feature_alpha_dropout: the input must be [n, c, ...], got {list(held.shape)}.")
    if not flag("feature_alpha_dropout", "training", training) or p == 0:
        return x
    return _alpha(x, held, p, (*held.shape[:2], *(1,) * (held.ndim - 2)))


def _channels(op: str, x: Tensor, p: float, training: bool, ranks: tuple[int, ...], form: str) -> Tensor:
    """Drop channels; the second of ``ranks`` is that of one example, but of dropout2d."""
    p = probability(op, p)
    held = floating(op, x)
    if held.ndim not in ranks:
        raise ShapeError(f"{op}: the input must be {form}, got {list(held.shape)}.")
    if not flag(op, "training", training) or p == 0:
        return x
    whole = 1 if op != "dropout2d" and held.ndim == ranks[1] else 2
    shape = (*held.shape[:whole], *(1,) * (held.ndim - whole))
    scale = 1 / (1 - p) if p < 1 else 1.0
    return where(_kept(x, shape, p), Tensor(held, x.device) * scale, 0.0)


def _alpha(x: Tensor, held: Any, p: float, shape: tuple[int, ...]) -> Tensor:
    """Return ``a x + b``, and ``a`` times the lowest value plus ``b`` where a draw of ``shape`` says so."""
    if p == 1:
        return where(_kept(x, shape, p), Tensor(held, x.device), 0.0)
    a = 1 / math.sqrt((1 - p) * (1 + p * _LOWEST**2))
    b = -a * p * _LOWEST
    return where(_kept(x, shape, p), Tensor(held, x.device) * a + b, a * _LOWEST + b)


def _kept(x: Tensor, shape: tuple[int, ...], p: float) -> Tensor:
    """Return which are left, from one seed of the device's stream."""
    return random.uniform(shape, device=x.device.without_autodiff()) >= p
