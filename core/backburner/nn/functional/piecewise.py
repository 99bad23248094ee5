"""Activations made of lines, by one primitive, and those whose slope is learned or drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import random
from backburner._tensor import Tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import finite
from backburner.ops._operands import flag, floating, number, same_floats
from backburner.ops.elementwise import where

if TYPE_CHECKING:
    from backburner.contracts.elementwise import Line, Parabola


def _pieces(
    x: Tensor, held: Any, low: float, high: float, left: Line, middle: Parabola, right: Line
) -> Tensor:
    """Return the primitive's result for bounds in the dtype of ``x``, where they belong to the middle."""
    low, high = (float(held.dtype.type(bound)) for bound in (low, high))
    backend = x.device.backend
    return Tensor(
        backend.piecewise(held, low=low, high=high, left=left, middle=middle, right=right), x.device
    )


def _open(held: Any, low: float, high: float) -> tuple[float, float]:
    """Return the bounds of an interval without its ends, which go to the lines beside it."""
    kind = held.dtype.type
    return float(np.nextafter(kind(low), kind(math.inf))), float(np.nextafter(kind(high), kind(-math.inf)))


def relu6(x: Tensor) -> Tensor:
    """Return ``x`` held between 0 and 6, with gradient 0 at both (Howard et al. 2017, "MobileNets").

    Shape:
        The result has the shape of ``x``.
    """
    held = floating("relu6", x)
    return _pieces(x, held, *_open(held, 0, 6), (0, 0), (0, 1, 0), (0, 6))


