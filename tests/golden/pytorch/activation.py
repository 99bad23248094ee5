"""PyTorch's functions for the rows of ``ops/activation.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Torch = Callable[..., Any]


def quiet_softmax(x: torch.Tensor, axis: int = -1) -> torch.Tensor:
    """Return the softmax of ``x`` and one 0 more, which PyTorch has no function for."""
    more = torch.zeros_like(x.narrow(axis, 0, 1))
    return torch.cat([x, more], axis).softmax(axis).narrow(axis, 0, x.shape[axis])


PYTORCH: dict[str, Torch] = {
    **{
        f"{name}_in_another_dtype": lambda x, axis, dtype, name=name: getattr(F, name)(
            x, axis, dtype=getattr(torch, dtype)
        )
        for name in ("softmax", "log_softmax", "softmin")
    },
    "silu": F.silu,
    "mish": F.mish,
    "elu": F.elu,
    "celu": F.celu,
    "selu": F.selu,
    "softplus": F.softplus,
    "logsigmoid": F.logsigmoid,
    "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
    "glu": lambda x, axis=-1: F.glu(x, axis),
    "softmin": lambda x, axis=-1: F.softmin(x, axis),
    "quiet_softmax": quiet_softmax,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "gelu": F.gelu,
    "softmax": lambda x, axis=-1: torch.softmax(x, axis),
    "log_softmax": lambda x, axis=-1: torch.log_softmax(x, axis),
}
