"""Ops on what floats are made of: NumPy's ufuncs."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy.elementwise import _binary, _unary

isnan = _unary(np.isnan)
isinf = _unary(np.isinf)
isfinite = _unary(np.isfinite)
signbit = _unary(np.signbit)
copysign = _binary(np.copysign)
nextafter = _binary(np.nextafter)
