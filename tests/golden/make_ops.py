"""Write torch_ops.npz: the table's cases of ops that PyTorch has, with results and gradients by PyTorch in float64.

Run it from ``tests`` with PyTorch (made with 2.13), NumPy and the core: ``python golden/make_ops.py``. The file
holds all numbers end to end in ``values`` and a JSON list ``index`` with one ``[case, {part: shape}]`` per case, in
the same order. Parts are ``input0`` and on (left out where ``None``), ``output0``, ``cotangent0``, ``gradient0``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).parents[1]))
from ops import CASES, Case  # noqa: E402

Torch = Callable[..., Any]


def numbered(function: Torch) -> Torch:
    """Return a binary function for the rows that take a number on either side."""

    def call(x: torch.Tensor, number: float, left: int) -> Any:
        other = torch.tensor(number, dtype=x.dtype)
        return function(other, x) if left else function(x, other)

    return call


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


def conv2d(x: Any, weight: Any, bias: Any, **options: Any) -> Any:
    return F.conv2d(x, weight, bias, **options)


def layer_norm(x: Any, weight: Any, bias: Any, normalized_shape: Any, **options: Any) -> Any:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
    return F.layer_norm(x, shape, weight, bias, **options)


def getitem(x: torch.Tensor, *tensors: torch.Tensor, index: Any = None) -> Any:
    """Index by a tensor, or by the lists of an option, which PyTorch would read in another way."""

    def plain(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(plain(p) for p in part)
        return (
            torch.tensor(part, dtype=torch.int64 if part == [] else None) if isinstance(part, list) else part
        )

    return x[tensors[0] if tensors else plain(index)]


def take(x: torch.Tensor, places: torch.Tensor, axis: int = 0) -> Any:
    return x[(slice(None),) * (axis % x.ndim) + (places,)]


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
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "gelu": F.gelu,
    "softmax": lambda x, axis=-1: torch.softmax(x, axis),
    "log_softmax": lambda x, axis=-1: torch.log_softmax(x, axis),
    "sum": reduced(torch.sum),
    "mean": reduced(torch.mean),
    "max": reduced(torch.amax),
    "min": reduced(torch.amin),
    "logsumexp": reduced(torch.logsumexp),
    "matmul": torch.matmul,
    "linear": F.linear,
    "getitem_of_arrays": getitem,
    "getitem_by_tensor": getitem,
    "getitem_by_mask": getitem,
    "take": take,
    "embedding": F.embedding,
    "embedding_without_padding_met": F.embedding,
    "conv2d": conv2d,
    "max_pool2d": F.max_pool2d,
    "avg_pool2d": F.avg_pool2d,
    "batch_norm": batch_norm,
    "batch_norm_by_running_statistics": batch_norm,
    "layer_norm": layer_norm,
    "cross_entropy": F.cross_entropy,
    "mse_loss": F.mse_loss,
}


def evaluate(case: Case) -> dict[str, np.ndarray]:
    """Return the parts of one case."""
    arrays, wanted = case.arrays(), case.differentiable()
    parts = {f"input{i}": x for i, x in enumerate(arrays) if x is not None}
    xs = [None if x is None else torch.tensor(x) for x in arrays]
    for i in wanted:
        xs[i].requires_grad_()
    out = PYTORCH[case.row.name or case.row.op](*xs, **case.options)
    outputs = [y for y in (out if isinstance(out, tuple) else (out,)) if y is not None]
    parts |= {f"output{i}": y.detach().numpy() for i, y in enumerate(outputs)}
    carried = case.carried(outputs)
    cotangents = case.cotangents([y.detach().numpy() for y in outputs])
    parts |= {f"cotangent{i}": c for i, c in enumerate(cotangents)}
    grads = torch.autograd.grad(
        carried, [xs[i] for i in wanted], [torch.tensor(c) for c in cotangents], materialize_grads=True
    )
    return parts | {f"gradient{i}": g.numpy() for i, g in zip(wanted, grads, strict=True)}


if __name__ == "__main__":
    index, values = [], []
    for case in CASES:
        if (case.row.name or case.row.op) in PYTORCH and not case.empty:
            parts = evaluate(case)
            index.append([str(case), {name: value.shape for name, value in parts.items()}])
            values += [value.ravel().astype(np.float64) for value in parts.values()]
    path = Path(__file__).with_name("torch_ops.npz")
    np.savez_compressed(path, index=json.dumps(index), values=np.concatenate(values))
    print(f"{len(index)} cases, {path.stat().st_size} bytes")
