"""What floats are made of: NaN, infinities, the sign, the next one, and when two are close."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from backburner import _tensor
from backburner.dtype import float64
from backburner.ops._operands import (
    Scalar,
    cast,
    element,
    flag,
    floating,
    floats,
    number,
    numeric,
    operands,
    primitive,
)
from backburner.ops.comparison import equal
from backburner.ops.elementwise import where

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def isnan(x: Tensor, /) -> Tensor:
    """Return whether each element is NaN; integers are not.

    Shape:
        x and the result ``[...]``.
    """
    held = primitive("isnan", x)
    return _tensor.wrap(x.device.backend.isnan(held), x.device)


def isinf(x: Tensor, /) -> Tensor:
    """Return whether each element is an infinity; integers are not.

    Shape:
        x and the result ``[...]``.
    """
    held = primitive("isinf", x)
    return _tensor.wrap(x.device.backend.isinf(held), x.device)


def isfinite(x: Tensor, /) -> Tensor:
    """Return whether each element is neither an infinity nor NaN.

    Shape:
        x and the result ``[...]``.
    """
    held = primitive("isfinite", x)
    return _tensor.wrap(x.device.backend.isfinite(held), x.device)


def signbit(x: Tensor, /) -> Tensor:
    """Return whether each element has a minus sign, as -0.0 has.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("signbit", x)
    return _tensor.wrap(x.device.backend.signbit(held), x.device)


def copysign(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``|x|`` with the sign of ``y``. The gradient at ``x = 0`` is 0, and so is that of ``y``.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = floats("copysign", x, y)
    return _tensor.wrap(device.backend.copysign(a, b), device)


def nextafter(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return the next float after ``x`` towards ``y``. The gradient of ``x`` is 1, that of ``y`` is 0.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = floats("nextafter", x, y)
    return _tensor.wrap(device.backend.nextafter(a, b), device)


def real(x: Tensor, /) -> Tensor:
    """Return the real part, which is ``x`` itself: no tensor is complex.

    Shape:
        x and the result ``[...]``.
    """
    numeric("real", x)
    return x


def imag(x: Tensor, /) -> Tensor:
    """Return the imaginary part, zeros: no tensor is complex.

    Shape:
        x and the result ``[...]``.
    """
    numeric("imag", x)
    backend = x.device.backend
    return _tensor.wrap(backend.full(shape=x.shape, value=0, dtype=x.dtype), x.device)


def conj(x: Tensor, /) -> Tensor:
    """Return the complex conjugate, which is ``x`` itself: no tensor is complex.

    Shape:
        x and the result ``[...]``.
    """
    numeric("conj", x)
    return x


def nan_to_num(
    x: Tensor, /, nan: Scalar = 0.0, posinf: Scalar | None = None, neginf: Scalar | None = None
) -> Tensor:
    """Return ``x`` with numbers in the place of NaN and infinities; what is replaced gets a zero gradient.

    Args:
        x: a tensor; integers and bools stay as they are.
        nan: what takes the place of NaN.
        posinf: what takes that of ``inf``; by default the largest number of the dtype.
        neginf: what takes that of ``-inf``; by default the lowest.

    Shape:
        x and the result ``[...]``.
    """
    held = primitive("nan_to_num", x)
    if held.dtype.kind != "f":
        return x
    limits = np.finfo(held.dtype)
    high = limits.max if posinf is None else element("nan_to_num", "posinf", posinf, held.dtype)
    low = limits.min if neginf is None else element("nan_to_num", "neginf", neginf, held.dtype)
    y = where(isnan(x), element("nan_to_num", "nan", nan, held.dtype), x)
    return where(equal(x, -math.inf), low, where(equal(x, math.inf), high, y))


def isclose(
    x: Tensor | Scalar,
    y: Tensor | Scalar,
    /,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    """Return whether ``|x - y| <= atol + rtol * |y|``, or both are the same infinity.

    Args:
        x: a tensor or number.
        y: what to compare with.
        rtol: the tolerance relative to ``y``.
        atol: the absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("isclose", x, y)
    relative, absolute = number("isclose", "rtol", rtol), number("isclose", "atol", atol)
    plain = device.without_autodiff()
    if device.is_autodiff():  # the result has no gradient, so there is nothing to record
        a, b = _tensor.wrap(a, device)._array(), _tensor.wrap(b, device)._array()
    if a.dtype.kind != "f":
        a, b = cast(a, float64, plain), cast(b, float64, plain)
    backend = plain.backend
    with np.errstate(invalid="ignore"):  # inf - inf
        within = backend.less_equal(abs(a - b), absolute + relative * abs(b))
    close = backend.logical_or(backend.logical_and(within, backend.isfinite(b)), backend.equal(a, b))
    if flag("isclose", "equal_nan", equal_nan):
        close = backend.logical_or(close, backend.logical_and(backend.isnan(a), backend.isnan(b)))
    return _tensor.wrap(close, device)


def allclose(
    x: Tensor | Scalar,
    y: Tensor | Scalar,
    /,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> bool:
    """Return whether ``isclose`` holds everywhere, as a Python bool.

    Shape:
        x and y broadcast together; result ``[]``.
    """
    return bool(isclose(x, y, rtol, atol, equal_nan).numpy().all())
