"""Trigonometric and hyperbolic ops: NumPy's ufuncs."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy.elementwise import _binary, _unary

sin = _unary(np.sin)
cos = _unary(np.cos)
tan = _unary(np.tan)
asin = _unary(np.arcsin)
acos = _unary(np.arccos)
atan = _unary(np.arctan)
atan2 = _binary(np.arctan2)
sinh = _unary(np.sinh)
cosh = _unary(np.cosh)
asinh = _unary(np.arcsinh)
acosh = _unary(np.arccosh)
atanh = _unary(np.arctanh)
