"""The backward rule of unpooling."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy.unpool import places_of_planes
from backburner_autodiff.rules._rule import Array, Vjp, rule


@rule
def max_unpool2d(out: Array, x: Array, indices: Array, *, size: tuple[int, int]) -> tuple[Vjp, None]:
    shape = x.shape

    def vjp(g: Array) -> Array:
        places = places_of_planes(indices, size)
        dx = g.reshape(-1)[places]
        named = np.zeros(g.size, np.bool_)
        named[places] = True
        if np.count_nonzero(named) < places.size:
            # of several with one index the last alone came through
            number, last = np.arange(places.size), np.empty(g.size, np.int64)
            last[places] = number
            dx[last[places] != number] = 0
        return dx.reshape(shape)

    return vjp, None
