"""The backward rule of unpooling."""

from __future__ import annotations

import numpy as np

from backburner_autodiff.rules._rule import Array, Vjp, rule


@rule
def max_unpool2d(out: Array, x: Array, indices: Array, *, size: tuple[int, int]) -> tuple[Vjp, None]:
    shape = x.shape
    n, c, h, w = shape
    count, places = h * w, np.ascontiguousarray(indices).reshape(n, c, h * w)

    def vjp(g: Array) -> Array:
        dx = np.take_along_axis(g.reshape(n, c, size[0] * size[1]), places, 2)
        # of several with one index the last alone came through
        number = np.arange(count)
        last = np.empty((n, c, size[0] * size[1]), np.int64)
        np.put_along_axis(last, places, np.broadcast_to(number, places.shape).copy(), 2)
        dx[np.take_along_axis(last, places, 2) != number] = 0
        return dx.reshape(shape)

    return vjp, None
