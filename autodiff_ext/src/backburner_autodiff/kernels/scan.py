"""The backward of the cumulative product."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner_autodiff.kernels._jit import kernel, prange


@kernel("x[:,:], x[:,:] -> float[:,:]", cost=8)
def cumulative_prod_backward(g: Any, x: Any, dx: Any) -> None:
    """Write the gradient of the products up to each element of a row, without a division.

    With ``p`` the product of all before an element, and ``r`` the sum over all later results of their
    cotangent times what is multiplied in between, it is ``p * r``.

    Shape:
        g, x, dx ``[rows, n]``.
    """
    n = x.shape[1]
    for i in prange(x.shape[0]):
        p = np.float64(1)  # Python would multiply its own floats as float32 where the JIT is off
        for k in range(n):
            dx[i, k] = p
            p *= x[i, k]
        r = np.float64(0)
        for j in range(n):
            k = n - 1 - j
            if j > 0:
                r *= x[i, k + 1]
            r += g[i, k]
            dx[i, k] *= r
