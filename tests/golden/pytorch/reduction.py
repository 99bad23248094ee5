"""PyTorch's functions for the rows of ``ops/reduction.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Torch = Callable[..., Any]


def reduced(function: Torch) -> Torch:
    """Return a reduction that takes all axes where none is named; an empty tuple names none."""

    def call(x: torch.Tensor, axis: Any = None, keepdims: bool = False, **options: Any) -> Any:
        if axis == ():  # PyTorch reads it as all axes
            return function(x[None], dim=0, keepdim=False, **options)
        axes = tuple(range(x.ndim)) if axis is None else axis
        if axes == ():
            return function(x[None], dim=0, keepdim=False, **options)
        return function(x, dim=axes, keepdim=keepdims, **options)

    return call


PYTORCH: dict[str, Torch] = {
    "sum": reduced(torch.sum),
    "mean": reduced(torch.mean),
    "max": reduced(torch.amax),
    "min": reduced(torch.amin),
    "logsumexp": reduced(torch.logsumexp),
}
