"""PyTorch's functions for the rows of ``ops/elementwise.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Torch = Callable[..., Any]


def numbered(function: Torch) -> Torch:
    """Return a binary function for the rows that take a number on either side."""

    def call(x: torch.Tensor, number: float, left: int) -> Any:
        other = torch.tensor(number, dtype=x.dtype)
        return function(other, x) if left else function(x, other)

    return call


PYTORCH: dict[str, Torch] = {
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "divide": torch.div,
    "pow": torch.pow,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "add_number": numbered(torch.add),
    "subtract_number": numbered(torch.sub),
    "multiply_number": numbered(torch.mul),
    "divide_number": numbered(torch.div),
    "pow_number": numbered(torch.pow),
    "negative": torch.neg,
    "abs": torch.abs,
    "square": torch.square,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "tanh": torch.tanh,
    "erf": torch.erf,
    "where": torch.where,
    "clip": lambda x, **o: torch.clamp(x, **o) if any(v is not None for v in o.values()) else x * 1,
}
