"""PyTorch's functions for the rows of ``ops/maxpool.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F

Torch = Callable[..., Any]


def indices(function: Torch) -> Torch:
    """Return the indices alone."""
    return lambda x, *samples, **options: function(
        x, return_indices=True, **options, **({"_random_samples": samples[0]} if samples else {})
    )[1]


def drawn(function: Torch) -> Torch:
    """Return a function that takes its random numbers as an input."""
    return lambda x, samples, **options: function(x, _random_samples=samples, **options)


PYTORCH: dict[str, Torch] = {}
for op in ("max_pool", "adaptive_max_pool", "fractional_max_pool"):
    for count in (1, 2, 3):
        function = getattr(F, f"{op}{count}d", None)
        if function is not None:
            PYTORCH[f"{op}{count}d"] = drawn(function) if op[0] == "f" else function
            PYTORCH[f"{op}{count}d_indices"] = indices(function)
