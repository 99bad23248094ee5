"""How the columns of a table become numbers for a network, learned from one table and kept as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from backburner.contracts import Array
from backburner.data import Column, Table
from backburner.data._csv_columns import DATE, POINT, matcher
from backburner.models import _dates

LONG_TAIL = 5.0  # of a million draws from a normal distribution none is further from the middle
KNEES = {
    True: 1.5,
    False: LONG_TAIL,
}  # where values begin to count by their logarithm, with a long tail and without
FURTHEST = 1e6  # what is further from the middle, and what is infinite, counts as this far
LEVELS = 300  # categories of one column that the network tells apart
ROW_NAMES = ("id", "index", "row", "column_1", "unnamed: 0")
SOME = 1000  # texts to tell from what they might have been
MEASURE = r"[<>~=\"' ]*[+-]?[0-9][0-9.,]*\W*[^\W\d]{0,4}\W*"  # 12 kg, <0.5, ="3"
FEW = 20  # rows: below, all different says nothing


class Scale(NamedTuple):
    """Standardises numbers so that outliers neither decide the scale nor stand out by more than a logarithm.

    Attributes:
        center: the median.
        width: half the distance of the quartiles, as a standard deviation of a normal distribution.
        knee: in widths from the center; beyond, the logarithm counts.
        mean: of what comes out of that.
        std: of what comes out of that.
    """

    center: float
    width: float
    knee: float
    mean: float
    std: float

    @classmethod
    def fit(cls, values: Array) -> Scale | None:
        """Return the scale of some numbers; ``None`` where they are all the same."""
        values = values[~np.isnan(values)]
        if not values.size or values.min() == values.max():
            return None
        finite = values[np.isfinite(values)]
        if (
            not finite.size or finite.min() == finite.max()
        ):  # beside it there are infinities, which count as far
            return cls._of(values, float(finite[0]) if finite.size else 0.0, 1.0)
        low, center, high = (float(q) for q in np.quantile(finite, (0.25, 0.5, 0.75)))
        with np.errstate(over="ignore"):
            width = high / 1.349 - low / 1.349  # a normal distribution's quartiles are 1.349 std apart
            if not width > 0:
                width = float(np.abs(finite / finite.size - center / finite.size).sum()) * 1.2533
        if not 0 < width < math.inf:  # of numbers that differ by less than float64 can tell, or by all it can
            return None
        return cls._of(values, center, width)

    @classmethod
    def _of(cls, values: Array, center: float, width: float) -> Scale | None:
        away = cls(center, width, 1.0, 0.0, 1.0)._away(values)
        knee = KNEES[bool(np.abs(away).max() > LONG_TAIL)]
        squashed = _squash(away, knee)
        mean, std = float(squashed.mean()), float(squashed.std())
        return cls(center, width, knee, mean, std) if std > 0 else None

    def _away(self, values: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.clip((values - self.center) / self.width, -FURTHEST, FURTHEST)

    def __call__(self, values: Array) -> Array:
        """Return numbers with a mean near 0 and a standard deviation near 1; of NaN 0."""
        z = (_squash(self._away(values), self.knee) - self.mean) / self.std
        return np.where(np.isnan(z), 0.0, z)


def _squash(x: Array, knee: float) -> Array:
    """Return ``x`` as it is up to the knee, beyond it growing as the logarithm, without a corner."""
    size = np.maximum(np.abs(x), knee)
    return np.where(np.abs(x) > knee, np.copysign(knee * (1 + np.log(size / knee)), x), x)


class Number(NamedTuple):
    """A column of numbers: one feature, and one that says where it is missing if it ever was.

    Attributes:
        name: of the column.
        scale: of its values; ``None`` where it only matters whether there is one.
        missing: whether any was missing.
        kind: of the column.
    """

    name: str
    scale: Scale | None
    missing: bool
    kind: str = "number"

    @property
    def width(self) -> int:
        """How many features it gives."""
        return (self.scale is not None) + self.missing

    def encode(self, column: Column) -> Array:
        """Return the features of each row, ``[n, width]``."""
        parts = [self.scale(column.values)] if self.scale else []
        parts += [column.missing] if self.missing else []
        return np.stack(parts, axis=1)

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` takes."""
        return self._asdict()

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Number:
        """Return the column that `to_json` told of."""
        return cls(told["name"], told["scale"] and _scale(told["scale"]), bool(told["missing"]))


