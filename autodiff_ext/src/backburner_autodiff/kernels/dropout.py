"""Kernel of dropout."""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange


@kernel("x[...], bool[...], x -> x[...]")
def dropout_backward(g: Any, mask: Any, scale: Any, dx: Any) -> None:
    """Let the scaled cotangent through where ``mask`` holds."""
    zero = g.dtype.type(0)
    for i in prange(g.size):
        dx[i] = g[i] * scale if mask[i] else zero
