"""What the options of optimizers may be, and groups of parameters that have options of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from backburner._names import choose
from backburner.errors import ArgumentError

Rate = float | Callable[[int], float]
Groups = Mapping[str, Mapping[str, Any]]
Check = Callable[[str, str, Any], Any]
"""A function of who asks, an option's name and its value, that returns the value as it is kept."""


def number(
    least: float = 0.0, below: float = math.inf, *, above: bool = False, to: float | None = None
) -> Check:
    """Return the check of a number from ``least`` on, or ``above`` it, and below ``below`` or up ``to`` one."""
    limit = f" to {to:g}" if to is not None else f" on and below {below:g}" if below < math.inf else " on"
    range_ = f"above {least:g}" if above else f"from {least:g}{limit}"

    def check(op: str, name: str, value: Any) -> float:
        real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        fits = real and least <= float(value) < below and not (above and float(value) == least)
        if not fits or (to is not None and float(value) > to):
            raise ArgumentError(f"{op}: {name} is a number {range_}, not {value!r}.")
        return float(value)

    return check


def whole(least: int, below: int | None = None) -> Check:
    """Return the check of a whole number."""

    def check(op: str, name: str, value: Any) -> int:
        fits = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least
        if not fits or (below is not None and value >= below):
            limit = "" if below is None else f" and below {below}"
            raise ArgumentError(f"{op}: {name} is a whole number from {least} on{limit}, not {value!r}.")
        return int(value)

    return check


def flag(op: str, name: str, value: Any) -> bool:
    """Check that an option is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{op}: {name} is True or False, not {value!r}.")
    return bool(value)


def one_of(*choices: str | None) -> Check:
    """Return the check of one of several words."""

    def check(op: str, name: str, value: Any) -> str | None:
        if not isinstance(value, str | None) or value not in choices:
            raise ArgumentError(f"{op}: {name} is one of {', '.join(map(repr, choices))}, not {value!r}.")
        return value

    return check


_WORDS = {2: "two", 3: "three"}


def several(count: int, check: Check) -> Check:
    """Return the check of a tuple of numbers."""

    def each(op: str, name: str, value: Any) -> tuple[float, ...]:
        try:
            entries = tuple(value)
        except TypeError:
            entries = ()
        if len(entries) != count or isinstance(value, str):
            raise ArgumentError(f"{op}: {name} are {_WORDS[count]} numbers, not {value!r}.")
        return tuple(check(op, f"{name}[{place}]", entry) for place, entry in enumerate(entries))

    return each


rate = number()
betas = several(2, number(0.0, 1.0))


def learning_rate(op: str, name: str, value: Any) -> Rate:
    """Check a learning rate: a number, or a function from the number of steps done so far to one."""
    return cast(Rate, value if callable(value) else rate(op, name, value))


class Group(NamedTuple):
    """Parameters with options of their own.

    Attributes:
        given: what was given for them, checked.
        options: theirs, the optimizer's for the rest; without the learning rate.
    """

    given: dict[str, Any]
    options: dict[str, Any]


def checked(op: str, checks: Mapping[str, Check], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as they are kept.

    Raises:
        ArgumentError: there is no such option, or it has a value that makes no sense.
    """
    for name in options:
        if name not in checks:
            raise ArgumentError(f"{op}: there is no option {name!r}. There are: {', '.join(checks)}.")
    return {name: checks[name](op, name, value) for name, value in options.items()}


def members(op: str, patterns: Iterable[str], names: list[str]) -> dict[str, str]:
    """Return the first pattern that matches, by the name of each parameter that one does.

    Raises:
        ArgumentError: a pattern matches no name, or none that is left for it.
    """
    found: dict[str, str] = {}
    for pattern in patterns:
        chosen = choose(op, pattern, names)
        if all(name in found for name in chosen):
            raise ArgumentError(
                f"{op}: groups have {pattern!r} after others that take all it matches ({', '.join(chosen[:8])}). "
                "The first pattern that matches counts: put it further to the front."
            )
        for name in chosen:
            found.setdefault(name, pattern)
    return found