class Date(NamedTuple):
    """A column of dates: the day, its place in the year and the week, and the time of day, as far as they vary.

    Attributes:
        name: of the column.
        day_first: whether 1/2/2024 is in February.
        scales: of each part that varies, by its name in `_dates.PARTS`.
        missing: whether any was missing.
        kind: of the column.
    """

    name: str
    day_first: bool
    scales: Mapping[str, Scale]
    missing: bool
    kind: str = "date"

    @property
    def width(self) -> int:
        """How many features it gives."""
        return len(self.scales) + self.missing

    def encode(self, column: Column) -> Array:
        """Return the features of each row, ``[n, width]``."""
        seconds = _dates.seconds(column.values, self.day_first)
        parts = [scale(_dates.PARTS[part](seconds)) for part, scale in self.scales.items()]
        parts += [np.isnan(seconds)] if self.missing else []
        return np.stack(parts, axis=1)

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` takes."""
        return self._asdict()

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Date:
        """Return the column that `to_json` told of."""
        scales = {part: _scale(scale) for part, scale in told["scales"].items()}
        if not scales.keys() <= _dates.PARTS.keys():
            raise ValueError(f"parts of a date: {', '.join(scales)}")
        return cls(told["name"], bool(told["day_first"]), scales, bool(told["missing"]))


class Category(NamedTuple):
    """A column of categories: a feature for each, one for all rare ones, and one for a missing one.

    A category that was never seen has none of them.

    Attributes:
        name: of the column.
        levels: the categories that have a feature of their own.
        rare: those that share one.
        missing: whether any was missing.
        kind: of the column.
    """

    name: str
    levels: tuple[str, ...]
    rare: tuple[str, ...]
    missing: bool
    kind: str = "category"

    @property
    def width(self) -> int:
        """How many features it gives."""
        return len(self.levels) + bool(self.rare) + self.missing

    def encode(self, column: Column) -> Array:
        """Return which of the features each row has, ``[n]``; -1 where none."""
        place = {level: i for i, level in enumerate(self.levels)}
        place |= dict.fromkeys(self.rare, len(self.levels))
        codes = [place.get(category, -1) for category in column.categories]
        codes.append(len(self.levels) + bool(self.rare) if self.missing else -1)  # missing is -1, the last
        return np.array(codes, np.int32)[column.values]

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` takes."""
        return self._asdict()

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Category:
        """Return the column that `to_json` told of."""
        return cls(told["name"], tuple(told["levels"]), tuple(told["rare"]), bool(told["missing"]))


Encoder = Number | Date | Category
ENCODERS: dict[str, type[Number] | type[Date] | type[Category]] = {
    "number": Number,
    "date": Date,
    "category": Category,
}


def _scale(numbers: Sequence[Any]) -> Scale:
    scale = Scale(*map(float, numbers))
    if not (all(map(math.isfinite, scale)) and scale.width > 0 and scale.knee > 0 and scale.std > 0):
        raise ValueError(f"a scale of {numbers}")
    return scale


def fit(table: Table) -> tuple[list[Encoder], list[str]]:
    """Learn from a table how each of its columns becomes features.

    Returns:
        The columns that say something, and a sentence for each that does not or not all it could.
    """
    encoders: list[Encoder] = []
    notes: list[str] = []
    for name, column in table.items():
        made = {"number": _number, "date": _date, "category": _category, "text": _text}[column.kind](
            name, column
        )
        encoder, told = made
        if encoder is not None:
            encoders.append(encoder)
        if told:
            notes.append(f"{name}: {told}")
    return encoders, notes


Made = tuple[Encoder | None, str]


def _number(name: str, column: Column) -> Made:
    missing = bool(column.missing.any())
    present = column.values[~column.missing]
    if not present.size:
        return None, "ignored: it is empty"
    if _counts_rows(name, present):
        return None, "ignored: it numbers the rows"
    scale = Scale.fit(present)
    if scale is None and not missing:
        return None, f"ignored: it is {present[0]:g} in every row"
    return Number(name, scale, missing), ""


def _counts_rows(name: str, values: Array) -> bool:
    """Say whether a column is 0, 1, 2 and so on, or by its name and its values an id."""
    if len(values) < FEW or not np.array_equal(values, np.floor(values)):
        return False
    if values[0] in (0, 1) and bool((np.diff(values) == 1).all()):
        return True
    last = name.lower().replace("-", "_").replace(" ", "_").rpartition("_")[2]
    named = last in ROW_NAMES or name.lower() in ROW_NAMES or name.endswith("Id") or name.endswith("ID")
    return named and len(np.unique(values)) == len(values)


def _date(name: str, column: Column) -> Made:
    present = column.values[~column.missing]
    if not len(present):
        return None, "ignored: it is empty"
    day_first = _dates.is_day_first(present)
    seconds = _dates.seconds(column.values, day_first)
    found = {part: Scale.fit(of(seconds)) for part, of in _dates.PARTS.items()}
    scales = {part: scale for part, scale in found.items() if scale is not None}
    missing = bool(np.isnan(seconds).any())
    if not scales and not missing:
        return None, f"ignored: it is {present[0]} in every row"
    told = f"a date, of which the network sees {', '.join(scales) or 'whether there is one'}"
    if any("/" in text for text in present[:FEW].tolist()):
        told += f"; 1/2 was read as {'1 February' if day_first else 'January 2'}"
    return Date(name, day_first, scales, missing), told


def _category(name: str, column: Column) -> Made:
    missing = bool(column.missing.any())
    counts = np.bincount(column.values[~column.missing], minlength=len(column.categories))
    seen = np.flatnonzero(counts)  # others stand in rows that were left out
    if not len(seen):
        return None, "ignored: it is empty"
    if len(seen) == 1 and not missing:
        return None, f"ignored: it is {column.categories[seen[0]]!r} in every row"
    least = min(max(2, len(column.values) // 1000), 20)
    frequent = seen[np.argsort(-counts[seen], kind="stable")][:LEVELS]
    kept = np.sort(frequent[counts[frequent] >= least])
    rare = np.setdiff1d(seen, kept)
    encoder = Category(
        name,
        tuple(column.categories[i] for i in kept),
        tuple(column.categories[i] for i in rare),
        missing,
    )
    if len(rare) > 1 and encoder.width < 2:
        return None, f"ignored: hardly any of its {len(seen):,} categories comes twice"
    return encoder, f"its {len(rare):,} rarest categories count as one" if len(rare) > 1 else ""


def _text(name: str, column: Column) -> Made:
    if column.missing.all():
        return None, "ignored: it is empty"
    distinct = np.unique(column.values[~column.missing])
    told = f"ignored: it is text with {len(distinct):,} different values in {len(column.values):,} rows"
    some = distinct[:: -(-len(distinct) // SOME)].tolist()
    for what, is_one in (("dates", matcher(DATE)), ("numbers", matcher(MEASURE))):
        odd = [text for text in some if not is_one(text)]
        if len(odd) * 10 < len(some):
            odd += [
                text for text in some if not matcher(POINT)(text)
            ]  # 12 kg; where there are none they are ids
            for example in odd[:1]:
                told += f"; it could be used if it were {what} alone, without such as {_cut(example)}"
            break
    return None, told


def _cut(text: str) -> str:
    """Return a text for a message, in quotes and not long."""
    return repr(text if len(text) <= 60 else text[:60] + "...")


class Rows:
    """The features of all rows, small: the numbers as they are, of categories which one.

    Args:
        encoders: of the columns.
        table: has their columns, of their kinds.
    """

    def __init__(self, encoders: Sequence[Encoder], table: Table) -> None:
        dense = [e for e in encoders if not isinstance(e, Category)]
        sparse = [e for e in encoders if isinstance(e, Category)]
        self.width = sum(e.width for e in encoders)
        self._numbers = np.empty((len(table), sum(e.width for e in dense)), np.float32)
        self._codes = np.empty((len(table), len(sparse)), np.int32)
        start = 0
        for encoder in dense:
            self._numbers[:, start : start + encoder.width] = encoder.encode(table[encoder.name])
            start += encoder.width
        for i, category in enumerate(sparse):
            codes = category.encode(table[category.name])
            self._codes[:, i] = np.where(codes < 0, -1, codes + start)
            start += category.width

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, rows: Array | slice) -> Array:
        """Return the features of some rows in full.

        Shape:
            rows ``[...]``, result ``[..., width]``, float32.
        """
        numbers, codes = self._numbers[rows], self._codes[rows]
        features = np.zeros((*numbers.shape[:-1], self.width), np.float32)
        features[..., : numbers.shape[-1]] = numbers
        flat = features.reshape(-1, self.width)
        for column in np.moveaxis(codes, -1, 0):
            at = np.flatnonzero(column.reshape(-1) >= 0)
            flat[at, column.reshape(-1)[at]] = 1
        return features
