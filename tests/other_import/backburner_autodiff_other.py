"""An extension whose import fails, in the way of a Numba that is older than the NumPy beside it."""

raise ImportError("Numba needs NumPy 2.2 or less. Got NumPy 2.4.")
