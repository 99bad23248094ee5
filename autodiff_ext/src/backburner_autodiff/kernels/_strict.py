"""Arithmetic that ``fastmath`` of the kernel around it may not rearrange."""

from __future__ import annotations

from typing import Any

from backburner_autodiff.kernels._jit import subroutine


@subroutine
def difference(x: Any, y: Any) -> Any:
    """Return ``x - y``: in ``(x - a) - b`` with a large ``a`` it matters that ``x - a`` comes first."""
    return x - y
