"""The columns of a CSV file, built from one block of rows after the other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from backburner.contracts import Array
from backburner.data._table import Column, Kind

EXACT = 2.0**53  # float64 holds every whole number up to here
UNDERSCORED_OR_ZERO = r"_|\n0[0-9]+(?![^\n])"  # in cells joined by and begun with \n
THOUSANDS = r"[+-]?[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]*)?"  # 1,234,567 and, in India, 12,34,567
WITH_COMMA = r"[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)?(?:,[0-9]*)?(?:[eE][+-]?[0-9]+)?"
POINT = r"[+-]?[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?"
WHOLE = r"\s*[+-]?[0-9]+\s*"
# What spreadsheets write around a number: -$1 234.50, 12,5 %, (300), 17-, and a minus that is no hyphen.
CURRENCIES = "$\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20ba\u20aa"
DIGITS = (
    r"(?P<digits>[0-9.,]+|[0-9]{1,3}(?P<gap>[ '\u2019\u00a0\u202f\u2009])[0-9]{3}(?:(?P=gap)[0-9]{3})*(?:[.,][0-9]*)?)"
    r"(?P<power>[eE][+-]?[0-9]+)?"
)
DRESSED = (
    rf"(?P<open>\()?(?P<sign>[+\-\u2212])?\s?[{CURRENCIES}]?\s?(?P<inner>[+\-\u2212])?{DIGITS}"
    rf"\s?[%{CURRENCIES}]?(?P<after>-)?(?P<close>\))?"
)
# 2024-01-31, 2024/1/31, 31.01.2024, 1/31/24, 31-Jan-2024, with or without a time of the day.
DATE = (
    r"(?:[0-9]{4}(?P<a>[-/.])[0-9]{1,2}(?P=a)[0-9]{1,2}|[0-9]{1,2}(?P<b>[-/.])[0-9]{1,2}(?P=b)(?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{1,2}[- ][A-Za-z]{3,9}[- ][0-9]{2,4}|[A-Za-z]{3,9} [0-9]{1,2}, [0-9]{4})"
    r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[AaPp][Mm])?(?: ?Z| ?UTC| ?[+-][0-9]{2}:?[0-9]{2})?)?"
)


@cache
def matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return what matches whole texts; compiled on first use, which takes longer than the rest of an import."""
    return re.compile(pattern).fullmatch


class Reading(NamedTuple):
    """How cells are read.

    Attributes:
        missing: the texts that stand for no value.
        decimal: ``"."`` or ``","``.
        max_categories: a column with more distinct texts is no category.
        told: whether the column is known to hold numbers: then zeros in front and large ones are no ids.
        unset: texts that stand for no value among numbers, and may be a category among texts.
    """

    missing: frozenset[str]
    decimal: str
    max_categories: int
    told: bool = False
    unset: frozenset[str] = frozenset()


def number(cell: str, reading: Reading) -> float:
    """Return the number a cell holds, NaN where it is missing.

    Raises:
        ValueError: it holds something else.
    """
    text = cell.strip()
    if text in reading.missing or text in reading.unset:
        return float("nan")
    try:
        return _bare_number(text, reading)
    except ValueError:
        inner = undressed(text)
        if inner == text:
            raise
        return _bare_number(inner, reading)


def undressed(text: str) -> str:
    """Return a number without what people write around it, such as a percent sign; other texts as they are."""
    match = matcher(DRESSED)(text)
    if not match or bool(match["open"]) != bool(match["close"]):
        return text
    signs = [match[name] for name in ("open", "sign", "inner", "after") if match[name]]
    if len(signs) > 1:
        return text
    digits = match["digits"].replace(match["gap"], "") if match["gap"] else match["digits"]
    return ("-" if signs and signs[0] != "+" else "") + digits + (match["power"] or "")


def _bare_number(text: str, reading: Reading) -> float:
    if "_" in text or (not reading.told and len(text) > 1 and text[0] == "0" and text.isdecimal()):
        raise ValueError(text)
    if reading.decimal == ",":
        if "." not in text and "," not in text:
            return float(text)
        if not matcher(WITH_COMMA)(text):
            raise ValueError(text)
        return float(text.replace(".", "").replace(",", "."))
    try:
        return float(text)
    except ValueError:
        if not matcher(THOUSANDS)(text):
            raise
        return float(text.replace(",", ""))


