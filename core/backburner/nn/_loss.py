"""The base of the losses as modules."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.nn._module import Module
from backburner.nn._parameter import Buffer, State


class Loss(Module):
    """A function with options, which are attributes and shown by ``repr``; weights are buffers."""

    def extra_repr(self) -> str:
        shown = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return ", ".join(
            f"{name}={value!r}"
            for name, value in shown.items()
            if value is not None and not isinstance(value, State)
        )


def constant(weight: Tensor | None) -> Buffer | None:
    """Return a weight as a buffer."""
    return None if weight is None else Buffer(weight)
