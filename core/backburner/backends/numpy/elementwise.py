"""Elementwise ops. Most are NumPy's ufuncs themselves, so that calling one costs no Python frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backburner.backends.numpy._erf import erf as erf
from backburner.backends.numpy._erfc import erfc as erfc
from backburner.backends.numpy._erfinv import erfinv as erfinv
from backburner.contracts import Array
from backburner.dtype import DType


def _unary(ufunc: Any) -> Callable[[Array], Array]:
    """Give a ufunc the type of an op; at run time it is the ufunc."""
    return ufunc  # type: ignore[no-any-return]


def _binary(ufunc: Any) -> Callable[[Array, Array], Array]:
    """Give a ufunc the type of an op; at run time it is the ufunc."""
    return ufunc  # type: ignore[no-any-return]


def _ternary(function: Any) -> Callable[[Array, Array, Array], Array]:
    """Give a function the type of an op; at run time it is the function."""
    return function  # type: ignore[no-any-return]


add = _binary(np.add)
subtract = _binary(np.subtract)
multiply = _binary(np.multiply)
divide = _binary(np.true_divide)
pow = _binary(np.power)
maximum = _binary(np.maximum)
minimum = _binary(np.minimum)
negative = _unary(np.negative)
abs = _unary(np.absolute)
exp = _unary(np.exp)
log = _unary(np.log)
sqrt = _unary(np.sqrt)
square = _unary(np.square)
tanh = _unary(np.tanh)
expm1 = _unary(np.expm1)
log1p = _unary(np.log1p)
log2 = _unary(np.log2)
log10 = _unary(np.log10)
logaddexp = _binary(np.logaddexp)
hypot = _binary(np.hypot)
where = _ternary(np.where)


def clip(x: Array, /, *, min: Any, max: Any) -> Array:
    """Return ``x`` held between ``min`` and ``max``, either of them ``None``."""
    if x.dtype.kind in "iu":  # a bound that the dtype cannot hold would be NumPy's OverflowError
        lowest, highest = np.iinfo(x.dtype).min, np.iinfo(x.dtype).max
        min = _hold(min, lowest, highest)
        max = _hold(max, lowest, highest)
    if min is not None:
        x = np.maximum(x, min)
    if max is not None:
        x = np.minimum(x, max)
    return x


def _hold(bound: Any, lowest: int, highest: int) -> Any:
    if bound is None or lowest <= bound <= highest:
        return bound
    return lowest if bound < lowest else highest


def astype(x: Array, /, *, dtype: DType) -> Array:
    """Return ``x`` in ``dtype``, ``x`` itself if that is its dtype already."""
    return x.astype(dtype, copy=False)
