"""Trigonometric and hyperbolic functions of floats; integers are taken as float32. Angles are in radians."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backburner import _tensor
from backburner.ops._operands import Scalar, floating, floats

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def sin(x: Tensor, /) -> Tensor:
    """Return the sine.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("sin", x)
    return _tensor.wrap(x.device.backend.sin(held), x.device)


def cos(x: Tensor, /) -> Tensor:
    """Return the cosine.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("cos", x)
    return _tensor.wrap(x.device.backend.cos(held), x.device)


def tan(x: Tensor, /) -> Tensor:
    """Return the tangent.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("tan", x)
    return _tensor.wrap(x.device.backend.tan(held), x.device)


def asin(x: Tensor, /) -> Tensor:
    """Return the arc sine, from -pi/2 to pi/2; NaN outside [-1, 1], with an infinite gradient at its ends.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("asin", x)
    return _tensor.wrap(x.device.backend.asin(held), x.device)


def acos(x: Tensor, /) -> Tensor:
    """Return the arc cosine, from 0 to pi; NaN outside [-1, 1], with an infinite gradient at its ends.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("acos", x)
    return _tensor.wrap(x.device.backend.acos(held), x.device)


def atan(x: Tensor, /) -> Tensor:
    """Return the arc tangent, from -pi/2 to pi/2.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("atan", x)
    return _tensor.wrap(x.device.backend.atan(held), x.device)


def atan2(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return the angle of the point with ordinate ``x`` and abscissa ``y``, from -pi to pi.

    That is the arc tangent of ``x / y`` in the right quadrant. The gradient at the origin is 0.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = floats("atan2", x, y)
    return _tensor.wrap(device.backend.atan2(a, b), device)


def sinh(x: Tensor, /) -> Tensor:
    """Return the hyperbolic sine.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("sinh", x)
    return _tensor.wrap(x.device.backend.sinh(held), x.device)


def cosh(x: Tensor, /) -> Tensor:
    """Return the hyperbolic cosine.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("cosh", x)
    return _tensor.wrap(x.device.backend.cosh(held), x.device)


def asinh(x: Tensor, /) -> Tensor:
    """Return the inverse hyperbolic sine.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("asinh", x)
    return _tensor.wrap(x.device.backend.asinh(held), x.device)


def acosh(x: Tensor, /) -> Tensor:
    """Return the inverse hyperbolic cosine; NaN below 1, with an infinite gradient there.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("acosh", x)
    return _tensor.wrap(x.device.backend.acosh(held), x.device)


def atanh(x: Tensor, /) -> Tensor:
    """Return the inverse hyperbolic tangent; infinite at -1 and 1, NaN outside.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("atanh", x)
    return _tensor.wrap(x.device.backend.atanh(held), x.device)
