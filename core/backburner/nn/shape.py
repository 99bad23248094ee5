"""Padding as modules: a number for all sides, or ``(before, after)`` for the last axis, the one before it, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from backburner._tensor import Tensor
from backburner.errors import ArgumentError
from backburner.nn import functional as F
from backburner.nn._module import Module
from backburner.ops._operands import integer

Frame = int | Sequence[int]


class _Pad(Module):
    """``functional.pad`` of the last axes; a subclass says of how many, and in which mode."""

    axes: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Frame) -> None:
        name, count = type(self).__name__, 2 * self.axes
        sides = tuple(padding) if isinstance(padding, Sequence) else (padding,) * count
        if len(sides) != count:
            raise ArgumentError(f"{name}: padding takes one int or {count}, got {padding!r}.")
        self.padding = tuple([integer(name, "padding", n) for n in sides])

    def forward(self, x: Tensor) -> Tensor:
        return F.pad(x, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    """Padding with a value."""

    mode = "constant"

    def __init__(self, padding: Frame, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, x: Tensor) -> Tensor:
        return F.pad(x, self.padding, value=self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads the last axis with a value."""

    axes = 1


class ConstantPad2d(_ConstantPad):
    """Pads the last two axes with a value."""

    axes = 2


class ConstantPad3d(_ConstantPad):
    """Pads the last three axes with a value."""

    axes = 3


class ZeroPad1d(_Pad):
    """Pads the last axis with zeros."""

    axes = 1
    mode = "constant"


class ZeroPad2d(_Pad):
    """Pads the last two axes with zeros."""

    axes = 2
    mode = "constant"


class ZeroPad3d(_Pad):
    """Pads the last three axes with zeros."""

    axes = 3
    mode = "constant"


class ReflectionPad1d(_Pad):
    """Pads the last axis by mirroring it without its outermost entry."""

    axes = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Pads the last two axes by mirroring them without their outermost entries."""

    axes = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Pads the last three axes by mirroring them without their outermost entries."""

    axes = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Pads the last axis by repeating its outermost entry."""

    axes = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Pads the last two axes by repeating their outermost entries."""

    axes = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Pads the last three axes by repeating their outermost entries."""

    axes = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """Pads the last axis with what is at its other end."""

    axes = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """Pads the last two axes with what is at their other ends."""

    axes = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """Pads the last three axes with what is at their other ends."""

    axes = 3
    mode = "circular"
