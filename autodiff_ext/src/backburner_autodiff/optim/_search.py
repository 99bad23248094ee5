"""A line search for the strong Wolfe conditions: lower by enough, and less steep by enough.

After Nocedal and Wright (2006), algorithms 3.5 and 3.6, with the safeguards and constants of minFunc (Schmidt, 2005),
which PyTorch has too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from backburner_autodiff._rule import Array

_LOWER = 1e-4
_FLATTER = 0.9
_SHORT = 1e-9
"""An interval whose longest side is shorter is not divided."""


class Point(NamedTuple):
    """A place on the line: how far along, the loss there, its gradient, and its slope along the line."""

    t: float
    loss: float
    g: Array
    slope: float


def search(at: Callable[[float], Point], start: Point, t: float, length: float, most: int) -> Point:
    """Return a point that is lower and flatter than the start, or the lowest that was found.

    Args:
        at: evaluates a point.
        start: where ``t`` is 0; its slope is below 0.
        t: the first to try.
        length: the greatest element of the direction.
        most: how many evaluations there may be after the first.
    """

    def too_high(point: Point) -> bool:
        # also a loss of NaN, which no comparison finds low
        return not point.loss <= start.loss + _LOWER * point.t * start.slope

    def flat(point: Point) -> bool:
        return abs(point.slope) <= -_FLATTER * start.slope

    # Go on until there is a minimum between two points.
    before, new = start, at(t)
    for count in range(most):
        if too_high(new) or (count > 1 and new.loss >= before.loss):
            break
        if flat(new):
            return new
        if new.slope >= 0:
            break
        further = _minimum(before, new, new.t + 0.01 * (new.t - before.t), new.t * 10)
        before, new = new, at(further)
    else:
        return start if new.loss > start.loss or math.isnan(new.loss) else new

    # Close in on it.
    low, high = (before, new) if before.loss <= new.loss or math.isnan(new.loss) else (new, before)
    close = False
    for _ in range(count, most):
        left, right = sorted((low.t, high.t))
        if (right - left) * length < _SHORT:
            break
        t = _minimum(low, high, left, right)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) >= margin:
            close = False
        elif close or not left < t < right:
            # Twice near one end: come away from it.
            t = right - margin if right - t < t - left else left + margin
            close = False
        else:
            close = True
        new = at(t)
        if too_high(new) or new.loss >= low.loss:
            low, high = (new, low) if new.loss < low.loss else (low, new)
        elif flat(new):
            return new
        else:
            low, high = new, low if new.slope * (high.t - low.t) >= 0 else high
    return low


def _minimum(a: Point, b: Point, left: float, right: float) -> float:
    """Return where the cubic through two points with their slopes is lowest between two ends, else the middle."""
    if a.t > b.t:
        a, b = b, a
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if square >= 0:
        d2 = math.sqrt(square)
        under = b.slope - a.slope + 2 * d2
        if under != 0:
            place = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / under)
            if math.isfinite(place):
                return min(max(place, left), right)
    return (left + right) / 2
