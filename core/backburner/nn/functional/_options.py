"""Checks that several neural ops share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from backburner.contracts import Pair
from backburner.errors import ArgumentError, ShapeError
from backburner.ops._operands import integer, number

Size = int | Sequence[int]
Size2 = Size
_MOST = (1 << 31) - 1


def pair(op: str, name: str, value: Size2, least: int) -> Pair:
    """Return an option for height and width, of one int or two, none below ``least``."""
    height, width = per_axis(op, name, value, 2, least)
    return height, width


def per_axis(op: str, name: str, value: Size, count: int, least: int) -> tuple[int, ...]:
    """Return an option for ``count`` axes, of one int or that many, none below ``least``."""
    given: Any = value
    if given.__class__ is int and least <= given <= _MOST:
        return (given,) * count
    if given.__class__ is tuple and len(given) == count:
        for n in given:
            if n.__class__ is not int or not least <= n <= _MOST:
                break
        else:
            return given
    found = tuple(value) if isinstance(value, (tuple, list, Sequence)) else (value,)
    if len(found) not in (1, count) or isinstance(value, str):
        many = {1: "one int", 2: "one int or two", 3: "one int or three"}[count]
        raise ArgumentError(f"{op}: {name} takes {many}, got {value!r}.")
    found = tuple([integer(op, name, n) for n in found])
    if min(found) < least:
        raise ArgumentError(f"{op}: {name} must be at least {least}, got {value!r}.")
    if max(found) > _MOST:
        raise ArgumentError(f"{op}: {name} must be at most {_MOST}, got {value!r}.")
    return found if len(found) == count else found * count


def probability(op: str, p: float) -> float:
    """Return ``p``, which is in ``[0, 1]``."""
    found = number(op, "p", p)
    if not 0 <= found <= 1:
        raise ArgumentError(f"{op}: p must be in [0, 1], got {p}.")
    return found


def images(op: str, x: Any) -> bool:
    """Say whether ``x`` is a single image, ``[c, h, w]``, instead of a batch, ``[n, c, h, w]``."""
    if x.ndim not in (3, 4):
        raise ShapeError(f"{op}: the input must be [n, c, h, w] or [c, h, w], got {list(x.shape)}.")
    return bool(x.ndim == 3)


def parameter(op: str, name: str, x: Any, shape: tuple[int, ...]) -> None:
    """Check the shape of an optional parameter."""
    if x is not None and x.shape != shape:
        raise ShapeError(f"{op}: {name} must have shape {list(shape)}, got {list(x.shape)}.")


def finite(op: str, name: str, value: float) -> float:
    """Return a number that is neither NaN nor infinite."""
    found = number(op, name, value)
    if not math.isfinite(found):
        raise ArgumentError(f"{op}: {name} must be finite, got {found}.")
    return found
