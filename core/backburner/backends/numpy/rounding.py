"""Rounding ops: NumPy's ufuncs, whose division has Python's sign."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy.elementwise import _binary, _unary

sign = _unary(np.sign)
floor = _unary(np.floor)
ceil = _unary(np.ceil)
round = _unary(np.rint)
trunc = _unary(np.trunc)
floor_divide = _binary(np.floor_divide)
remainder = _binary(np.remainder)
