"""The base of the losses as modules, and of other functions with options that PyTorch's ``repr`` does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backburner._tensor import Tensor
from backburner.errors import DTypeError
from backburner.nn._module import Module
from backburner.nn._parameter import Buffer, State
from backburner.nn.functional._reduction import REDUCTIONS
from backburner.ops._operands import chosen

if TYPE_CHECKING:
    from collections.abc import Sequence


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
