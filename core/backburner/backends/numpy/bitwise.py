"""Bitwise ops: NumPy's ufuncs, whose shifts may exceed the bits there are."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy.elementwise import _binary, _unary

bitwise_and = _binary(np.bitwise_and)
bitwise_or = _binary(np.bitwise_or)
bitwise_xor = _binary(np.bitwise_xor)
bitwise_invert = _unary(np.invert)
bitwise_left_shift = _binary(np.left_shift)
bitwise_right_shift = _binary(np.right_shift)
