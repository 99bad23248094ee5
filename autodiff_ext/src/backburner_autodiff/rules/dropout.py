"""The backward rule of dropout, and the forward that training uses in place of the core's."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy import dropout as dropouts
from backburner_autodiff.kernels.dropout import dropout_backward
from backburner_autodiff.rules._rule import Array, Vjp, rule


def dropout_forward(x: Array, /, *, p: float, seed: int) -> tuple[Array, Array | None]:
    """Return what the core returns, and the mask: drawing it again would cost more than a byte per element."""
    if p in (0, 1):
        return dropouts.dropout(x, p=p, seed=seed), None
    mask = dropouts.dropout_mask(x.shape, p, seed)
    return dropouts.drop(x, mask, p), mask


@rule(forward=dropout_forward)
def dropout(out: Array, x: Array, *, p: float, seed: int, residuals: Array | None) -> tuple[Vjp]:
    if residuals is None:
        return (lambda g: g if p == 0 else np.zeros_like(g),)
    scale = 1.0 / (1.0 - p)

    def vjp(g: Array) -> Array:
        dx = np.empty(g.shape, g.dtype)
        dropout_backward(g, residuals, scale, dx)
        return dx

    return (vjp,)
