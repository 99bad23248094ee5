"""Rounding, and the division that rounds. Results keep the dtype, and integers their value.

Gradients are 0, also where the function jumps; that of ``remainder`` is that of ``x - y * floor(x / y)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backburner import _tensor
from backburner.errors import ArgumentError, DTypeError
from backburner.ops._operands import Scalar, numeric, operands

if TYPE_CHECKING:
    from backburner._tensor import Tensor
    from backburner.device import Device


def sign(x: Tensor, /) -> Tensor:
    """Return -1, 0 or 1 by the sign, and NaN of NaN; the gradient is 0.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("sign", x)
    return _tensor.wrap(x.device.backend.sign(held), x.device)


def floor(x: Tensor, /) -> Tensor:
    """Return the largest integer that is not above ``x``; the gradient is 0.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("floor", x)
    return x if held.dtype.kind != "f" else _tensor.wrap(x.device.backend.floor(held), x.device)


def ceil(x: Tensor, /) -> Tensor:
    """Return the smallest integer that is not below ``x``; the gradient is 0.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("ceil", x)
    return x if held.dtype.kind != "f" else _tensor.wrap(x.device.backend.ceil(held), x.device)


def round(x: Tensor, /) -> Tensor:
    """Return the nearest integer, of two the even one; the gradient is 0.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("round", x)
    return x if held.dtype.kind != "f" else _tensor.wrap(x.device.backend.round(held), x.device)


def trunc(x: Tensor, /) -> Tensor:
    """Return ``x`` without its fraction; the gradient is 0.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("trunc", x)
    return x if held.dtype.kind != "f" else _tensor.wrap(x.device.backend.trunc(held), x.device)


def floor_divide(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return the floor of ``x / y``; the gradient is 0.

    By the standard an infinity by a number is an infinity, and a number by an infinity a zero, also where the
    signs differ; NumPy and Python have NaN and -1 there.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.

    Raises:
        ArgumentError: an integer is divided by 0. A float gives an infinity or NaN.
    """
    a, b, device = _division("floor_divide", x, y)
    return _tensor.wrap(device.backend.floor_divide(a, b), device)


def remainder(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x - y * floor(x / y)``, which has the sign of ``y`` as in Python.

    The gradient of ``x`` is 1, that of ``y`` is ``-floor(x / y)``.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.

    Raises:
        ArgumentError: an integer is divided by 0. A float gives NaN.
    """
    a, b, device = _division("remainder", x, y)
    return _tensor.wrap(device.backend.remainder(a, b), device)


def _division(op: str, x: Tensor | Scalar, y: Tensor | Scalar) -> tuple[Any, Any, Device]:
    a, b, device = operands(op, x, y)
    if a.dtype.kind == "b":
        raise DTypeError(f"{op}: bool has no arithmetic of its own. Use astype first.")
    if a.dtype.kind != "f" and (b == 0).any():
        raise ArgumentError(f"{op}: an integer divided by 0 is not an integer. Cast to a float first.")
    return a, b, device
