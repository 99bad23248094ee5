"""Rounding ops: NumPy's ufuncs, whose division has Python's sign."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy.elementwise import _binary, _unary
from backburner.contracts import Array

floor = _unary(np.floor)
ceil = _unary(np.ceil)
round = _unary(np.rint)
trunc = _unary(np.trunc)
remainder = _binary(np.remainder)


def sign(x: Array, /) -> Array:
    """Return -1, 0 or 1; of both zeros +0, where NumPy keeps the sign."""
    y: Array = np.sign(x)
    return y + 0 if y.dtype.kind == "f" else y


def floor_divide(x: Array, y: Array, /) -> Array:
    """Return the floor of ``x / y``, where an infinity is on one side only ``x / y`` itself."""
    if x.dtype.kind != "f":
        with np.errstate(over="ignore"):  # the lowest integer by -1 wraps, as sums do
            return np.asarray(np.floor_divide(x, y))
    floored: Array = np.floor_divide(x, y)
    if np.isfinite(x).all() and np.isfinite(y).all():
        return floored
    return np.where(np.isinf(x) ^ np.isinf(y), np.true_divide(x, y), floored)
