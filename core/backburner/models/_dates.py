"""Dates as people write them, as numbers that mean something to a network."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from backburner.contracts import Array

DAY = 86400
YEAR = 365.2425 * DAY
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
NUMBERS = re.compile(r"([0-9]{1,4})([-/.])([0-9]{1,2})\2([0-9]{1,4})")
DAY_NAME = re.compile(r"([0-9]{1,2})[- ]([A-Za-z]{3,9})[- ]([0-9]{2,4})")
NAME_DAY = re.compile(r"([A-Za-z]{3,9}) ([0-9]{1,2}), ([0-9]{4})")
TIME = re.compile(
    r"[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}(?:[.,][0-9]+)?))?(?: ?([AaPp])[Mm])?(?: ?(?:Z|UTC|([+-])([0-9]{2}):?([0-9]{2})))?"
)


def is_day_first(texts: Array) -> bool:
    """Say whether dates such as 1/2/2024 begin with the day: one of them must, or they have points."""
    dotted = month_first = False
    for text in set(texts.tolist()):
        match = NUMBERS.match(text)
        if match and len(match[1]) < 3:
            if int(match[1]) > 12:
                return True
            month_first = month_first or int(match[3]) > 12
            dotted = dotted or match[2] == "."
    return dotted and not month_first


def seconds(texts: Array, day_first: bool) -> Array:
    """Return seconds since 1970 as float64, NaN of what is no date.

    Shape:
        texts ``[n]``, result ``[n]``.
    """
    distinct, place = np.unique(texts, return_inverse=True)
    values = np.array([_seconds(text, day_first) for text in distinct.tolist()], np.float64)
    found: Array = values[place]
    return found


def _seconds(text: str, day_first: bool) -> float:
    from datetime import date

    if match := NUMBERS.match(text):
        first, middle, last = int(match[1]), int(match[3]), int(match[4])
        if len(match[1]) == 4:
            year, month, day = first, middle, last
        else:
            day, month = (first, middle) if day_first else (middle, first)
            year = _year(match[4])
    elif match := DAY_NAME.match(text):
        day, month, year = int(match[1]), _month(match[2]), _year(match[3])
    elif match := NAME_DAY.match(text):
        month, day, year = _month(match[1]), int(match[2]), int(match[3])
    else:
        return math.nan
    try:
        days = date(year, month, day).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:  # a 31st of February
        return math.nan
    return days * float(DAY) + _time(text[match.end() :])


def _year(text: str) -> int:
    year = int(text)
    if len(text) == 2:  # as POSIX has it
        year += 1900 if year >= 69 else 2000
    return year


def _month(name: str) -> int:
    short = name[:3].lower()
    return MONTHS.index(short) + 1 if short in MONTHS else 0


def _time(text: str) -> float:
    match = TIME.match(text)
    if not match:
        return 0.0
    hour = int(match[1])
    if match[4]:
        hour = hour % 12 + (12 if match[4] in "Pp" else 0)
    second = float((match[3] or "0").replace(",", "."))
    total = hour * 3600 + int(match[2]) * 60 + second
    if match[5]:
        east = int(match[6]) * 3600 + int(match[7]) * 60
        total -= east if match[5] == "+" else -east
    return total


def _circle(period: float, of: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda seconds: of(seconds * (2 * math.pi / period))


def _day(seconds: Array) -> Any:
    return np.floor(seconds / DAY)


PARTS: dict[str, Callable[[Array], Array]] = {
    "day": _day,
    "time of year (sine)": _circle(YEAR, np.sin),
    "time of year (cosine)": _circle(YEAR, np.cos),
    "day of week (sine)": lambda seconds: np.sin(_day(seconds) * (2 * math.pi / 7)),
    "day of week (cosine)": lambda seconds: np.cos(_day(seconds) * (2 * math.pi / 7)),
    "time of day (sine)": lambda seconds: np.sin(seconds % DAY * (2 * math.pi / DAY)),
    "time of day (cosine)": lambda seconds: np.cos(seconds % DAY * (2 * math.pi / DAY)),
}
"""What of a date a network sees, each a function of seconds since 1970; circles close at midnight and new year."""
