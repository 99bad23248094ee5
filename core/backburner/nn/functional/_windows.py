"""What the pooling ops share: the checks of their windows, and how batches and spatial axes are laid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import Size, per_axis
from backburner.ops._operands import shape_of

Many = tuple[int, ...]
OutputSize = int | None | Sequence[int | None]
_AXES = {1: "l", 2: "h, w", 3: "d, h, w"}


def window(
    op: str, count: int, kernel_size: Size, stride: Size | None, padding: Size
) -> tuple[Many, Many, Many]:
    """Return the size, the step and the padding of a pooling window, each for ``count`` spatial axes."""
    kernel = per_axis(op, "kernel_size", kernel_size, count, 1)
    steps = kernel if stride is None else per_axis(op, "stride", stride, count, 1)
    frame = per_axis(op, "padding", padding, count, 0)
    if any(2 * p > k for p, k in zip(frame, kernel, strict=True)):
        raise ArgumentError(f"{op}: padding {padding} is over half the kernel, {list(kernel)}.")
    return kernel, steps, frame


def batch(op: str, held: Any, backend: Any, count: int) -> tuple[Any, bool]:
    """Return ``[n, c, ...]`` with ``count`` spatial axes, and whether it was a single ``[c, ...]``."""
    if held.ndim not in (count + 1, count + 2):
        axes = _AXES[count]
        raise ShapeError(f"{op}: the input must be [n, c, {axes}] or [c, {axes}], got {list(held.shape)}.")
    single = held.ndim == count + 1
    return (backend.reshape(held, shape=(1, *held.shape)) if single else held), single


def fitting(
    op: str,
    held: Any,
    kernel: Many,
    steps: Many,
    frame: Many,
    gaps: Many | None = None,
    ceil_mode: bool = False,
) -> None:
    """Refuse windows none of which fits into the padded input ``[n, c, ...]``, or with ``ceil_mode`` nearly."""
    spans = [d * (k - 1) + 1 for d, k in zip(gaps or (1,) * len(kernel), kernel, strict=True)]
    for n, p, span, s in zip(held.shape[2:], frame, spans, steps, strict=True):
        if n == 0 or n + 2 * p + (s - 1 if ceil_mode else 0) < span:
            raise ShapeError(
                f"{op}: windows that span {spans} do not fit into {list(held.shape[2:])}, padding {list(frame)}."
            )


def unbatched(backend: Any, held: Any, single: bool) -> Any:
    """Return ``[c, ...]`` for a single one."""
    return backend.reshape(held, shape=held.shape[1:]) if single else held


def parts(op: str, held: Any, output_size: OutputSize, count: int) -> Many:
    """Return into how many parts adaptive pooling divides each spatial axis of ``[n, c, ...]``."""
    space = held.shape[2:]
    if 0 in space:
        raise ShapeError(f"{op}: there is nothing to pool along an axis: {list(space)}.")
    if output_size is None:
        output_size = space
    elif isinstance(output_size, Sequence) and len(output_size) == count:
        output_size = [n if m is None else m for m, n in zip(output_size, space, strict=True)]
    wanted = per_axis(op, "output_size", cast(Size, output_size), count, 1)
    shape_of(op, (*held.shape[:2], *wanted))
    return wanted
