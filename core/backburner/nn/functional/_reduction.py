"""What the losses share: their reductions, and inputs of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device, merge
from backburner.errors import GraphError, ShapeError
from backburner.nn.functional._options import parameter
from backburner.ops._operands import broadcast_shape, cast, chosen, primitive, same_floats

REDUCTIONS = ("mean", "sum", "none")


def check_reduction(op: str, reduction: str, known: Sequence[str] = REDUCTIONS) -> None:
    """Refuse a reduction that there is not."""
    chosen(op, "reduction", reduction, known)


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """Return the loss of each element, or their mean or sum."""
    if reduction == "none":
        return loss
    return loss.mean() if reduction == "mean" else loss.sum()


def same_shapes(op: str, *xs: Tensor) -> tuple[list[Any], Device]:
    """Return primitives of one float dtype and one shape: a loss that broadcasts is more often a mistake than meant."""
    held, device = same_floats(op, *xs, required=len(xs))
    shape = held[0].shape
    for other in held:
        if other.shape != shape:
            raise ShapeError(f"{op}: shapes differ: {list(shape)} and {list(other.shape)}. Reshape one.")
    return held, device


def factor(op: str, name: str, x: Tensor, loss: Tensor, same: bool = False) -> Tensor:
    """Return a factor of a loss in its dtype, of a shape that broadcasts to that of the loss, or is the same."""
    held = primitive(f"{op}: {name}", x)
    shape = loss.shape
    if held.shape != shape and (same or broadcast_shape(f"{op}: {name}", shape, held.shape) != shape):
        raise ShapeError(f"{op}: {name} {list(held.shape)} does not fit {list(shape)}. Reshape it.")
    device = merge(op, x.device, loss.device)
    return Tensor(cast(held, loss.dtype, device), device)


def class_weights(op: str, weight: Tensor | None, classes: int, loss: Tensor) -> tuple[Array | None, Device]:
    """Return the constant weight of each class in the dtype of the scores, and where they meet."""
    if weight is None:
        return None, loss.device
    primitive(f"{op}: weight", weight)
    if weight.is_tracked():
        raise GraphError(f"{op}: weight is a constant and takes no gradient. Use detach() on it.")
    parameter(op, "weight", weight, (classes,))
    return weight.numpy().astype(loss.dtype, copy=False), merge(op, loss.device, weight.device)
