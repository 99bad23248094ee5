"""Checks of the options that layers are made with, so that a wrong one is refused where it was written."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.errors import ArgumentError, DTypeError
from backburner.ops._operands import integer, number


def flag(layer: str, name: str, value: Any) -> bool:
    """Return an option that is true or false, and nothing that Python would take for one.

    A ``bias="no"`` would be a bias, and a number in a flag's place is an argument in the wrong place.

    Args:
        layer: whose option it is.
        name: what the option is called.
        value: a bool, also NumPy's.

    Raises:
        DTypeError: it is anything else.
    """
    if value.__class__ is bool or isinstance(value, np.bool_):
        return bool(value)
    raise DTypeError(f"{layer}: {name} must be True or False, got {value!r:.80}.")


def count(layer: str, name: str, value: Any, least: int = 1) -> int:
    """Return an option that counts something, such as channels, heads or layers.

    Raises:
        DTypeError: it is not an integer.
        ArgumentError: it is below ``least``.
    """
    found = integer(layer, name, value)
    if found < least:
        raise ArgumentError(f"{layer}: {name} must be at least {least}, got {found}.")
    return found


def within(layer: str, name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """Return an option that is a number from ``low`` to ``high``, both included; NaN is none.

    Raises:
        DTypeError: it is not a number.
        ArgumentError: it is NaN or outside.
    """
    found = number(layer, name, value)
    if not low <= found <= high:
        limits = f"in [{low:g}, {high:g}]" if high < math.inf else f"at least {low:g}"
        raise ArgumentError(f"{layer}: {name} must be {limits}, got {found:g}.")
    return found
