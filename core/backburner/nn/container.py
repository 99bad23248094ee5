"""Modules that hold or reshape and compute nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, overload

from backburner._tensor import Tensor
from backburner.errors import DTypeError
from backburner.nn._module import Module
from backburner.ops._operands import integer
from backburner.ops.shape import flatten


class Sequential(Module):
    """Modules one after the other, named ``0``, ``1`` and so on.

    Args:
        *modules: each takes what the one before gives.

    Example:
        >>> from backburner import nn
        >>> nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        Sequential(
          (0): Linear(in_features=4, out_features=8, bias=True)
          (1): ReLU()
          (2): Linear(in_features=8, out_features=2, bias=True)
        )
    """

    def __init__(self, *modules: Module) -> None:
        for i, module in enumerate(modules):
            if not isinstance(module, Module):
                raise DTypeError(f"Sequential: entry {i} is a {type(module).__name__}, not a Module.")
            setattr(self, str(i), module)

    def forward(self, x: Any) -> Any:
        for module in self:
            x = module(x)
        return x

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Module]:
        return (module for _, module in self.named_children())

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    def __getitem__(self, index: int | slice) -> Module:
        picked = list(self)[index]
        return Sequential(*picked) if isinstance(picked, list) else picked


class Flatten(Module):
    """Makes the axes from ``start_axis`` through ``end_axis`` one; by default all but the first."""

    def __init__(self, start_axis: int = 1, end_axis: int = -1) -> None:
        self.start_axis = integer("Flatten", "start_axis", start_axis)
        self.end_axis = integer("Flatten", "end_axis", end_axis)

    def forward(self, x: Tensor) -> Tensor:
        return flatten(x, self.start_axis, self.end_axis)

    def extra_repr(self) -> str:
        return f"start_axis={self.start_axis}, end_axis={self.end_axis}"
