"""Matrix products."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from backburner.contracts import Array


def _binary(ufunc: Any) -> Callable[[Array, Array], Array]:
    """Give a ufunc the type of an op; at run time it is the ufunc."""
    return ufunc  # type: ignore[no-any-return]


matmul = _binary(np.matmul)


def linear(x: Array, weight: Array, bias: Array | None, /) -> Array:
    """Return ``x @ weight.T + bias`` by one GEMM, whatever the leading dimensions."""
    if x.ndim > 2:
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        y: Array = np.matmul(rows, weight.T)
    else:
        y = np.matmul(x, weight.T)
    if bias is not None:
        y += bias
    return y.reshape(x.shape[:-1] + y.shape[-1:]) if x.ndim > 2 else y
