"""The smooth activations and relatives of softmax; those that ``bb`` has too are in ``backburner.ops``."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner import random
from backburner._tensor import Tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import finite
from backburner.ops._operands import flag, floating, floats_along, number, one_axis
from backburner.ops.activation import softmax
from backburner.ops.creation import arange, zeros
from backburner.ops.elementwise import tanh
from backburner.ops.reduction import argmax
from backburner.ops.shape import concat

_TINY = float(np.finfo(np.float32).tiny)
_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def silu(x: Tensor) -> Tensor:
    """Return ``x * sigmoid(x)``, also called swish (Elfwing, Uchibe and Doya 2017).

    Shape:
        The result has the shape of ``x``.
    """
    held = floating("silu", x)
    return Tensor(x.device.backend.silu(held), x.device)


def mish(x: Tensor) -> Tensor:
    """Return ``x * tanh(softplus(x))`` (Misra 2019).

    Shape:
        The result has the shape of ``x``.
    """
    held = floating("mish", x)
    return Tensor(x.device.backend.mish(held), x.device)


def elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """Return ``x`` above 0, else ``alpha * (exp(x) - 1)``, whose slope holds at 0 (Clevert et al. 2015).

    Shape:
        The result has the shape of ``x``.
    """
    return _elu("elu", x, finite("elu", "alpha", alpha), 1.0, 1.0)


def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """Return ``x`` above 0, else ``alpha * (exp(x / alpha) - 1)``, whose slope at 0 is 1 (Barron 2017).

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``alpha`` is 0, or its reciprocal infinite.
    """
    alpha = finite("celu", "alpha", alpha)
    if abs(alpha) < 1e-37:
        raise ArgumentError(f"celu: alpha must not be 0, or nearly so, got {alpha}.")
    return _elu("celu", x, alpha, 1.0, 1 / alpha)


def selu(x: Tensor) -> Tensor:
    """Return ``elu`` with that alpha, times that scale, which keep mean 0 and variance 1 (Klambauer et al. 2017).

    Shape:
        The result has the shape of ``x``.
    """
    return _elu("selu", x, _SELU_ALPHA, _SELU_SCALE, 1.0)


def _elu(op: str, x: Tensor, alpha: float, scale: float, input_scale: float) -> Tensor:
    held = floating(op, x)
    return Tensor(x.device.backend.elu(held, alpha=alpha, scale=scale, input_scale=input_scale), x.device)


def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return ``log(1 + exp(beta * x)) / beta`` without overflow, a smooth relu.

    Args:
        x: a tensor.
        beta: the larger, the nearer it is to relu; not 0.
        threshold: where ``beta * x`` is above it the result is ``x``, as in PyTorch; with ``inf`` nowhere.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``beta`` is 0 or infinite.
    """
    beta, threshold = finite("softplus", "beta", beta), number("softplus", "threshold", threshold)
    if beta == 0:
        raise ArgumentError("softplus: beta must not be 0.")
    held = floating("softplus", x)
    return Tensor(x.device.backend.softplus(held, beta=beta, threshold=threshold), x.device)


def logsigmoid(x: Tensor) -> Tensor:
    """Return the logarithm of ``sigmoid``, accurate where that underflows.

    Shape:
        The result has the shape of ``x``.
    """
    held = floating("logsigmoid", x)
    return Tensor(x.device.backend.softplus(held, beta=-1.0, threshold=np.inf), x.device)


def softsign(x: Tensor) -> Tensor:
    """Return ``x / (1 + |x|)``, 1 and -1 at the infinities (Turian, Bergstra and Bengio 2009).

    Shape:
        The result has the shape of ``x``.
    """
    held = floating("softsign", x)
    return Tensor(x.device.backend.softsign(held), x.device)


def tanhshrink(x: Tensor) -> Tensor:
    """Return ``x - tanh(x)``.

    Shape:
        The result has the shape of ``x``.
    """
    x = Tensor(floating("tanhshrink", x), x.device)
    return x - tanh(x)


def glu(x: Tensor, axis: int = -1) -> Tensor:
    """Return the first half along ``axis`` times the sigmoid of the second (Dauphin et al. 2017).

    Shape:
        x ``[a..., 2 n, b...]``; result ``[a..., n, b...]``.

    Raises:
        ShapeError: ``x`` is 0-d, or the axis odd.
    """
    held = floating("glu", x)
    if held.ndim == 0:
        raise ShapeError("glu: the input is 0-d and has no axis. Use reshape.")
    place = one_axis("glu", axis, held.ndim)
    if held.shape[place] % 2:
        raise ShapeError(f"glu: axis {axis} of {list(held.shape)} has no halves.")
    return Tensor(x.device.backend.glu(held, axis=place), x.device)


def softmin(x: Tensor, axis: int = -1, dtype: Any = None) -> Tensor:
    """Return ``softmax`` of ``-x`` along ``axis``, in ``dtype``.

    Shape:
        The result has the shape of ``x``, which is not 0-d.
    """
    held, place = floats_along("softmin", x, axis, dtype)
    return softmax(-Tensor(held, x.device), place)


def quiet_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """Return ``exp(x)`` over 1 plus its sum along ``axis``: of an axis that is all ``-inf``, zeros (Miller 2023).

    Shape:
        The result has the shape of ``x``, which is not 0-d.

    Raises:
        ShapeError: ``x`` is 0-d.
    """
    x = Tensor(floating("quiet_softmax", x), x.device)
    if x.ndim == 0:
        raise ShapeError("quiet_softmax: the input is 0-d and has no axis. Use reshape.")
    place = one_axis("quiet_softmax", axis, x.ndim)
    # the 1 is the exponential of a further 0, which softmax keeps from overflow with the others
    more = zeros((*x.shape[:place], 1, *x.shape[place + 1 :]), dtype=x.dtype)
    whole = softmax(concat([x, more], axis=place), place)
    return whole[(slice(None),) * place + (slice(0, x.shape[place]),)]


def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, axis: int = -1) -> Tensor:
    """Draw from a relaxed categorical distribution: ``softmax((logits + noise) / tau)`` (Jang, Gu and Poole 2016).

    Args:
        logits: logarithms of the probabilities, up to a constant.
        tau: the temperature, positive; the lower, the nearer to one-hot.
        hard: give the one-hot vector of the largest, with the gradient of the soft one.
        axis: of the categories.

    Shape:
        The result has the shape of ``logits``, which is not 0-d.

    Raises:
        ArgumentError: ``tau`` is not positive.
    """
    tau = finite("gumbel_softmax", "tau", tau)
    if tau <= 0:
        raise ArgumentError(f"gumbel_softmax: tau must be positive, got {tau}.")
    x = Tensor(floating("gumbel_softmax", logits), logits.device)
    if x.ndim == 0:
        raise ShapeError("gumbel_softmax: the input is 0-d and has no axis. Use reshape.")
    place = one_axis("gumbel_softmax", axis, x.ndim)
    one_hot = flag("gumbel_softmax", "hard", hard)
    draws = random.uniform(x.shape, device=x.device.without_autodiff())
    noise = -(-draws.clip(_TINY).astype(x.dtype).log()).log()
    soft = softmax((x + noise) / tau, place)
    if not one_hot or not x.size:
        return soft
    fixed = soft.detach()
    places = arange(x.shape[place]).reshape((-1,) + (1,) * (x.ndim - 1 - place))
    chosen = (places == argmax(fixed, axis=place, keepdims=True)).astype(x.dtype)
    return chosen + (soft - fixed)  # the difference is 0, and its gradient is not
