"""Initialisers that return a tensor, which ``nn.Parameter`` or ``Parameter.assign`` takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner import random
from backburner._tensor import Tensor
from backburner.contracts import Shape
from backburner.device import Device
from backburner.errors import ArgumentError, ShapeError
from backburner.nn._parameter import Parameter
from backburner.ops._operands import chosen, number, shape_of
from backburner.ops.creation import full, ones, zeros

__all__ = [
    "calculate_gain",
    "constant",
    "kaiming_normal",
    "kaiming_uniform",
    "ones",
    "orthogonal",
    "trunc_normal",
    "xavier_normal",
    "xavier_uniform",
    "zeros",
]

constant = full
trunc_normal = random.trunc_normal

_GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}
_GAINS |= {f"conv{kind}{n}d": 1.0 for kind in ("", "_transpose") for n in (1, 2, 3)}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return by how much an activation's inputs must be larger for its outputs to keep their variance.

    Args:
        nonlinearity: ``"linear"``, ``"sigmoid"``, ``"tanh"``, ``"relu"``, ``"leaky_relu"``, ``"selu"`` or a
            convolution.
        param: the slope of a leaky relu, by default 0.01.

    Raises:
        ArgumentError: there is no gain for that.
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else number("calculate_gain", "param", param)
        return math.sqrt(2 / (1 + slope * slope))
    if nonlinearity not in _GAINS:
        names = ", ".join(["leaky_relu", *_GAINS])
        raise ArgumentError(f"calculate_gain: there is no gain for {nonlinearity!r}. Use one of: {names}.")
    return _GAINS[nonlinearity]


def _fans(op: str, shape: Any) -> tuple[Shape, int, int]:
    """Return a shape and the numbers of inputs and outputs of a weight of that shape."""
    sizes = shape_of(op, shape)
    if len(sizes) < 2:
        raise ShapeError(f"{op}: needs at least two dimensions, got {list(sizes)}.")
    field = math.prod(sizes[2:])
    return sizes, sizes[1] * field, sizes[0] * field


def _kaiming(op: str, shape: Any, a: float, mode: str, nonlinearity: str) -> tuple[Shape, float]:
    """Return the shape and the standard deviation of He's scheme."""
    sizes, fan_in, fan_out = _fans(op, shape)
    chosen(op, "mode", mode, ("fan_in", "fan_out"))
    fan = fan_in if mode == "fan_in" else fan_out
    return sizes, calculate_gain(nonlinearity, a) / math.sqrt(max(fan, 1))


def kaiming_uniform(
    shape: Shape,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: random.Generator | None = None,
) -> Tensor:
    """Draw a weight evenly, with the variance that keeps that of a relu network's signals (He et al. 2015).

    Args:
        shape: ``[outputs, inputs, *kernel]``.
        a: the slope of the leaky relu that follows.
        mode: ``"fan_in"`` keeps the variance in the forward pass, ``"fan_out"`` in the backward pass.
        nonlinearity: what follows; see ``calculate_gain``.
        dtype: float32 unless said otherwise.
        device: as in ``bb.random``.
        generator: as in ``bb.random``.

    Raises:
        ShapeError: there are fewer than two dimensions.
        ArgumentError: ``mode`` or ``nonlinearity`` is something else.
    """
    sizes, std = _kaiming("kaiming_uniform", shape, a, mode, nonlinearity)
    bound = math.sqrt(3) * std
    return random.uniform(sizes, -bound, bound, dtype=dtype, device=device, generator=generator)


def kaiming_normal(
    shape: Shape,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: random.Generator | None = None,
) -> Tensor:
    """Draw a weight from the normal distribution with the variance of ``kaiming_uniform``; see there."""
    sizes, std = _kaiming("kaiming_normal", shape, a, mode, nonlinearity)
    return random.normal(sizes, 0.0, std, dtype=dtype, device=device, generator=generator)


def xavier_uniform(
    shape: Shape,
    gain: float = 1.0,
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: random.Generator | None = None,
) -> Tensor:
    """Draw a weight evenly, with a variance between what either pass would keep (Glorot and Bengio 2010).

    Args:
        shape: ``[outputs, inputs, *kernel]``.
        gain: see ``calculate_gain``.
        dtype: float32 unless said otherwise.
        device: as in ``bb.random``.
        generator: as in ``bb.random``.

    Raises:
        ShapeError: there are fewer than two dimensions.
    """
    sizes, fan_in, fan_out = _fans("xavier_uniform", shape)
    bound = abs(number("xavier_uniform", "gain", gain)) * math.sqrt(6 / max(fan_in + fan_out, 1))
    return random.uniform(sizes, -bound, bound, dtype=dtype, device=device, generator=generator)


def xavier_normal(
    shape: Shape,
    gain: float = 1.0,
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: random.Generator | None = None,
) -> Tensor:
    """Draw a weight from the normal distribution with the variance of ``xavier_uniform``; see there."""
    sizes, fan_in, fan_out = _fans("xavier_normal", shape)
    std = abs(number("xavier_normal", "gain", gain)) * math.sqrt(2 / max(fan_in + fan_out, 1))
    return random.normal(sizes, 0.0, std, dtype=dtype, device=device, generator=generator)


def orthogonal(
    shape: Shape,
    gain: float = 1.0,
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: random.Generator | None = None,
) -> Tensor:
    """Draw a weight whose rows, or columns where there are fewer, are orthonormal (Saxe et al. 2013).

    Args:
        shape: ``[outputs, inputs, *kernel]``, all but the first taken as one.
        gain: their length.
        dtype: float32 unless said otherwise.
        device: as in ``bb.random``.
        generator: as in ``bb.random``.

    Raises:
        ShapeError: there are fewer than two dimensions.
    """
    sizes, *_ = _fans("orthogonal", shape)
    flat = sizes[0], math.prod(sizes[1:])
    drawn = random.normal(flat, dtype=dtype, device=device, generator=generator)
    tall = drawn.numpy() if flat[0] >= flat[1] else drawn.numpy().T
    q, r = np.linalg.qr(tall)
    q = q * np.where(np.diagonal(r) < 0, -1, 1).astype(
        q.dtype
    )  # without which they would not be evenly spread
    weight = (q if flat[0] >= flat[1] else q.T) * q.dtype.type(number("orthogonal", "gain", gain))
    return Tensor(weight.reshape(sizes), drawn.device)


def uniform_fan_in(shape: Shape, fan_in: int, dtype: Any, device: Device | None) -> Parameter:
    """Return a parameter drawn evenly from ``-1 / sqrt(fan_in)`` to ``1 / sqrt(fan_in)``.

    PyTorch's default for linear layers and convolutions: He's uniform initialisation (2015) with the gain of
    a leaky relu of slope ``sqrt(5)``.
    """
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    return Parameter(random.uniform(shape, -bound, bound, dtype=dtype, device=device))


def standard_normal(shape: Shape, dtype: Any, device: Device | None) -> Parameter:
    """Return a parameter drawn from the standard normal distribution, PyTorch's default for embeddings."""
    return Parameter(random.normal(shape, dtype=dtype, device=device))
