"""Elementwise functions. Inputs broadcast together; the result has the shape they broadcast to.

Promotion is the Array API standard's; an integer with a float gives that float, a Python or NumPy number
takes the tensor's dtype. Functions of floats take integers as float32. Floating-point warnings are
NumPy's own: ``numpy.errstate`` governs them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import _tensor
from backburner.device import Device, merge
from backburner.dtype import DEFAULT_FLOAT, DType, bool_, canonical
from backburner.errors import ArgumentError, DTypeError
from backburner.ops._operands import (
    Scalar,
    bools,
    broadcast_shape,
    floating,
    floats,
    number,
    numeric,
    operands,
    primitive,
    same_floats,
    scalar_kind,
)
from backburner.ops.comparison import greater, less, logical_or, not_equal

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def add(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x + y``.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("add", x, y)
    return _tensor.wrap(device.backend.add(a, b), device)


def subtract(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x - y``.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("subtract", x, y)
    if a.dtype is not DEFAULT_FLOAT and a.dtype.kind == "b":
        raise DTypeError("subtract: bool has no arithmetic of its own. Use astype first.")
    return _tensor.wrap(device.backend.subtract(a, b), device)


def multiply(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x * y``.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("multiply", x, y)
    return _tensor.wrap(device.backend.multiply(a, b), device)


def divide(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x / y``, a float also for integers.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = floats("divide", x, y)
    return _tensor.wrap(device.backend.divide(a, b), device)


def pow(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x ** y``. An integer takes a non-negative integer power.

    The gradient at ``x = 0`` is 0 for the exponents 0 and above 1, 1 for 1, and infinite below 1; that of
    the exponent is 0 there, and NaN for a negative ``x``.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    if isinstance(y, (int, float)) and y == 2 and isinstance(x, _tensor.Tensor) and x.dtype.kind == "f":
        return square(x)
    a, b, device = operands("pow", x, y)
    if a.dtype.kind != "f":
        if a.dtype.kind == "b":
            raise DTypeError("pow: bool has no arithmetic of its own. Use astype first.")
        if (b < 0).any():
            raise ArgumentError(
                "pow: an integer to a negative power is not an integer. Cast to a float first."
            )
    return _tensor.wrap(device.backend.pow(a, b), device)


def maximum(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return the larger of each pair. NaN wins; a tie shares its gradient evenly.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("maximum", x, y)
    return _tensor.wrap(device.backend.maximum(a, b), device)


def minimum(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return the smaller of each pair. NaN wins; a tie shares its gradient evenly.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = operands("minimum", x, y)
    return _tensor.wrap(device.backend.minimum(a, b), device)


def positive(x: Tensor, /) -> Tensor:
    """Return ``+x``, which is ``x`` itself.

    Shape:
        x and the result ``[...]``.
    """
    numeric("positive", x)
    return x


def negative(x: Tensor, /) -> Tensor:
    """Return ``-x``.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("negative", x)
    return _tensor.wrap(x.device.backend.negative(held), x.device)


def abs(x: Tensor, /) -> Tensor:
    """Return ``|x|``, with gradient 0 at 0.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("abs", x)
    return _tensor.wrap(x.device.backend.abs(held), x.device)


def square(x: Tensor, /) -> Tensor:
    """Return ``x * x``.

    Shape:
        x and the result ``[...]``.
    """
    held = numeric("square", x)
    return _tensor.wrap(x.device.backend.square(held), x.device)


def exp(x: Tensor, /) -> Tensor:
    """Return e to the ``x``.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("exp", x)
    return _tensor.wrap(x.device.backend.exp(held), x.device)


def log(x: Tensor, /) -> Tensor:
    """Return the natural logarithm: ``-inf`` at 0, NaN below.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("log", x)
    return _tensor.wrap(x.device.backend.log(held), x.device)


def sqrt(x: Tensor, /) -> Tensor:
    """Return the square root, with an infinite gradient at 0.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("sqrt", x)
    return _tensor.wrap(x.device.backend.sqrt(held), x.device)


def tanh(x: Tensor, /) -> Tensor:
    """Return the hyperbolic tangent.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("tanh", x)
    return _tensor.wrap(x.device.backend.tanh(held), x.device)


def erf(x: Tensor, /) -> Tensor:
    """Return the error function, ``2 / sqrt(pi)`` times the integral of ``exp(-t^2)`` from 0 to ``x``.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("erf", x)
    return _tensor.wrap(x.device.backend.erf(held), x.device)