def hardtanh(x: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Return ``x`` held between two numbers, with gradient 0 at both; ``clip`` has gradient 1 there.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``min_val`` is above ``max_val``.
    """
    least, most = number("hardtanh", "min_val", min_val), number("hardtanh", "max_val", max_val)
    if least > most:
        raise ArgumentError(f"hardtanh: min_val {least} is above max_val {most}.")
    held = floating("hardtanh", x)
    return _pieces(x, held, *_open(held, least, most), (0, least), (0, 1, 0), (0, most))


def hardsigmoid(x: Tensor, alpha: float = 1 / 6, beta: float = 0.5) -> Tensor:
    """Return ``alpha * x + beta`` held between 0 and 1, with gradient 0 at both ends (Courbariaux et al. 2015).

    Args:
        x: a tensor.
        alpha: the slope, positive; PyTorch's is 1/6, and others' 0.2.
        beta: the value at 0.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``alpha`` is not positive.
    """
    alpha, beta = finite("hardsigmoid", "alpha", alpha), finite("hardsigmoid", "beta", beta)
    if alpha <= 0:
        raise ArgumentError(f"hardsigmoid: alpha must be positive, got {alpha}.")
    held = floating("hardsigmoid", x)
    bounds = _open(held, -beta / alpha, (1 - beta) / alpha)
    return _pieces(x, held, *bounds, (0, 0), (0, alpha, beta), (0, 1))


def hardswish(x: Tensor) -> Tensor:
    """Return ``x * hardsigmoid(x)``: 0 up to -3 and ``x`` from 3 on (Howard et al. 2019, "MobileNetV3").

    Shape:
        The result has the shape of ``x``.
    """
    held = floating("hardswish", x)
    return _pieces(x, held, *_open(held, -3, 3), (0, 0), (1 / 6, 0.5, 0), (1, 0))


def leaky_relu(x: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Return ``x`` from 0 on, where the slope is 1, else ``negative_slope * x`` (Maas, Hannun and Ng 2013).

    Shape:
        The result has the shape of ``x``.
    """
    slope = finite("leaky_relu", "negative_slope", negative_slope)
    return _leaky(x, floating("leaky_relu", x), slope)


def _leaky(x: Tensor, held: Any, slope: float) -> Tensor:
    return _pieces(x, held, 0, 0, (slope, 0), (0, 1, 0), (1, 0))


def rrelu(x: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """Return ``x`` from 0 on, else ``x`` times a slope drawn for each element (Xu et al. 2015).

    Args:
        x: a tensor.
        lower: the least slope.
        upper: the largest slope.
        training: without it every slope is the mean of both.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``lower`` is above ``upper``.
    """
    lower, upper = finite("rrelu", "lower", lower), finite("rrelu", "upper", upper)
    if lower > upper:
        raise ArgumentError(f"rrelu: lower {lower} is above upper {upper}.")
    held = floating("rrelu", x)
    if not flag("rrelu", "training", training):
        return _leaky(x, held, (lower + upper) / 2)
    slopes = random.uniform(held.shape, lower, upper, device=x.device.without_autodiff())
    x = Tensor(held, x.device)
    return where(x < 0, x * slopes.astype(x.dtype), x)


def prelu(x: Tensor, weight: Tensor) -> Tensor:
    """Return ``x`` from 0 on, where the slope is 1, else ``weight * x`` (He et al. 2015).

    Shape:
        x ``[n, c, ...]`` and weight ``[c]``, or x of any shape and weight ``[1]`` or ``[]``; result as x.

    Raises:
        ShapeError: there are neither one nor ``c`` slopes.
    """
    (held, slopes), device = same_floats("prelu", x, weight, required=2)
    channels = held.shape[1] if held.ndim > 1 else 1
    if slopes.ndim > 1 or (slopes.ndim == 1 and slopes.shape[0] not in (1, channels)):
        raise ShapeError(
            f"prelu: weight must have shape [] or [1]{f' or [{channels}]' if held.ndim > 1 else ''}, "
            f"got {list(slopes.shape)}, for {list(held.shape)}."
        )
    if slopes.shape == (1,):
        slopes = device.backend.reshape(slopes, shape=())
    return Tensor(device.backend.prelu(held, slopes), device)


def threshold(x: Tensor, threshold: float, value: float) -> Tensor:
    """Return ``x`` above ``threshold``, elsewhere ``value``, with gradient 0.

    Shape:
        The result has the shape of ``x``.
    """
    return _above(
        "threshold", x, number("threshold", "threshold", threshold), number("threshold", "value", value)
    )


def _above(op: str, x: Tensor, bound: float, value: float) -> Tensor:
    return _pieces(x, floating(op, x), bound, bound, (0, value), (0, 0, value), (1, 0))


def thresholded_relu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """Return ``x`` above ``alpha``, elsewhere 0 (Konda, Memisevic and Krueger 2015).

    Shape:
        The result has the shape of ``x``.
    """
    return _above("thresholded_relu", x, number("thresholded_relu", "alpha", alpha), 0.0)


def hardshrink(x: Tensor, lambd: float = 0.5) -> Tensor:
    """Return ``x``, or 0 from ``-lambd`` to ``lambd``, with gradient 0 at both.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``lambd`` is negative.
    """
    return _shrunk("hardshrink", x, lambd, 0.0)


def softshrink(x: Tensor, lambd: float = 0.5) -> Tensor:
    """Return ``x`` nearer to 0 by ``lambd``, and 0 from ``-lambd`` to ``lambd``, with gradient 0 at both.

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``lambd`` is negative.
    """
    return _shrunk("softshrink", x, lambd, lambd)


def shrink(x: Tensor, lambd: float = 0.5, bias: float = 0.0) -> Tensor:
    """Return ``x`` nearer to 0 by ``bias``, and 0 from ``-lambd`` to ``lambd``, with gradient 0 at both (ONNX).

    Shape:
        The result has the shape of ``x``.

    Raises:
        ArgumentError: ``lambd`` is negative.
    """
    return _shrunk("shrink", x, lambd, bias)


def _shrunk(op: str, x: Tensor, lambd: float, bias: float) -> Tensor:
    bound, bias = finite(op, "lambd", lambd), finite(op, "bias", bias)
    if bound < 0:
        raise ArgumentError(f"{op}: lambd must not be negative, got {bound}.")
    return _pieces(x, floating(op, x), -bound, bound, (1, bias), (0, 0, 0), (1, -bias))
