"""Padding and reshaping as modules.

Padding takes a number for all sides, or ``(before, after)`` for the last axis, the one before it, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from backburner._tensor import Tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.nn import functional as F
from backburner.nn._module import Module
from backburner.ops._operands import integer, number, one_axis, primitive

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
        number(type(self).__name__, "value", value)
        self.value = value

    def forward(self, x: Tensor) -> Tensor:
        return F.pad(x, self.padding, value=self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads the last axis with a value.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ConstantPad1d(1, 0.5)(bb.ones((1, 2, 8))).shape
        (1, 2, 10)
    """

    axes = 1


class ConstantPad2d(_ConstantPad):
    """Pads the last two axes with a value.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ConstantPad2d(1, 0.5)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 10, 8)
    """

    axes = 2


class ConstantPad3d(_ConstantPad):
    """Pads the last three axes with a value.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ConstantPad3d(1, 0.5)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 6, 10, 8)
    """

    axes = 3


class ZeroPad1d(_Pad):
    """Pads the last axis with zeros.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ZeroPad1d(1)(bb.ones((1, 2, 8))).shape
        (1, 2, 10)
    """

    axes = 1
    mode = "constant"


class ZeroPad2d(_Pad):
    """Pads the last two axes with zeros.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ZeroPad2d(1)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 10, 8)
    """

    axes = 2
    mode = "constant"


class ZeroPad3d(_Pad):
    """Pads the last three axes with zeros.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ZeroPad3d(1)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 6, 10, 8)
    """

    axes = 3
    mode = "constant"


class ReflectionPad1d(_Pad):
    """Pads the last axis by mirroring it without its outermost entry.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ReflectionPad1d(1)(bb.ones((1, 2, 8))).shape
        (1, 2, 10)
    """

    axes = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Pads the last two axes by mirroring them without their outermost entries.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ReflectionPad2d(1)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 10, 8)
    """

    axes = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Pads the last three axes by mirroring them without their outermost entries.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ReflectionPad3d(1)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 6, 10, 8)
    """

    axes = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Pads the last axis by repeating its outermost entry.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ReplicationPad1d(1)(bb.ones((1, 2, 8))).shape
        (1, 2, 10)
    """

    axes = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Pads the last two axes by repeating their outermost entries.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ReplicationPad2d(1)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 10, 8)
    """

    axes = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Pads the last three axes by repeating their outermost entries.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ReplicationPad3d(1)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 6, 10, 8)
    """

    axes = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """Pads the last axis with what is at its other end.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.CircularPad1d(1)(bb.ones((1, 2, 8))).shape
        (1, 2, 10)
    """

    axes = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """Pads the last two axes with what is at their other ends.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.CircularPad2d(1)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 10, 8)
    """

    axes = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """Pads the last three axes with what is at their other ends.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.CircularPad3d(1)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 6, 10, 8)
    """

    axes = 3
    mode = "circular"


class Unflatten(Module):
    """Make one axis several.

    Args:
        axis: which one.
        unflattened_size: the sizes of the new axes; one may be -1, and is what is left.

    Shape:
        input ``[a..., n, b...]``, output ``[a..., *unflattened_size, b...]``.

    Raises:
        ArgumentError: there is no size, more than one -1, or one below it.
        ShapeError: the axis has not as many entries.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Unflatten(1, (2, -1))(bb.ones((5, 6, 3))).shape
        (5, 2, 3, 3)
    """

    def __init__(self, axis: int, unflattened_size: Sequence[int]) -> None:
        self.axis = integer("Unflatten", "axis", axis)
        if not isinstance(unflattened_size, Sequence) or isinstance(unflattened_size, str):
            raise ArgumentError(f"Unflatten: unflattened_size is a tuple of sizes, not {unflattened_size!r}.")
        sizes = tuple([integer("Unflatten", "unflattened_size", n) for n in unflattened_size])
        if not sizes or min(sizes) < -1 or sizes.count(-1) > 1:
            raise ArgumentError(
                f"Unflatten: unflattened_size needs sizes, of which one may be -1, got {unflattened_size!r}."
            )
        self.unflattened_size = sizes

    def forward(self, x: Tensor) -> Tensor:
        shape = primitive("Unflatten", x).shape
        place = one_axis("Unflatten", self.axis, len(shape))
        known = math.prod(n for n in self.unflattened_size if n != -1)
        n = shape[place]
        if known != n and (-1 not in self.unflattened_size or known == 0 or n % known):
            raise ShapeError(
                f"Unflatten: axis {self.axis} of {list(shape)} does not divide into {list(self.unflattened_size)}."
            )
        sizes = [n // known if known and m == -1 else m for m in self.unflattened_size]
        return x.reshape((*shape[:place], *sizes, *shape[place + 1 :]))

    def extra_repr(self) -> str:
        return f"axis={self.axis}, unflattened_size={self.unflattened_size}"