def erfc(x: Tensor, /) -> Tensor:
    """Return ``1 - erf(x)``, with all digits also where that is tiny.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("erfc", x)
    return _tensor.wrap(x.device.backend.erfc(held), x.device)


def erfinv(x: Tensor, /) -> Tensor:
    """Return the inverse of the error function: infinite at -1 and 1, NaN outside.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("erfinv", x)
    return _tensor.wrap(x.device.backend.erfinv(held), x.device)


def expm1(x: Tensor, /) -> Tensor:
    """Return ``exp(x) - 1``, accurate near 0.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("expm1", x)
    return _tensor.wrap(x.device.backend.expm1(held), x.device)


def log1p(x: Tensor, /) -> Tensor:
    """Return ``log(1 + x)``, accurate near 0: ``-inf`` at -1, NaN below.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("log1p", x)
    return _tensor.wrap(x.device.backend.log1p(held), x.device)


def log2(x: Tensor, /) -> Tensor:
    """Return the logarithm to base 2: ``-inf`` at 0, NaN below.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("log2", x)
    return _tensor.wrap(x.device.backend.log2(held), x.device)


def log10(x: Tensor, /) -> Tensor:
    """Return the logarithm to base 10: ``-inf`` at 0, NaN below.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("log10", x)
    return _tensor.wrap(x.device.backend.log10(held), x.device)


