"""Elementary functions that become vector code inside the loops of kernels.

Each takes a float32 or float64 and returns the same, without branches and without calls, so that LLVM turns a
loop over it into packed instructions, which it cannot do with those of the module ``math``. Every operation is
strict IEEE arithmetic whatever the kernel around it allows: NaN, infinities and subnormals come out right, and
an element has the same bits in the bulk of a loop and in its remainder.

The largest errors, in units in the last place:

============  =======  =======
function      float32  float64
============  =======  =======
``exp``       1.1      1.1
``log``       1        1
``tanh``      2        2
``sigmoid``   2.5      2.5
``erf``       1.5      1.5
============  =======  =======

Polynomials are least-squares fits on Chebyshev nodes, computed with 60 digits; the reductions to their ranges
are the textbook's (Muller, "Elementary Functions").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba import extending

Array = np.ndarray[Any, np.dtype[Any]]
Function = Callable[[Any], Any]

_STRICT: Any = {"error_model": "numpy", "nogil": True, "fastmath": False, "forceinline": True}


def _inline(function: Function) -> Function:
    return cast(Function, numba.njit(**_STRICT)(function))


def _intrinsic(function: Callable[..., Any]) -> Any:
    return extending.intrinsic(function)


# -- building blocks: one instruction or a few, of the width of their argument -------------------------------


def _layout(x: Any) -> tuple[Any, int, int]:
    """Return the LLVM integer as wide as a float type, the bits of the fraction, and the bias."""
    return (ir.IntType(32), 23, 127) if x == numba.float32 else (ir.IntType(64), 52, 1023)


def _emit_fma(context: Any, builder: Any, x: Any, y: Any, z: Any) -> Any:
    """Emit ``x * y + z``, rounded once where the processor can, and twice where that would be a slow call."""
    triple, _, features = context.codegen().magic_tuple()
    if "+fma" in features.split(",") or triple.startswith(("aarch64", "arm64")):
        return builder.fma(x, y, z)
    return builder.fadd(builder.fmul(x, y), z)


@_intrinsic
def _fma(typing: Any, x: Any, y: Any, z: Any) -> Any:
    return x(x, x, x), lambda context, builder, signature, args: _emit_fma(context, builder, *args)


def _polynomial(*coefficients: float) -> Function:
    """Make a function that evaluates ``c0 + c1 x + c2 x^2 + ...`` by Horner's rule."""

    @_intrinsic
    def evaluate(typing: Any, x: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = context.get_value_type(x)
            total = ir.Constant(kind, coefficients[-1])
            for coefficient in reversed(coefficients[:-1]):
                total = _emit_fma(context, builder, total, args[0], ir.Constant(kind, coefficient))
            return total

        return x(x), emit

    return cast(Function, evaluate)


@_intrinsic
def _power_of_two(typing: Any, x: Any) -> Any:
    """Return 2 to the integer ``n``, normal, from ``x = n + 1.5 * 2^fraction``, whose low bits are ``n``."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer, fraction, bias = _layout(x)
        shifted = builder.shl(builder.bitcast(args[0], integer), integer(fraction))
        return builder.bitcast(builder.add(shifted, integer(bias << fraction)), args[0].type)

    return x(x), emit


def _emit_exponent(builder: Any, x: Any, value: Any) -> tuple[Any, Any]:
    """Emit the bits of ``value`` and the biased exponent ``k`` that puts ``value / 2^k`` in [sqrt(1/2), sqrt(2))."""
    integer, fraction, bias = _layout(x)
    half = (
        int(np.sqrt(np.float32(0.5)).view(np.int32)) if fraction == 23 else int(np.sqrt(0.5).view(np.int64))
    )
    bits = builder.bitcast(value, integer)
    return bits, builder.lshr(builder.add(bits, integer((bias << fraction) - half)), integer(fraction))


@_intrinsic
def _with_sign(typing: Any, y: Any, x: Any) -> Any:
    """Return a ``y`` that is not negative with the sign of ``x``, zeros included."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer, _, _ = _layout(x)
        sign = builder.and_(builder.bitcast(args[1], integer), integer(1 << (integer.width - 1)))
        return builder.bitcast(builder.or_(builder.bitcast(args[0], integer), sign), args[0].type)

    return x(x, x), emit


@_intrinsic
def _exponent(typing: Any, x: Any) -> Any:
    """Return that ``k``, unbiased, as a float, of a positive normal number."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        # A conversion of 64-bit integers is not vector code before AVX-512: put them into a fraction instead.
        integer, fraction, bias = _layout(x)
        _, exponent = _emit_exponent(builder, x, args[0])
        placed = builder.bitcast(builder.or_(exponent, integer((bias + fraction) << fraction)), args[0].type)
        return builder.fsub(placed, ir.Constant(args[0].type, float(2**fraction + bias)))

    return x(x), emit


@_intrinsic
def _significand(typing: Any, x: Any) -> Any:
    """Return ``x / 2^k``."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer, fraction, bias = _layout(x)
        bits, exponent = _emit_exponent(builder, x, args[0])
        power = builder.sub(builder.shl(exponent, integer(fraction)), integer(bias << fraction))
        return builder.bitcast(builder.sub(bits, power), args[0].type)

    return x(x), emit


def _emit_flip(builder: Any, bits: Any) -> Any:
    """Emit what turns a float's bits into an integer that sorts as the float does, and back."""
    integer = bits.type
    sign = builder.ashr(bits, integer(integer.width - 1))
    return builder.xor(bits, builder.and_(sign, integer(2 ** (integer.width - 1) - 1)))


@_intrinsic
def _ordered(typing: Any, x: Any) -> Any:
    """Return an integer that sorts as the float does, with -0 before 0; NaN may land on either end."""
    integer, fraction, _ = _layout(x)
    result = numba.int32 if fraction == 23 else numba.int64

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _emit_flip(builder, builder.bitcast(args[0], integer))

    return result(x), emit


@_intrinsic
def _from_ordered(typing: Any, bits: Any, like: Any) -> Any:
    """Return the float of the type of ``like`` that ``_ordered`` made ``bits`` from."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(_emit_flip(builder, args[0]), context.get_value_type(like))

    return like(bits, like), emit


if cast(Any, numba).config.DISABLE_JIT:
    from backburner_autodiff.kernels import _twins

    _fma, _polynomial, _power_of_two = _twins.fma, _twins.polynomial, _twins.power_of_two
    _with_sign, _exponent, _significand = _twins.with_sign, _twins.exponent, _twins.significand


# ln 2 less its first bits, which are so few that the exponent times them is exact.
_LOG2_LOW = {15: 1.4286068203094173e-06, 32: 1.9082149292705877e-10}


# -- the functions, made once for each float type ------------------------------------------------------------


def _make_exp(kind: Any, low: float, high: float, high_bits: int, *coefficients: float) -> Function:
    high_part = int(math.log(2) * 2**high_bits) / 2**high_bits
    inverse, minus_high, minus_low = kind(1 / math.log(2)), kind(-high_part), kind(-_LOG2_LOW[high_bits])
    rounder = kind(1.5 * 2 ** _layout(numba.from_dtype(np.dtype(kind)))[1])
    half, one, low, high = kind(0.5), kind(1), kind(low), kind(high)
    polynomial = _polynomial(*coefficients)

    def exp(x: Any) -> Any:
        # Beyond these bounds lie 0 and infinity; NaN passes both comparisons.
        x = high if x > high else x
        x = low if x < low else x
        n = _fma(x, inverse, rounder) - rounder
        r = _fma(n, minus_low, _fma(n, minus_high, x))
        y = one + _fma(r * r, polynomial(r), r)
        # In two steps, because 2^n may be no normal number where the result is still one.
        first = _fma(n, half, rounder)
        second = (n - (first - rounder)) + rounder
        return y * _power_of_two(first) * _power_of_two(second)

    return _inline(exp)


def _make_log(kind: Any, high_bits: int, *coefficients: float) -> Function:
    tiny, fraction = np.finfo(kind).tiny, _layout(numba.from_dtype(np.dtype(kind)))[1]
    lift, shift = kind(2.0**fraction), kind(fraction)
    high_part = kind(int(math.log(2) * 2**high_bits) / 2**high_bits)
    low_part = kind(_LOG2_LOW[high_bits])
    zero, half, one, two, infinity, nan = (kind(v) for v in (0, 0.5, 1, 2, math.inf, math.nan))
    polynomial = _polynomial(*coefficients)

    def log(x: Any) -> Any:
        subnormal = x < tiny
        y = x * lift if subnormal else x
        k = _exponent(y) - (shift if subnormal else zero)
        f = _significand(y) - one
        s = f / (two + f)
        z = s * s
        square = half * f * f
        tail = _fma(s, _fma(z, polynomial(z), square), k * low_part)
        result = _fma(k, high_part, f - (square - tail))
        result = result if x < infinity else x
        result = result if x != zero else -infinity
        return nan if x < zero else result

    return _inline(log)


def _make_tanh(kind: Any, exp: Function, *coefficients: float) -> Function:
    one, two, limit = kind(1), kind(2), kind(0.6)
    polynomial = _polynomial(*coefficients)

    def tanh(x: Any) -> Any:
        size = abs(x)
        z = x * x
        near = _fma(size * z, polynomial(z), size)
        far = one - two / (exp(two * size) + one)
        return _with_sign(near if size < limit else far, x)

    return _inline(tanh)


def _make_sigmoid(kind: Any, exp: Function) -> Function:
    one, zero = kind(1), kind(0)

    def sigmoid(x: Any) -> Any:
        e = exp(-abs(x))
        return (e if x < zero else one) / (one + e)

    return _inline(sigmoid)


def _make_erf(kind: Any, exp: Function, limit: float, near_terms: Any, far_terms: Any) -> Function:
    one, limit = kind(1), kind(limit)
    near_polynomial, far_polynomial = _polynomial(*near_terms), _polynomial(*far_terms)

    def erf(x: Any) -> Any:
        size = abs(x)
        near = _fma(size, near_polynomial(x * x), size)
        # The polynomial is that of log(1 - erf).
        far = one - exp(far_polynomial(limit if size > limit else size))
        return _with_sign(near if size < one else far, x)

    return _inline(erf)


_EXP = {
    np.float32: _make_exp(np.float32, -104, 89, 15, 0.5, 0.16666515, 0.04166626, 0.008369223, 0.0013946561),
    np.float64: _make_exp(
        np.float64, -746, 710, 32,
        0.5, 0.16666666666666685, 0.04166666666666671, 0.008333333333316192, 0.0013888888888863463,
        0.00019841269898232815, 2.480158736417848e-05, 2.7557233186138298e-06, 2.755724122873017e-07,
        2.5112575199224824e-08, 2.0924596060647947e-09,
    ),
}  # fmt: skip
_LOG = {
    np.float32: _make_log(np.float32, 15, 0.6666666, 0.4000034, 0.28537038, 0.23586825),
    np.float64: _make_log(
        np.float64, 32,
        0.6666666666666737, 0.3999999999940143, 0.28571428745022687, 0.2222219832138817, 0.1818357681823898,
        0.15313740438192908, 0.14798994301953908,
    ),
}  # fmt: skip
_TANH = {
    np.float32: _make_tanh(
        np.float32, _EXP[np.float32],
        -0.3333333, 0.13333245, -0.053952113, 0.021732505, -0.008262349, 0.0022267045,
    ),
    np.float64: _make_tanh(
        np.float64, _EXP[np.float64],
        -0.33333333333333326, 0.13333333333331746, -0.05396825396720646, 0.02186948850134245,
        -0.008863234849529573, 0.0035921195393743485, -0.0014557632897826199, 0.0005896188267939503,
        -0.00023750320774460125, 9.247260541470665e-05, -3.116157420510955e-05, 6.49584044838871e-06,
    ),
}  # fmt: skip
_SIGMOID = {kind: _make_sigmoid(kind, exp) for kind, exp in _EXP.items()}
_ERF = {
    np.float32: _make_erf(
        np.float32, _EXP[np.float32], 4.1,
        (0.12837917, -0.37612626, 0.11283597, -0.026854329, 0.005189312, -0.0008018855, 7.8824974e-05),
        (
            0.00019052805, -1.1295897, -0.63319856, -0.1084407, 0.02522173, -0.0042093853, 0.00044227595,
            -2.1763657e-05,
        ),
    ),
    np.float64: _make_erf(
        np.float64, _EXP[np.float64], 6.1,
        (
            0.1283791670955126, -0.3761263890318375, 0.11283791670954882, -0.026866170645077334,
            0.005223977624823223, -0.0008548326981129666, 0.00012055331122299266, -1.4925595519506043e-05,
            1.6461004480962034e-06, -1.6350354461959655e-07, 1.4660051998394848e-08, -1.1373902296430911e-09,
            5.958930743134941e-11,
        ),
        (
            2.833640915085505e-08, -1.1283795254153046, -0.6366176274753945, -0.10278068929559435,
            0.019149991109491185, 0.0001660458355836085, -0.0016287705855342627, 0.0005058947480522666,
            5.948139805751165e-05, -0.00013524971889177867, 7.776237251290516e-05, -2.991292669609855e-05,
            8.770089972262126e-06, -2.0364109866628845e-06, 3.777422291602962e-07, -5.558339437066633e-08,
            6.360788692181089e-09, -5.46476966298532e-10, 3.31742322251165e-11, -1.2685868468165972e-12,
            2.2971899873039954e-14,
        ),
    ),
}  # fmt: skip

# -- what kernels call: as Python in runs without the compiler, and compiled -------------------


def exp(x: Any) -> Any:
    """Return e to the ``x``."""
    return _EXP[type(x)](x)


def log(x: Any) -> Any:
    """Return the natural logarithm."""
    return _LOG[type(x)](x)


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return _TANH[type(x)](x)


def sigmoid(x: Any) -> Any:
    """Return ``1 / (1 + exp(-x))``."""
    return _SIGMOID[type(x)](x)


def erf(x: Any) -> Any:
    """Return the error function."""
    return _ERF[type(x)](x)


def max_of(row: Array) -> Any:
    """Return the largest element of a row, NaN if there is one, and ``-inf`` of none."""
    return row.max(initial=-np.inf)


def _compile(function: Function, forms: dict[Any, Function]) -> None:
    by_type = {numba.from_dtype(np.dtype(kind)): form for kind, form in forms.items()}

    @extending.overload(function, jit_options=_STRICT)
    def choose(x: Any) -> Any:
        form = by_type.get(x)
        if form is None:
            return None

        def call(x: Any) -> Any:
            return form(x)

        return call


for _function, _forms in ((exp, _EXP), (log, _LOG), (tanh, _TANH), (sigmoid, _SIGMOID), (erf, _ERF)):
    _compile(_function, _forms)


@extending.overload(max_of, jit_options=_STRICT)
def _max_of(row: Any) -> Any:
    def max_of(row: Any) -> Any:
        # Integers have one order and one maximum, so LLVM may take them lane by lane. NaN is counted apart:
        # a select inside the maximum would hide from LLVM that it is one.
        lowest = row.dtype.type(-np.inf)
        largest = _ordered(lowest)
        strange = False
        for i in range(row.size):
            largest = max(largest, _ordered(row[i]))
            strange |= row[i] != row[i]
        return row.dtype.type(np.nan) if strange else _from_ordered(largest, lowest)

    return max_of
