"""Comparisons and logic: NumPy's own functions."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy.elementwise import _binary, _unary

equal = _binary(np.equal)
not_equal = _binary(np.not_equal)
less = _binary(np.less)
less_equal = _binary(np.less_equal)
greater = _binary(np.greater)
greater_equal = _binary(np.greater_equal)
logical_not = _unary(np.logical_not)
logical_and = _binary(np.logical_and)
logical_or = _binary(np.logical_or)
