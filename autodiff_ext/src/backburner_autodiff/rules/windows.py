"""The backward rule of sliding windows: what several windows share gets the sum."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.rules._rule import Array, Vjp, rule

_SHORT = 128  # so many float32 may be added one after another


@rule
def sliding_windows(out: Array, x: Array, *, axis: int, size: int, step: int) -> tuple[Vjp]:
    shape, dtype = x.shape, x.dtype

    def vjp(g: Array) -> Array:
        windows = g.shape[axis]
        overlap = min(windows, -(-size // step))
        y = np.zeros(shape, dtype if overlap <= _SHORT else np.float64)
        lanes, parts = np.moveaxis(y, axis, -1), np.moveaxis(g, axis, -2)
        if windows < size:
            for i in range(windows):
                lanes[..., i * step : i * step + size] += parts[..., i, :]
        else:
            for k in range(size):
                lanes[..., k : k + (windows - 1) * step + 1 : step] += parts[..., k]
        return y.astype(dtype, copy=False)

    return (vjp,)
