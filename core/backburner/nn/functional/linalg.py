"""The linear layer's function."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.errors import ShapeError
from backburner.nn.functional._options import parameter
from backburner.ops._operands import same_floats


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``x @ weight.T + bias``.

    Shape:
        x ``[..., i]``, weight ``[o, i]``, bias ``[o]``; result ``[..., o]``.

    Raises:
        ShapeError: the shapes do not fit.
    """
    (held, w, b), device = same_floats("linear", x, weight, bias, required=2)
    if w.ndim != 2 or held.ndim == 0 or held.shape[-1] != w.shape[1]:
        raise ShapeError(
            f"linear: weight {list(w.shape)} takes [..., {w.shape[-1] if w.ndim else '?'}], got {list(held.shape)}. "
            "Flatten or reshape the input first."
        )
    parameter("linear", "bias", b, w.shape[:1])
    return Tensor(device.backend.linear(held, w, b), device)
