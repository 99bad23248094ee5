"""PyTorch's functions for the rows of ``ops/linalg.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Torch = Callable[..., Any]


def cov(x: Any, y: Any, f: Any, a: Any, rowvar: bool = True, bias: bool = False, **options: Any) -> Any:
    parts = [part if rowvar or part.ndim < 2 else part.T for part in (x, y) if part is not None]
    rows = torch.cat([torch.atleast_2d(part) for part in parts])
    less = 0 if bias else options.get("ddof", options.get("correction", 1))
    if less == int(less):
        return torch.cov(rows, correction=int(less), fweights=f, aweights=a)
    return torch.cov(rows, correction=0) * rows.shape[1] / (rows.shape[1] - less)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    parts = [part if rowvar else part.T for part in (x, y) if part is not None]
    return torch.corrcoef(torch.cat([torch.atleast_2d(part) for part in parts]))


PYTORCH: dict[str, Torch] = {
    "matmul": torch.matmul,
    "linear": F.linear,
    "bilinear": F.bilinear,
    "linear_to_one": lambda x, weight, bias: F.linear(x, weight[None], bias if bias is None else bias[None])[
        ..., 0
    ],
    "cov": cov,
    "corrcoef": corrcoef,
}
