"""What the pooling ops share: the checks of their windows, and how batches and spatial axes are laid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backburner.errors import ArgumentError, ShapeError
from backburner.ops._operands import integer

Sizes = int | Sequence[int]
Many = tuple[int, ...]
_MOST = (1 << 31) - 1
_FEW = {1: "one int", 2: "one int or two", 3: "one int or three"}
_AXES = {1: "l", 2: "h, w", 3: "d, h, w"}


def sizes(op: str, name: str, value: Sizes, count: int, least: int) -> Many:
    """Return an option for each of ``count`` spatial axes, none below ``least``."""
    many = value if isinstance(value, Sequence) else (value,) * count
    if len(many) != count:
        raise ArgumentError(f"{op}: {name} takes {_FEW[count]}, got {value!r}.")
    found = tuple([integer(op, name, n) for n in many])
    if min(found) < least:
        raise ArgumentError(f"{op}: {name} must be at least {least}, got {value!r}.")
    if max(found) > _MOST:
        raise ArgumentError(f"{op}: {name} must be at most {_MOST}, got {value!r}.")
    return found


def window(
    op: str, count: int, kernel_size: Sizes, stride: Sizes | None, padding: Sizes
) -> tuple[Many, Many, Many]:
    """Return the size, the step and the padding of a pooling window, each for ``count`` spatial axes."""
    kernel = sizes(op, "kernel_size", kernel_size, count, 1)
    steps = kernel if stride is None else sizes(op, "stride", stride, count, 1)
    frame = sizes(op, "padding", padding, count, 0)
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
    op: str, held: Any, kernel: Many, steps: Many, frame: Many, gaps: Many | None = None, ceil_mode: bool = False
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
