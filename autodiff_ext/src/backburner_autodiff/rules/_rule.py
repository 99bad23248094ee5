"""The table of rules, and how a function gets into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from backburner_autodiff._rule import Array as Array
from backburner_autodiff._rule import Rule as Rule
from backburner_autodiff._rule import Vjp as Vjp

F = TypeVar("F", bound=Callable[..., Any])

RULES: dict[str, Rule] = {}


@overload
def rule(function: F, /) -> F: ...
@overload
def rule(
    *,
    forward: Callable[..., tuple[Any, Any]] | None = None,
    compute_bound: bool = False,
    singular: bool = False,
    outputs: tuple[int, ...] | None = None,
) -> Callable[[F], F]: ...
def rule(function: Any = None, /, **kind: Any) -> Any:
    """Enter a function into ``RULES`` under its own name, bare or with the attributes of ``Rule``."""

    def enter(function: Any) -> Any:
        name = function.__name__
        if name in RULES:
            raise ValueError(f"rule: {name} has one already")
        RULES[name] = Rule(name, function, **kind)
        return function

    return enter if function is None else enter(function)
