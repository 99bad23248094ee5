"""Distances between rows; ``backburner.nn.functional`` has more of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backburner import _tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.ops._operands import broadcast_shape, chosen, number, same_floats

if TYPE_CHECKING:
    from backburner._tensor import Tensor

_MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": True,
    "donot_use_mm_for_euclid_dist": False,
}


def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """Return the distance of each row of ``x1`` to each of ``x2``, the p-norm of their difference.

    Where two rows are equal the gradient is 0; for ``inf``, equal differences share it evenly.

    Args:
        x1: a tensor; integers are taken as float32.
        x2: a tensor.
        p: at least 0; 0 counts the elements that differ, ``inf`` takes the largest difference.
        compute_mode: whether Euclidean distances come from a matrix product: where rows are long, always
            (``"use_mm_for_euclid_dist"``) or never (``"donot_use_mm_for_euclid_dist"``). Those of rows so close that
            it would cancel are differences in any case.

    Shape:
        x1 ``[..., n, d]``, x2 ``[..., m, d]``, with batch dimensions that broadcast; result ``[..., n, m]``.

    Raises:
        ShapeError: the rows differ in length, the batches do not broadcast, or an input has one dimension.
        ArgumentError: ``p`` is negative, or ``compute_mode`` is something else.
    """
    (a, b), device = same_floats("cdist", x1, x2, required=2)
    if a.ndim < 2 or b.ndim < 2:
        raise ShapeError(f"cdist: needs at least two dimensions, got {list(a.shape)} and {list(b.shape)}.")
    if a.shape[-1] != b.shape[-1]:
        raise ShapeError(f"cdist: rows differ in length: {list(a.shape)} and {list(b.shape)}.")
    broadcast_shape("cdist", a.shape[:-2], b.shape[:-2])
    power = number("cdist", "p", p)
    if power < 0:
        raise ArgumentError(f"cdist: p must not be negative, got {p!r}.")
    chosen("cdist", "compute_mode", compute_mode, tuple(_MODES))
    return _tensor.wrap(device.backend.cdist(a, b, p=power, products=_MODES[compute_mode]), device)
