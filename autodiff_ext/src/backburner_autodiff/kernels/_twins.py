"""Python twins of the building blocks of ``math``, with the same bits, for runs without the compiler.

They are exact and slow. A step that the processor fuses into one rounding is rounded once here too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import llvmlite.binding as llvm
import numpy as np

FUSED = bool(llvm.get_host_cpu_features().get("fma")) or llvm.get_process_triple().startswith(
    ("aarch64", "arm64")
)
"""Whether compiled code rounds ``x * y + z`` once."""


def layout(x: Any) -> tuple[type[Any], int, int]:
    """Return the integer as wide as a float, the bits of the fraction, and the bias."""
    return (np.int32, 23, 127) if x.itemsize == 4 else (np.int64, 52, 1023)


def fma(x: Any, y: Any, z: Any) -> Any:
    """Return ``x * y + z``."""
    if not (FUSED and math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return x * y + z
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    if exact == 0:
        return x * y + z  # for the sign of the zero
    try:
        near = float(exact)
    except OverflowError:
        return type(x)(math.inf if exact > 0 else -math.inf)
    if x.itemsize == 4 and math.isfinite(near):
        # Rounded to odd first, a number is rounded to fewer bits as if it had been exact (Boldo, Melquiond 2008).
        beyond = exact - Fraction(near)
        if beyond and not np.float64(near).view(np.int64) & 1:
            near = math.nextafter(near, math.inf if beyond > 0 else -math.inf)
    return type(x)(near)


def polynomial(*coefficients: float) -> Callable[[Any], Any]:
    """Make a function that evaluates ``c0 + c1 x + c2 x^2 + ...`` by Horner's rule."""

    def evaluate(x: Any) -> Any:
        total = type(x)(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = fma(total, x, type(x)(coefficient))
        return total

    return evaluate


def _mask(x: Any) -> int:
    width: int = 8 * x.itemsize
    return (1 << width) - 1


def _bits(x: Any) -> int:
    integer, _, _ = layout(x)
    return int(x.view(integer)) & _mask(x)


def _float(bits: int, like: Any) -> Any:
    width = 8 * like.itemsize
    bits &= _mask(like)
    integer, _, _ = layout(like)
    return integer(bits - (1 << width) if bits >> (width - 1) else bits).view(type(like))


def power_of_two(x: Any) -> Any:
    """Return 2 to the integer ``n``, from ``x = n + 1.5 * 2^fraction``."""
    _, fraction, bias = layout(x)
    return _float((_bits(x) << fraction) + (bias << fraction), x)


def with_sign(y: Any, x: Any) -> Any:
    """Return a ``y`` that is not negative with the sign of ``x``."""
    return _float(_bits(y) | (_bits(x) & 1 << (8 * x.itemsize - 1)), x)


def _biased(x: Any) -> int:
    integer, fraction, bias = layout(x)
    half = int(np.sqrt(type(x)(0.5)).view(integer))
    return ((_bits(x) + (bias << fraction) - half) & _mask(x)) >> fraction


def exponent(x: Any) -> Any:
    """Return ``k`` that puts ``x / 2^k`` in [sqrt(1/2), sqrt(2)), as a float."""
    _, fraction, bias = layout(x)
    placed = _float(_biased(x) | (bias + fraction) << fraction, x)
    return placed - type(x)(float(2**fraction + bias))


def significand(x: Any) -> Any:
    """Return ``x / 2^k``."""
    _, fraction, bias = layout(x)
    return _float(_bits(x) - ((_biased(x) << fraction) - (bias << fraction)), x)


def tile(rows: int) -> Callable[..., None]:
    """Make a function that fills the columns of a panel in ``out`` with products, as ``_product`` has it."""

    def fill(x: Any, panel: int, packed: Any, span: tuple[int, int], out: Any) -> None:
        width = packed.shape[2]
        for r in range(rows):
            source = x[min(span[0] + r, span[1])]
            for j in range(width):
                total = packed.dtype.type(0)
                for k in range(source.size):
                    total = fma(source[k], packed[panel, k, j], total)
                out[r, panel * width + j] = total

    return fill