def logaddexp(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``log(exp(x) + exp(y))`` without overflow. Of two ``-inf`` it is ``-inf``, with gradient 0.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = floats("logaddexp", x, y)
    return _tensor.wrap(device.backend.logaddexp(a, b), device)


def hypot(x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``sqrt(x * x + y * y)`` without overflow. The gradient at the origin is 0.

    Shape:
        x and y broadcast to ``[...]``, the shape of the result.
    """
    a, b, device = floats("hypot", x, y)
    return _tensor.wrap(device.backend.hypot(a, b), device)


def reciprocal(x: Tensor, /) -> Tensor:
    """Return ``1 / x``, a float also for integers.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("reciprocal", x)
    return _tensor.wrap(x.device.backend.divide(np.asarray(1, held.dtype), held), x.device)


def rsqrt(x: Tensor, /) -> Tensor:
    """Return ``1 / sqrt(x)``: ``inf`` at 0, with gradient ``-inf``, and NaN below.

    Shape:
        x and the result ``[...]``.
    """
    held, backend = floating("rsqrt", x), x.device.backend
    return _tensor.wrap(backend.divide(np.asarray(1, held.dtype), backend.sqrt(held)), x.device)


def lerp(x: Tensor, y: Tensor, weight: Tensor | Scalar, /) -> Tensor:
    """Return ``x + weight * (y - x)``, which is ``x`` for the weight 0 and ``y`` for 1, exactly.

    Shape:
        x, y and a weight that is a tensor broadcast together.
    """
    tensors = (x, y, weight) if isinstance(weight, _tensor.Tensor) else (x, y)
    held, device = same_floats("lerp", *tensors, required=2)
    shape = held[0].shape
    for other in held[1:]:
        shape = broadcast_shape("lerp", shape, other.shape)
    start, end, *rest = (_tensor.wrap(a, device) for a in held)
    step = subtract(end, start)
    if not rest:
        t = number("lerp", "weight", weight)
        return add(start, multiply(step, t)) if t < 0.5 else subtract(end, multiply(step, 1 - t))
    (w,) = rest
    return where(less(w, 0.5), add(start, multiply(step, w)), subtract(end, multiply(step, subtract(1, w))))


def where(condition: Tensor, x: Tensor | Scalar, y: Tensor | Scalar, /) -> Tensor:
    """Return ``x`` where ``condition`` holds, else ``y``.

    The branch not taken gets a zero gradient, whatever its value, so that
    ``where(x > 0, x * log(x), 0)`` trains.

    Shape:
        condition (bool), x and y broadcast together.

    Raises:
        DTypeError: ``condition`` is not bool.
    """
    if not isinstance(condition, _tensor.Tensor):
        primitive("where", condition)
    if isinstance(x, _tensor.Tensor) or isinstance(y, _tensor.Tensor):
        a, b, device = operands("where", x, y)
    else:
        a, b, device = operands("where", _tensor.tensor(x), y)
    if condition.device is not device:
        device = merge("where", condition.device, device)
    mask = condition._primitive
    if mask.dtype is not bool_:
        bools("where", condition)
    shape = mask.shape
    if a.shape != shape or (b.shape != shape and b.shape):
        broadcast_shape("where", mask.shape, broadcast_shape("where", a.shape, b.shape))
    return _tensor.wrap(device.backend.where(mask, a, b), device)


def clip(x: Tensor, /, min: Tensor | Scalar | None = None, max: Tensor | Scalar | None = None) -> Tensor:
    """Return ``x`` held between two bounds, in its dtype; its gradient is 1 on the closed interval, else 0.

    Args:
        x: a tensor of numbers.
        min: the lower bound, a number or a tensor; none by default. Where the result is a bound, that gets the
            gradient. A bound that is NaN gives NaN.
        max: the upper bound, likewise; of tensors it wins where it is below ``min``.

    Shape:
        x and bounds that are tensors broadcast together.

    Raises:
        ArgumentError: ``min`` is above ``max``, both numbers.
        DTypeError: a bound is not a number, or not an integer for an integer ``x``.
    """
    held = numeric("clip", x)
    for bound in (min, max):
        if isinstance(bound, _tensor.Tensor) or _is_nan(bound):
            return _clip_by_tensors(x, min, max)
    low = None if min is None else _bound("min", min, held.dtype)
    high = None if max is None else _bound("max", max, held.dtype)
    if low is None and high is None:
        return x
    if low is not None and high is not None and low > high:
        raise ArgumentError(f"clip: min {min} is above max {max}.")
    return _tensor.wrap(x.device.backend.clip(held, min=low, max=high), x.device)


def _is_nan(bound: object) -> bool:
    return isinstance(bound, (float, np.floating)) and math.isnan(bound)


def _clip_by_tensors(x: Tensor, min: Tensor | Scalar | None, max: Tensor | Scalar | None) -> Tensor:
    for name, bound, beyond in (("min", min, less), ("max", max, greater)):
        if bound is None:
            continue
        if isinstance(bound, _tensor.Tensor):
            broadcast_shape("clip", x.shape, bound.shape)
            limit = bound
        else:
            scalar_kind(f"clip: {name}", bound)
            limit = _tensor.tensor(bound)
        limit = _fitted(name, limit, x.dtype)
        out = beyond(x, limit)
        if limit.dtype.kind == "f":
            out = logical_or(out, not_equal(limit, limit))
        x = where(out, limit, x)
    return x


def _fitted(name: str, limit: Tensor, dtype: DType) -> Tensor:
    """Return a bound in the dtype of what it bounds, integers held to its range."""
    if limit.dtype == dtype or dtype.kind == "f":
        return astype(limit, dtype)
    if limit.dtype.kind not in "iu":
        raise DTypeError(f"clip: {name} is {limit.dtype}, x {dtype}. Use astype on one of them.")
    limits = np.iinfo(dtype)
    held = limit.device.backend.clip(limit._primitive, min=int(limits.min), max=int(limits.max))
    return astype(_tensor.wrap(held, limit.device), dtype)


def _bound(name: str, bound: Any, dtype: DType) -> Any:
    value = bound if bound.__class__ is float else number("clip", name, bound)
    if dtype.kind == "f":
        return dtype.type(value)
    if math.isinf(value):
        return value
    if value != int(value):
        raise DTypeError(f"clip: {name} {bound!r} is not an integer, as x is. Use astype first.")
    return int(bound)  # which the dtype may not hold: a backend sees to that


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Device | None = None) -> Tensor:
    """Return ``x`` in another dtype. A gradient comes back in the dtype of ``x``.

    From a float to an integer the fraction is cut off; NaN and values out of range give what the CPU gives.

    Args:
        x: a tensor.
        dtype: of the result.
        copy: makes no difference, as no tensor can be written to: memory is shared where the dtype is the same.
        device: where the result is to be; by default where ``x`` is.

    Shape:
        x and the result ``[...]``.
    """
    held = x._primitive if isinstance(x, _tensor.Tensor) else primitive("astype", x)
    wanted = canonical(dtype, "astype")
    if device is not None:
        x = x.to(device)
        held = x._primitive
    if held.dtype is wanted or held.dtype == wanted:
        return x
    return _tensor.wrap(x.device.backend.astype(held, dtype=wanted), x.device)
