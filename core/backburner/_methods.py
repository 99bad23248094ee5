"""The elementwise methods and operators of ``Tensor``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backburner.ops import bitwise, comparison, elementwise, floating, gamma, rounding, trigonometric

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def _reflected(function: Callable[[Any, Any], Tensor]) -> Callable[[Any, Any], Tensor]:
    """Return the method for an operator whose left side is no tensor."""

    def operator(self: Any, other: Any) -> Tensor:
        return function(other, self)

    return operator


class Elementwise:
    """What ``Tensor`` has from the elementwise families; the functions' docstrings hold."""

    __slots__ = ()

    __add__ = elementwise.add
    __sub__ = elementwise.subtract
    __mul__ = elementwise.multiply
    __truediv__ = elementwise.divide
    __floordiv__ = rounding.floor_divide
    __mod__ = rounding.remainder
    __pow__ = elementwise.pow
    __and__ = bitwise.bitwise_and
    __or__ = bitwise.bitwise_or
    __xor__ = bitwise.bitwise_xor
    __lshift__ = bitwise.bitwise_left_shift
    __rshift__ = bitwise.bitwise_right_shift

    __radd__ = _reflected(elementwise.add)
    __rsub__ = _reflected(elementwise.subtract)
    __rmul__ = _reflected(elementwise.multiply)
    __rtruediv__ = _reflected(elementwise.divide)
    __rfloordiv__ = _reflected(rounding.floor_divide)
    __rmod__ = _reflected(rounding.remainder)
    __rpow__ = _reflected(elementwise.pow)
    __rand__ = _reflected(bitwise.bitwise_and)
    __ror__ = _reflected(bitwise.bitwise_or)
    __rxor__ = _reflected(bitwise.bitwise_xor)
    __rlshift__ = _reflected(bitwise.bitwise_left_shift)
    __rrshift__ = _reflected(bitwise.bitwise_right_shift)

    __neg__ = elementwise.negative
    __pos__ = elementwise.positive
    __abs__ = elementwise.abs
    __invert__ = bitwise.bitwise_invert
    __lt__ = comparison.less
    __le__ = comparison.less_equal
    __gt__ = comparison.greater
    __ge__ = comparison.greater_equal

    add = elementwise.add
    subtract = elementwise.subtract
    multiply = elementwise.multiply
    divide = elementwise.divide
    pow = elementwise.pow
    maximum = elementwise.maximum
    minimum = elementwise.minimum
    equal = comparison.equal
    not_equal = comparison.not_equal
    less = comparison.less
    less_equal = comparison.less_equal
    greater = comparison.greater
    greater_equal = comparison.greater_equal
    logical_and = comparison.logical_and
    logical_or = comparison.logical_or
    logical_not = comparison.logical_not
    negative = elementwise.negative
    abs = elementwise.abs
    square = elementwise.square
    exp = elementwise.exp
    log = elementwise.log
    sqrt = elementwise.sqrt
    tanh = elementwise.tanh
    erf = elementwise.erf
    clip = elementwise.clip
    astype = elementwise.astype
    erfc = elementwise.erfc
    erfinv = elementwise.erfinv
    lgamma = gamma.lgamma
    digamma = gamma.digamma
    expm1 = elementwise.expm1
    log1p = elementwise.log1p
    log2 = elementwise.log2
    log10 = elementwise.log10
    logaddexp = elementwise.logaddexp
    hypot = elementwise.hypot
    reciprocal = elementwise.reciprocal
    rsqrt = elementwise.rsqrt
    lerp = elementwise.lerp
    logical_xor = comparison.logical_xor
    positive = elementwise.positive

    sin = trigonometric.sin
    cos = trigonometric.cos
    tan = trigonometric.tan
    asin = trigonometric.asin
    acos = trigonometric.acos
    atan = trigonometric.atan
    atan2 = trigonometric.atan2
    sinh = trigonometric.sinh
    cosh = trigonometric.cosh
    asinh = trigonometric.asinh
    acosh = trigonometric.acosh
    atanh = trigonometric.atanh

    sign = rounding.sign
    floor = rounding.floor
    ceil = rounding.ceil
    round = rounding.round
    trunc = rounding.trunc
    floor_divide = rounding.floor_divide
    remainder = rounding.remainder

    isnan = floating.isnan
    isinf = floating.isinf
    isfinite = floating.isfinite
    signbit = floating.signbit
    copysign = floating.copysign
    nextafter = floating.nextafter
    nan_to_num = floating.nan_to_num
    real = floating.real
    imag = floating.imag
    conj = floating.conj
    isclose = floating.isclose
    allclose = floating.allclose

    bitwise_and = bitwise.bitwise_and
    bitwise_or = bitwise.bitwise_or
    bitwise_xor = bitwise.bitwise_xor
    bitwise_invert = bitwise.bitwise_invert
    bitwise_left_shift = bitwise.bitwise_left_shift
    bitwise_right_shift = bitwise.bitwise_right_shift
