"""The dtypes of stored tensors: what safetensors calls them, and how their bytes become NumPy's."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


class Malformed(Exception):
    """A clause that says what is wrong with a file or a tensor; the caller says which."""


# In the order of the format's library, which puts the last of them first in a file: that way wide elements
# come before narrow ones and all stay aligned. What NumPy lacks is its bits.
_NUMPY = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "F8_E5M2": "u1", "F8_E4M3": "u1", "F8_E8M0": "u1",
    "F8_E4M3FNUZ": "u1", "F8_E5M2FNUZ": "u1", "I16": "i2", "U16": "u2", "F16": "f2", "BF16": "u2",
    "I32": "i4", "U32": "u4", "F32": "f4", "C64": "c8", "F64": "f8", "I64": "i8", "U64": "u8",
}  # fmt: skip
DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(f"<{code}") for name, code in _NUMPY.items()}
BITS = {"BF16": "U16", **{name: "U8" for name in DTYPES if name.startswith("F8")}}
"""Dtypes that NumPy lacks, and what holds their bits."""
COMPLEX = "C128"  # NumPy and PyTorch have it, safetensors does not
_NAMES = {dtype: name for name, dtype in DTYPES.items() if name not in BITS}
_WORDS = {
    "BF16": "bfloat16", "F8_E5M2": "float8_e5m2", "F8_E4M3": "float8_e4m3fn", "F8_E8M0": "float8_e8m0fnu",
    "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz", COMPLEX: "complex128",
}  # fmt: skip

# Exponent's bits, mantissa's bits, bias of the exponent, and whether the highest exponent is for inf and NaN.
_FLOAT8 = {
    "F8_E5M2": (5, 2, 15, True),
    "F8_E4M3": (4, 3, 7, False),
    "F8_E4M3FNUZ": (4, 3, 8, False),
    "F8_E5M2FNUZ": (5, 2, 16, False),
}


def dtype_name(dtype: np.dtype[Any]) -> str:
    """Return what safetensors calls a NumPy dtype of any byte order."""
    try:
        return _NAMES[dtype.newbyteorder("<")]
    except (KeyError, TypeError):
        raise Malformed(f"dtype {dtype} has no place in safetensors") from None


def word(name: str) -> str:
    """Return what PyTorch and NumPy call the dtype of this safetensors name."""
    return _WORDS[name] if name in _WORDS else str(DTYPES[name])


def raw_dtype(name: str, order: Literal["<", ">"] = "<") -> np.dtype[Any]:
    """Return the NumPy dtype in which the elements lie in a file of this byte order."""
    return np.dtype("c16" if name == COMPLEX else DTYPES[name]).newbyteorder(order)


def decode(array: Array, name: str, raw: bool) -> Array:
    """Return what the elements of a file stand for: read-only, aligned, in native byte order, without gaps.

    Args:
        array: the elements as they lie in the file.
        name: their dtype.
        raw: leave float16 as it is, and bfloat16 and the kinds of float8 as bits.
    """
    if name == "BOOL":
        array = np.asarray(
            array.view(np.uint8) != 0
        )  # a bool of any other byte than 0 and 1 would be undefined
    elif name == "F16" and not raw:
        array = array.astype(np.float32)
    elif name == "BF16" and not raw:
        array = widen(array)
    elif name.startswith("F8") and not raw:
        array = float8_values(name)[array]
    elif not array.flags.aligned:
        array = array.copy()
    array = np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")
    array.flags.writeable = False
    return array


def widen(bits: Array) -> Array:
    """Return the float32 that the upper halves ``bits``, bfloat16 as uint16, stand for."""
    wide = bits.astype(np.uint32, order="C")
    wide <<= 16
    return wide.view(np.float32)


def float8_values(name: str) -> Array:
    """Return the float32 that each of the 256 bytes stands for."""
    bits = np.arange(256)
    if name == "F8_E8M0":  # a power of two alone
        values = np.ldexp(np.float64(1), bits - 127)
        values[255] = np.nan
        return values.astype(np.float32)
    width, mantissa_bits, bias, ieee = _FLOAT8[name]
    exponent = bits >> mantissa_bits & ((1 << width) - 1)
    mantissa = (bits & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    values = np.where(exponent == 0, np.ldexp(mantissa, 1 - bias), np.ldexp(1 + mantissa, exponent - bias))
    values[bits >= 128] *= -1
    if ieee:
        top = exponent == (1 << width) - 1
        values[top] = np.where(mantissa[top] == 0, np.copysign(np.inf, values[top]), np.nan)
    elif name.endswith("FNUZ"):
        values[128] = np.nan
    else:
        values[[127, 255]] = np.nan
    return values.astype(np.float32)


def narrow(x: Array, dtype: str) -> Array:
    """Round a vector of floats to ``dtype``, F32, F16 or BF16 (as uint16), to the nearest and ties to even.

    Raises:
        Malformed: a finite number would become infinite.
    """
    with np.errstate(over="ignore"):
        if dtype != "BF16":
            half: Array = x.astype(DTYPES[dtype])
            finite = np.isfinite(half)
        else:
            bits = x.astype(np.float32).view(np.uint32)
            half = ((bits + (0x7FFF + (bits >> 16 & 1))) >> 16).astype(np.uint16)
            nan = np.isnan(x)
            half[nan] = bits[nan] >> 16 | 0x40
            finite = (half & 0x7F80) != 0x7F80
    if not np.array_equal(finite, np.isfinite(x)):
        raise Malformed(f"a number is too large for {dtype}: {x[np.isfinite(x) & ~finite][0]}")
    return half
