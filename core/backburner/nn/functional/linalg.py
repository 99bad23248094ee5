"""The functions of the linear and the bilinear layer."""

from __future__ import annotations

import math

from backburner._tensor import Tensor, wrap
from backburner.errors import ShapeError
from backburner.nn.functional._options import parameter
from backburner.ops._operands import primitive, same_floats, three_floats


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``x @ weight.T + bias``.

    Shape:
        x ``[..., i]``, weight ``[o, i]``, bias ``[o]``; result ``[..., o]``. With weight ``[i]`` and bias ``[]`` there is
        a single output: result ``[...]``.

    Raises:
        ShapeError: the shapes do not fit.
    """
    if weight is None:
        primitive("linear", weight)
    held, w, b, device = three_floats("linear", x, weight, bias)
    shape, sizes = held.shape, w.shape
    if len(sizes) not in (1, 2) or not shape or shape[-1] != sizes[-1]:
        wanted = w.shape[-1] if w.ndim else "?"
        flat = held.ndim > 1 and wanted in (math.prod(held.shape[1:]), held.size)
        hint = "Flatten or reshape the input first." if flat or held.ndim == 0 else (
            f"A layer for it has {held.shape[-1]} inputs, not {wanted}."
        )  # fmt: skip
        raise ShapeError(
            f"linear: weight {list(w.shape)} takes [..., {wanted}], got {list(held.shape)}. {hint}"
        )
    if b is not None:
        parameter("linear", "bias", b, sizes[:-1])
    if len(sizes) == 2:
        return wrap(device.backend.linear(held, w, b), device)
    out = Tensor(device.backend.matmul(held, w), device)
    return out if b is None else out + Tensor(b, device)


def bilinear(x1: Tensor, x2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``x1 @ weight[k] @ x2 + bias[k]`` for each ``k``.

    Shape:
        x1 ``[..., i]``, x2 ``[..., j]``, weight ``[o, i, j]``, bias ``[o]``; result ``[..., o]``.

    Raises:
        ShapeError: the shapes do not fit.
    """
    (a, b, w, c), device = same_floats("bilinear", x1, x2, weight, bias, required=3)
    if w.ndim != 3 or not a.ndim or not b.ndim or (a.shape[-1], b.shape[-1]) != w.shape[1:]:
        sizes = f"[..., {w.shape[1]}] and [..., {w.shape[2]}]" if w.ndim == 3 else "nothing"
        raise ShapeError(
            f"bilinear: weight {list(w.shape)} takes {sizes}, got {list(a.shape)} and {list(b.shape)}."
        )
    if a.shape[:-1] != b.shape[:-1]:
        raise ShapeError(
            f"bilinear: inputs differ before the last axis: {list(a.shape)} and {list(b.shape)}."
        )
    parameter("bilinear", "bias", c, w.shape[:1])
    o, i, j = w.shape
    left, right, weights = (Tensor(p, device) for p in (a, b, w))
    rows = left @ weights.permute_dims((1, 0, 2)).reshape((i, o * j))
    out = (rows.reshape((*a.shape[:-1], o, j)) @ right.reshape((*b.shape, 1))).reshape((*a.shape[:-1], o))
    return out if c is None else out + Tensor(c, device)
