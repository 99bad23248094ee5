"""What layers of one function share: activations, losses, and others that show their options as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from backburner._tensor import Tensor
from backburner.errors import DTypeError
from backburner.nn._checks import flag
from backburner.nn._module import Module
from backburner.nn._parameter import Buffer, State
from backburner.nn.functional._options import finite
from backburner.nn.functional._reduction import REDUCTIONS
from backburner.ops._operands import chosen, integer

if TYPE_CHECKING:
    from collections.abc import Sequence


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


class Loss(Module):
    """A function with options, which are attributes; weights are buffers.

    ``repr`` shows the options that differ from what they are by default.
    """

    def extra_repr(self) -> str:
        import inspect

        usual = inspect.signature(type(self).__init__).parameters
        return ", ".join(
            f"{name}={value!r}"
            for name, value in vars(self).items()
            if name in usual and not isinstance(value, State) and value != usual[name].default
        )


def constant(name: str, option: str, weight: Tensor | None) -> Buffer | None:
    """Return a weight as a buffer.

    Raises:
        DTypeError: it is neither a tensor nor ``None``.
    """
    if weight is None:
        return None
    if not isinstance(weight, Tensor):
        raise DTypeError(f"{name}: {option} must be a Tensor, got {type(weight).__name__}. Use bb.tensor.")
    return Buffer(weight)


def known_reduction(name: str, reduction: str, known: Sequence[str] = REDUCTIONS) -> str:
    """Return a reduction that there is."""
    chosen(name, "reduction", reduction, known)
    return reduction
