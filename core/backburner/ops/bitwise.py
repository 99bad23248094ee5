"""Functions of the bits of integers; of bools, but for the shifts, those of logic. Nothing has a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backburner import _tensor
from backburner.errors import ArgumentError, DTypeError
from backburner.ops._operands import Scalar, operands, primitive

if TYPE_CHECKING:
    from backburner._tensor import Tensor
    from backburner.device import Device


def bitwise_and(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x & y`` of integers or bools.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = _bits("bitwise_and", x, y)
    return _tensor.wrap(device.backend.bitwise_and(a, b), device)


def bitwise_or(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x | y`` of integers or bools.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = _bits("bitwise_or", x, y)
    return _tensor.wrap(device.backend.bitwise_or(a, b), device)


def bitwise_xor(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x ^ y`` of integers or bools.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = _bits("bitwise_xor", x, y)
    return _tensor.wrap(device.backend.bitwise_xor(a, b), device)


def bitwise_invert(x: Tensor, /) -> Tensor:
    """Return ``~x`` of integers or bools.

    Shape:
        x and the result ``[...]``.
    """
    held = primitive("bitwise_invert", x)
    _refuse_floats("bitwise_invert", held)
    return _tensor.wrap(x.device.backend.bitwise_invert(held), x.device)


def bitwise_left_shift(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x << y`` of integers, with zeros coming in; a shift by all bits or more gives 0.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.

    Raises:
        ArgumentError: a shift is negative.
    """
    a, b, device = _shift("bitwise_left_shift", x, y)
    return _tensor.wrap(device.backend.bitwise_left_shift(a, b), device)


def bitwise_right_shift(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x >> y`` of integers, with the sign coming in: ``x`` divided by ``2 ** y`` and floored.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.

    Raises:
        ArgumentError: a shift is negative.
    """
    a, b, device = _shift("bitwise_right_shift", x, y)
    return _tensor.wrap(device.backend.bitwise_right_shift(a, b), device)


def _refuse_floats(op: str, held: Any) -> None:
    if held.dtype.kind == "f":
        raise DTypeError(f"{op}: needs integers or bools, got {held.dtype}. Compare, or use astype.")


def _bits(op: str, x: Tensor | Scalar, y: Tensor | Scalar) -> tuple[Any, Any, Device]:
    a, b, device = operands(op, x, y)
    _refuse_floats(op, a)
    return a, b, device


def _shift(op: str, x: Tensor | Scalar, y: Tensor | Scalar) -> tuple[Any, Any, Device]:
    a, b, device = operands(op, x, y)
    if a.dtype.kind not in "iu":
        raise DTypeError(f"{op}: needs integers, got {a.dtype}. Use astype first.")
    if (b < 0).any():
        raise ArgumentError(f"{op}: a shift is negative: {b.min()}. Shift the other way.")
    return a, b, device
