"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backburner import _tensor
from backburner.errors import DTypeError, ShapeError
from backburner.ops._operands import broadcast_shape, matrices

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def matmul(x: Tensor, y: Tensor, /) -> Tensor:
    """Return the matrix product ``x @ y``; batch dimensions broadcast.

    A vector on the left is a row, on the right a column, and that dimension leaves the result.

    Shape:
        x ``[..., n, k]`` or ``[k]``, y ``[..., k, m]`` or ``[k]``; result ``[..., n, m]``.

    Raises:
        ShapeError: the inner dimensions differ, the batches do not broadcast, or an operand is 0-d.
        DTypeError: an operand is bool.

    Example:
        >>> import backburner as bb
        >>> (bb.ones((3, 4)) @ bb.ones((4, 2))).shape
        (3, 2)
    """
    a, b, device = matrices("matmul", x, y)
    if a.dtype.kind == "b":
        raise DTypeError("matmul: bool has no arithmetic of its own. Use astype first.")
    left, right = a.shape, b.shape
    if not left or not right:
        raise ShapeError(f"matmul: an operand is 0-d: {list(left)} @ {list(right)}. Use multiply.")
    inner = right[-2] if len(right) > 1 else right[0]
    if left[-1] != inner:
        raise ShapeError(f"matmul: inner dimensions differ: {list(left)} @ {list(right)}")
    if len(left) > 2 or len(right) > 2:
        try:
            broadcast_shape("matmul", left[:-2], right[:-2])
        except ShapeError:
            raise ShapeError(
                f"matmul: batch dimensions do not broadcast: {list(left)} @ {list(right)}"
            ) from None
    return _tensor.Tensor(device.backend.matmul(a, b), device)
