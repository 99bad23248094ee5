"""What activations as modules share.

They take PyTorch's ``inplace`` and give it no meaning: tensors are immutable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from backburner._tensor import Tensor
from backburner.nn._checks import flag
from backburner.nn._module import Module
from backburner.nn.functional._options import finite
from backburner.ops._operands import integer


class Plain(Module):
    """A function of one tensor without options."""

    _function: ClassVar[Callable[..., Tensor]]

    def forward(self, x: Tensor) -> Tensor:
        return self._function(x)


class Inplace(Plain):
    """A function of one tensor, which PyTorch can also write into its input.

    Args:
        inplace: taken and ignored: tensors are immutable.
    """

    _shows_inplace: ClassVar[bool] = True

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = flag(type(self).__name__, "inplace", inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace and self._shows_inplace else ""


class Options(Module):
    """A function of one tensor with numbers as options, in the order in which ``repr`` shows them."""

    _function: ClassVar[Callable[..., Tensor]]
    _shown: ClassVar[tuple[str, ...]]
    inplace: bool = False

    def _take(self, inplace: bool, **options: Any) -> None:
        """Keep the options; ``inplace`` is taken and ignored."""
        name = type(self).__name__
        for option, value in options.items():
            finite(name, option, value)
            setattr(self, option, value)
        self.inplace = flag(name, "inplace", inplace)

    def forward(self, x: Tensor) -> Tensor:
        return self._function(x, *[getattr(self, name) for name in self._shown])

    def extra_repr(self) -> str:
        text = ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)
        return f"{text}, inplace=True" if self.inplace else text


class Along(Module):
    """A function of one tensor along an axis."""

    _function: ClassVar[Callable[..., Tensor]]

    def __init__(self, axis: int = -1) -> None:
        self.axis = integer(type(self).__name__, "axis", axis)

    def forward(self, x: Tensor) -> Tensor:
        return self._function(x, self.axis)

    def extra_repr(self) -> str:
        return f"axis={self.axis}"
