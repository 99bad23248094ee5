"""Backward rules of distances, which have no array of all differences either."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backburner.backends.numpy import distance
from backburner_autodiff.rules._rule import Array, rule

Pair = tuple[Array, Array]

_CLOSE = 1e-6
"""Rows that are nearer than this, compared with their norms, are subtracted one by one."""


@rule(compute_bound=True)
def cdist(
    out: Array, x1: Array, x2: Array, *, p: float, products: bool | None
) -> Callable[[Array, tuple[bool, ...]], Pair]:
    def joint(g: Array, needed: tuple[bool, ...]) -> Pair:
        first, second, shape = distance.batches(x1, x2)
        whole = first.shape[0], *shape[-2:]
        dx1, dx2 = np.zeros(first.shape), np.zeros(second.shape)
        if g.size and p != 0:
            pull = _pull_by_products if p == 2 and products is not False else _pull_by_features
            pull(first, second, out.reshape(whole), g.reshape(whole), p, dx1, dx2)
        return (
            dx1.astype(x1.dtype, copy=False).reshape(*shape[:-2], *x1.shape[-2:]),
            dx2.astype(x2.dtype, copy=False).reshape(*shape[:-2], *x2.shape[-2:]),
        )

    return joint


def _pull_by_products(
    first: Array, second: Array, out: Array, g: Array, p: float, dx1: Array, dx2: Array
) -> None:
    """Sum ``(x - y) w`` with ``w = g / |x - y|`` as ``x sum(w) - sum(w y)``, a column of ones giving ``sum(w)``."""
    x, y = distance.centred(first, second)
    size, other = (np.sqrt((z * z).sum(-1, keepdims=True)) for z in (x, y))
    bound = _CLOSE * (size + other.max(-2, keepdims=True))
    x, y = (np.concatenate([z, np.ones_like(z[..., :1])], -1) for z in (x, y))
    for batch, rows in distance.blocks(out.shape, distance.WIDE):
        apart = out[batch, rows]
        weight = np.divide(g[batch, rows], apart, dtype=np.float64)
        near = apart <= bound[batch, rows]
        if near.any():
            b, i, j = np.nonzero(near & (apart != 0))
            moved = first[batch, rows][b, i].astype(np.float64) - second[batch][b, j]
            moved *= weight[b, i, j][:, None]
            weight[near] = 0
            np.add.at(dx1[batch, rows], (b, i), moved)
            np.subtract.at(dx2[batch], (b, j), moved)
        a, c = x[batch, rows], y[batch]
        pulled, pushed = np.matmul(weight, c), np.matmul(weight.swapaxes(-1, -2), a)
        dx1[batch, rows] += a[..., :-1] * pulled[..., -1:] - pulled[..., :-1]
        dx2[batch] += c[..., :-1] * pushed[..., -1:] - pushed[..., :-1]


def _pull_by_features(
    first: Array, second: Array, out: Array, g: Array, p: float, dx1: Array, dx2: Array
) -> None:
    """Go through the features, of all pairs of a block at a time."""
    columns = np.ascontiguousarray(second.swapaxes(-1, -2))
    for batch, rows in distance.blocks(out.shape):
        x, y, apart, weight = first[batch, rows], columns[batch], out[batch, rows], g[batch, rows]
        if p == np.inf:
            count = np.zeros(apart.shape, x.dtype)
            for k in range(x.shape[-1]):
                count += np.abs(x[..., k, None] - y[:, k, None, :]) == apart
            weight = weight / np.maximum(count, 1)
        elif p != 1:
            apart = np.where(apart == 0, 1, apart)
        for k in range(x.shape[-1]):
            difference = x[..., k, None] - y[:, k, None, :]
            moved = np.sign(difference)
            moved *= weight
            if p == np.inf:
                moved *= np.abs(difference) == apart
            elif p != 1:
                size = np.abs(difference)
                zero = size == 0
                size /= apart
                size[zero] = 1
                moved *= np.power(size, size.dtype.type(p - 1))
            dx1[batch, rows, k] += moved.sum(-1)
            dx2[batch, :, k] -= moved.sum(-2, dtype=np.float64)
