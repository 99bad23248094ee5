"""Comparisons and logic. Inputs broadcast together; the result is bool, keeps the context and has no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backburner import _tensor
from backburner.errors import DTypeError
from backburner.ops._operands import (
    Scalar,
    bools,
    operands,
)

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def equal(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x == y`` as bool.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("equal", x, y)
    return _tensor.wrap(device.backend.equal(a, b), device)


def not_equal(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x != y`` as bool.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("not_equal", x, y)
    return _tensor.wrap(device.backend.not_equal(a, b), device)


def less(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x < y`` as bool.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("less", x, y)
    return _tensor.wrap(device.backend.less(a, b), device)


def less_equal(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x <= y`` as bool.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("less_equal", x, y)
    return _tensor.wrap(device.backend.less_equal(a, b), device)


def greater(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x > y`` as bool.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("greater", x, y)
    return _tensor.wrap(device.backend.greater(a, b), device)


def greater_equal(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x >= y`` as bool.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("greater_equal", x, y)
    return _tensor.wrap(device.backend.greater_equal(a, b), device)


def logical_and(x: Tensor, y: Tensor, /) -> Tensor:
    """Return ``x and y`` of bools.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("logical_and", x, y)
    return _tensor.wrap(device.backend.logical_and(_bool("logical_and", a), _bool("logical_and", b)), device)


def logical_or(x: Tensor, y: Tensor, /) -> Tensor:
    """Return ``x or y`` of bools.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("logical_or", x, y)
    return _tensor.wrap(device.backend.logical_or(_bool("logical_or", a), _bool("logical_or", b)), device)


def _bool(op: str, held: Any) -> Any:
    if held.dtype.kind != "b":
        raise DTypeError(f"{op}: needs bool, got {held.dtype}. Compare, or use astype(bb.bool).")
    return held


def logical_not(x: Tensor, /) -> Tensor:
    """Return ``not x`` of bools.

    Shape:
        x and the result ``[...]``.
    """
    held = bools("logical_not", x)
    return _tensor.wrap(x.device.backend.logical_not(held), x.device)


def logical_xor(x: Tensor, y: Tensor, /) -> Tensor:
    """Return whether just one of two bools holds.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("logical_xor", x, y)
    return _tensor.wrap(device.backend.not_equal(_bool("logical_xor", a), _bool("logical_xor", b)), device)
