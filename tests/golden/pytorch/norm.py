"""PyTorch's functions for the rows of ``ops/norm.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Torch = Callable[..., Any]


def batch_norm(x: Any, mean: Any, var: Any, weight: Any, bias: Any, **options: Any) -> Any:
    """Return the three results; PyTorch's own does not differentiate by running statistics, and changes them."""
    if options.get("training"):
        mean, var = (None if s is None else s.detach().clone() for s in (mean, var))
        return F.batch_norm(x, mean, var, weight, bias, **options), mean, var
    wide = (-1,) + (1,) * (x.ndim - 2)
    out = (x - mean.reshape(wide)) * torch.rsqrt(var + options.get("eps", 1e-5)).reshape(wide)
    if weight is not None:
        out = out * weight.reshape(wide)
    return out if bias is None else out + bias.reshape(wide), mean, var


def layer_norm(x: Any, weight: Any, bias: Any, normalized_shape: Any, **options: Any) -> Any:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
    return F.layer_norm(x, shape, weight, bias, **options)


def rms_norm(x: Any, weight: Any, normalized_shape: Any, **options: Any) -> Any:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    return F.rms_norm(x, shape, weight, **options)


def group_norm(x: Any, weight: Any, bias: Any, num_groups: int, **options: Any) -> Any:
    """Return it with the affine part apart, as PyTorch 2.13 has no backward without one of weight and bias."""
    wide = (-1,) + (1,) * (x.ndim - 2)
    out = F.group_norm(x, num_groups, **options)
    out = out if weight is None else out * weight.reshape(wide)
    return out if bias is None else out + bias.reshape(wide)


def instance_norm(x: Any, mean: Any, var: Any, weight: Any, bias: Any, **options: Any) -> Any:
    if options.get("use_input_stats", True):
        mean, var = (None if s is None else s.detach().clone() for s in (mean, var))
        return F.instance_norm(x, mean, var, weight, bias, **options), mean, var
    return batch_norm(x, mean, var, weight, bias, eps=options.get("eps", 1e-5))


PYTORCH: dict[str, Torch] = {
    "rms_norm": rms_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "instance_norm_by_running_statistics": instance_norm,
    "local_response_norm": F.local_response_norm,
    "batch_norm": batch_norm,
    "batch_norm_by_running_statistics": batch_norm,
    "layer_norm": layer_norm,
}
