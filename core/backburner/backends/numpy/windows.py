"""Windows that slide along an axis."""

from __future__ import annotations

import numpy as np

from backburner.contracts import Array


def sliding_windows(x: Array, /, *, axis: int, size: int, step: int) -> Array:
    """Return a read-only view of all windows, their entries along a new last axis."""
    view = np.lib.stride_tricks.sliding_window_view(x, size, axis)
    return view[(*(slice(None),) * axis, slice(None, None, step))]
