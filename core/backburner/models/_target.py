"""What a table's network is to predict: classes under their names, or a number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from backburner.contracts import Array
from backburner.data import Column
from backburner.errors import ArgumentError

Task = Literal["classification", "regression"]
CLASSES = 1000  # more than these are no classes
FEW = 20  # different whole numbers that may be classes


class Target(NamedTuple):
    """The column that a network predicts.

    Attributes:
        name: of the column.
        labels: of a classification the classes, as texts in the order of the network's outputs; of a regression
            none.
        mean: of a regression's values.
        std: of a regression's values.
    """

    name: str
    labels: tuple[str, ...]
    mean: float = 0.0
    std: float = 1.0

    @property
    def task(self) -> Task:
        """What is predicted."""
        return "classification" if self.labels else "regression"

    @property
    def outputs(self) -> int:
        """How many numbers the network answers with for each row."""
        return len(self.labels) or 1

    def encode(self, column: Column) -> Array:
        """Return the places of the classes in ``labels``, -1 for others; or standardised numbers.

        Shape:
            ``[n]``, of int64 or float32.
        """
        if not self.labels:
            return ((column.values - self.mean) / self.std).astype(np.float32)
        place = self._places()
        if column.kind == "number":
            distinct, inverse = np.unique(column.values, return_inverse=True)
            return np.array([place.get(value, -1) for value in distinct.tolist()], np.int64)[inverse]
        categories, inverse = column.categories, column.values
        if column.kind != "category":
            distinct, inverse = np.unique(column.values, return_inverse=True)
            categories = tuple(distinct.tolist())
        codes = [place.get(text, place.get(_float(text), -1)) for text in categories]
        return np.array([*codes, -1], np.int64)[inverse]  # missing is -1, the last

    def _places(self) -> dict[Any, int]:
        """Return the place of each label, by its text and, where it is one, by its number."""
        place: dict[Any, int] = {}
        for i, label in enumerate(self.labels):
            place.setdefault(_float(label), i)
        return place | {label: i for i, label in enumerate(self.labels)}

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` takes."""
        return self._asdict()

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Target:
        """Return the target that `to_json` told of."""
        target = cls(told["name"], tuple(told["labels"]), float(told["mean"]), float(told["std"]))
        if not (math.isfinite(target.mean) and 0 < target.std < math.inf):
            raise ValueError(f"a mean of {target.mean} and a standard deviation of {target.std}")
        if len(target.labels) == 1 or not all(isinstance(label, str) for label in target.labels):
            raise ValueError(f"the labels {target.labels}")
        return target


def _float(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def usable(column: Column) -> Array:
    """Return for each row whether its target can be learned from, as bools."""
    rows: Array = ~column.missing
    if column.kind == "number":
        rows = rows & np.isfinite(column.values)
    return rows


def find_task(column: Column) -> tuple[Task, str]:
    """Tell from the values of a target what the task is, and why, as a clause.

    Texts are classes, and whole numbers of which there are few: at most 20, and no more than the root of the
    number of rows; two values are classes in any case.
    """
    if column.kind != "number":
        return "classification", f"it holds {_kind(column)}"
    distinct = np.unique(column.values)
    if not np.array_equal(distinct, np.floor(distinct)):
        return "regression", "it holds numbers with decimals"
    count = len(distinct)
    if count <= 2 or count <= min(FEW, math.isqrt(len(column.values))):
        return "classification", f"it holds {count} different whole numbers"
    return "regression", f"it holds {count:,} different numbers"


def _no_classes(column: Column) -> str:
    """Say what to do about a target of too many texts."""
    from backburner.data._csv_columns import matcher
    from backburner.models._columns import MEASURE

    texts = column.strings().tolist()
    odd = [text for text in texts if not isinstance(_float(text), float)]
    if _kind(column) == "dates":
        return " They are dates: for regression write days or seconds since some day, or name another column."
    if not odd:  # numbers, which the caller spelled
        return " Name another column."
    if len(odd) * 2 < len(texts):
        return f" If they are numbers, mend or empty the cells that are none, such as {odd[0]!r}; else name another column."
    if sum(map(bool, map(matcher(MEASURE), texts))) * 2 > len(texts):  # 12 kg
        return (
            f" If they are numbers, write them without what else is in {odd[0]!r}; else name another column."
        )
    return " Name another column."


def _kind(column: Column) -> str:
    from backburner.data._csv_columns import DATE, matcher

    some = column.strings()[:1000].tolist()
    return "dates" if column.kind == "date" or all(map(matcher(DATE), some)) else "text"


def fit(op: str, name: str, column: Column, task: Task) -> Target:
    """Return the target of a column of which every row is usable.

    Args:
        op: who asks, for messages.
        name: of the column.
        column: for a classification of categories or numbers, as they are spelled.
        task: what to do.

    Raises:
        ArgumentError: the column does not suit the task.
    """
    if task == "regression":
        if column.kind != "number":
            texts = column.strings().tolist()
            example = next((text for text in texts if not isinstance(_float(text), float)), texts[0])
            hint = "Use --task classification"
            if _kind(column) == "dates":
                hint = "Write days or seconds since some day instead, or use --task classification"
            raise ArgumentError(
                f"{op}: the target {name!r} is not made of numbers, as regression needs it: {example!r}. {hint}."
            )
        largest = float(np.abs(column.values).max()) or 1.0
        scaled = column.values / largest  # whose squares neither overflow nor vanish
        mean, std = float(scaled.mean()) * largest, float(scaled.std()) * largest
        same = bool((column.values == column.values[0]).all())
        if not 0 < std < math.inf or same:
            what = f"{column.values[0]:g} in every row" if same else "too close together for float64"
            raise ArgumentError(
                f"{op}: there is nothing to learn: the target {name!r} is {what}. Name another column."
            )
        return Target(name, (), mean, std)
    texts = column.strings()
    labels = np.unique(texts).tolist()
    if len(labels) == 1:
        raise ArgumentError(
            f"{op}: there is nothing to learn: the target {name!r} is {labels[0]!r} in every row. Name another "
            "column."
        )
    if len(labels) > CLASSES or len(labels) > max(FEW, len(texts) // 2):
        hint = " Use --task regression." if column.kind == "number" else _no_classes(column)
        raise ArgumentError(
            f"{op}: the target {name!r} has {len(labels):,} different values in {len(texts):,} rows, which are no "
            f"classes.{hint}"
        )
    if column.kind == "number" or all(isinstance(_float(label), float) for label in labels):
        labels.sort(key=lambda label: (_float(label), label))
    return Target(name, tuple(labels))
