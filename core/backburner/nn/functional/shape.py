"""Padding as PyTorch has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backburner._tensor import Tensor
from backburner.contracts import Pair
from backburner.errors import ArgumentError, ShapeError
from backburner.ops._operands import chosen, element, integer, primitive, shape_of

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(x: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Return ``x`` in a frame, of one value or of what is inside; ``bb.pad`` takes NumPy's arguments.

    Args:
        x: a tensor.
        pad: ``(before, after)`` for the last axis, then for the one before it, and so on, all in one sequence.
            A negative number cuts.
        mode: ``"constant"``; ``"reflect"``, a mirror image without the outermost entry; ``"replicate"``, the
            outermost entry; or ``"circular"``, what is at the other end, of what a cut has left.
        value: that of ``"constant"``, by default 0.

    Shape:
        x ``[..., n]``; result ``[..., before + n + after]``, and so for the other axes that are named.

    Raises:
        ShapeError: there are more pairs than axes, a cut leaves less than nothing, or an axis is too short to be
            mirrored or repeated.
        ArgumentError: ``pad`` is not made of pairs, there is no such mode, or it takes no value.
    """
    held = primitive("pad", x)
    chosen("pad", "mode", mode, tuple(_MODES))
    widths = _widths(pad, held.shape)
    filling = element("pad", "value", 0 if value is None else value, held.dtype)
    if mode != "constant" and filling:
        raise ArgumentError(f"pad: mode {mode!r} takes no value, got {value!r}.")
    shape = held.shape
    shape_of(
        "pad", [n + max(before, 0) + max(after, 0) for n, (before, after) in zip(shape, widths, strict=True)]
    )
    for n, (before, after) in zip(shape, widths, strict=True):
        cut = n + min(before, 0) + min(after, 0)
        if (cut if mode in ("constant", "circular") else n + before + after) < 0:
            raise ShapeError(f"pad: {list(pad)} cuts off more than there is: {list(shape)}.")
        grown = max(before, after)
        least = {"constant": 0, "reflect": grown + 1, "replicate": 1, "circular": grown}[mode]
        if grown > 0 and (n < least or (mode == "circular" and cut == 0)):
            raise ShapeError(f"pad: {list(pad)} is too much for mode {mode!r}: {list(shape)}.")
    backend = x.device.backend
    cuts = tuple(
        slice(max(-before, 0), max(-before, 0) + n + min(before, 0) + min(after, 0))
        for n, (before, after) in zip(shape, widths, strict=True)
    )
    if any(min(pair) < 0 for pair in widths) and mode in ("constant", "circular"):
        held = backend.getitem(held, index=cuts)
    if any(max(pair) > 0 for pair in widths):
        frame = tuple((max(before, 0), max(after, 0)) for before, after in widths)
        held = backend.pad(held, pad_width=frame, value=filling, mode=_MODES[mode])
    if any(min(pair) < 0 for pair in widths) and mode in ("reflect", "replicate"):
        ends = tuple(
            slice(max(-before, 0), max(before, 0) + n + after)
            for n, (before, after) in zip(shape, widths, strict=True)
        )
        held = backend.getitem(held, index=ends)
    return Tensor(held, x.device)


def _widths(pad: Any, shape: tuple[int, ...]) -> tuple[Pair, ...]:
    """Return a pair for every axis, first to last."""
    if not isinstance(pad, Sequence) or isinstance(pad, (str, bytes)) or len(pad) % 2:
        raise ArgumentError(
            f"pad: pad must hold a pair (before, after) for each axis from the last on, got {pad!r}."
        )
    numbers = [integer("pad", "a width", n) for n in pad]
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    if len(pairs) > len(shape):
        raise ShapeError(f"pad: {len(pairs)} pairs for the {len(shape)} axes of {list(shape)}.")
    return ((0, 0),) * (len(shape) - len(pairs)) + tuple(reversed(pairs))