def numbers(cells: Sequence[str], reading: Reading) -> Array | None:
    """Return the numbers that cells hold, NaN where missing, or ``None`` where one holds something else.

    Numbers are not: what has zeros in front, as an id has, and whole numbers that float64 would round.
    """
    values: Array | None = None
    if reading.decimal == ".":
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            pass  # a missing one, or none: seen cell by cell below
    if values is None:
        try:
            values = np.fromiter((number(cell, reading) for cell in cells), np.float64, len(cells))
        except ValueError:
            return None
    elif (match := re.search(UNDERSCORED_OR_ZERO, "\n".join(["", *cells]))) and (
        not reading.told or match[0] == "_"
    ):
        return None
    if reading.told:
        return values
    large = np.abs(values) >= EXACT
    if large.any():
        for i in np.flatnonzero(large).tolist():
            if matcher(WHOLE)(cells[i]) and int(cells[i]) != int(values[i]):
                return None
    return values


class Numbers:
    """A column that holds numbers so far."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.blocks: list[Array] = []

    def add(self, cells: Sequence[str]) -> bool:
        """Take the cells of the next rows; false where one is no number, and then nothing is taken."""
        values = numbers(cells, self.reading)
        if values is None:
            return False
        self.blocks.append(values)
        return True

    def finish(self) -> Column:
        values = np.concatenate(self.blocks) if self.blocks else np.zeros(0)
        self.blocks.clear()
        return Column("number", values, np.isnan(values))


class Texts:
    """A column that holds texts: by number while there are few of them, then as they are."""

    def __init__(self, reading: Reading, kind: Kind | None) -> None:
        self.reading = reading
        self.kind: Kind | None = kind
        self.is_date = True
        self.places: defaultdict[str, int] = defaultdict()
        self.places.default_factory = self.places.__len__
        self.codes: list[Array] = []
        self.blocks: list[Array] = []
        self.few = kind != "text"

    def add(self, cells: Sequence[str]) -> bool:
        """Take the cells of the next rows."""
        if not self.few:
            self.blocks.append(self._texts(cells))
            return True
        self.codes.append(np.fromiter(map(self.places.__getitem__, cells), np.int64, len(cells)))
        if self.kind != "category" and len(self.places) > self.reading.max_categories + 100:
            # More than any category has, also with spaces and the missing ones taken off: keep no dictionary.
            self.blocks = self._expanded()
            self.few = False
        return True

    def _texts(self, cells: Sequence[str]) -> Array:
        missing = self.reading.missing
        texts = ["" if (text := cell.strip()) in missing else text for cell in cells]
        if self.is_date and self.kind is None:
            is_date = matcher(DATE)
            self.is_date = all(not text or is_date(text) for text in texts)
        return np.array(texts, dtype=np.dtypes.StringDType())

    def _expanded(self) -> list[Array]:
        distinct = self._texts(list(self.places))
        blocks = [distinct[codes] for codes in self.codes]
        self.places.clear()
        self.codes.clear()
        return blocks

    def finish(self) -> Column:
        if self.few:
            stripped = [cell.strip() for cell in self.places]
            present = sorted({text for text in stripped if text not in self.reading.missing})
            codes = np.concatenate(self.codes) if self.codes else np.zeros(0, np.int64)
            place = {text: i for i, text in enumerate(present)}
            codes = np.array([place.get(text, -1) for text in stripped], np.int64)[codes]
            dates = self.kind is None and present and all(map(matcher(DATE), present))
            count = int((codes >= 0).sum())
            few = len(present) <= self.reading.max_categories and len(present) * 2 <= max(count, 4)
            if self.kind == "category" or (self.kind is None and not dates and few):
                return Column("category", codes, codes < 0, tuple(present))
            self.blocks = self._expanded()
        values = np.concatenate(self.blocks) if self.blocks else np.array([], dtype=np.dtypes.StringDType())
        self.blocks.clear()
        guess: Kind = "date" if self.is_date else "text"
        return Column(self.kind or guess, values, values == "")
