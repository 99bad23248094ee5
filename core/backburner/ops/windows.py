"""Windows that slide along an axis; images are cut into patches by ``nn.functional.unfold``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backburner import _tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.ops._operands import integer, one_axis, primitive, rank, shape_of

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def sliding_windows(x: Tensor, /, axis: int, size: int, step: int = 1) -> Tensor:
    """Return all windows of ``size`` entries along an axis, ``step`` apart, without a copy.

    ``x.unfold`` is the same function under PyTorch's name.

    Args:
        x: a tensor.
        axis: along which; it comes to count the windows.
        size: the entries of a window; they are a new last axis.
        step: from the start of one window to that of the next.

    Shape:
        x ``[a..., n, b...]``; result ``[a..., (n - size) // step + 1, b..., size]``.

    Raises:
        ArgumentError: ``size`` is negative, or ``step`` not positive.
        ShapeError: a window is longer than the axis.
    """
    held = primitive("sliding_windows", x)
    place = one_axis("sliding_windows", axis, held.ndim)
    width, apart = integer("sliding_windows", "size", size), integer("sliding_windows", "step", step)
    if width < 0 or apart < 1:
        raise ArgumentError(
            f"sliding_windows: size must not be negative, and step positive: {width} and {apart}."
        )
    length = held.shape[place]
    if width > length:
        raise ShapeError(f"sliding_windows: size {width} is longer than axis {axis} of {list(held.shape)}.")
    rank("sliding_windows", held.ndim + 1)
    windows = (length - width) // apart + 1
    shape_of("sliding_windows", (*held.shape[:place], windows, *held.shape[place + 1 :], width))
    found = x.device.backend.sliding_windows(held, axis=place, size=width, step=min(apart, max(length, 1)))
    return _tensor.wrap(found, x.device)
