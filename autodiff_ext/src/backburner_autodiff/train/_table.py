"""A CSV file made ready for training: its features, its target, and what to say of both."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from backburner import data
from backburner.errors import ArgumentError, DataError
from backburner.models import _columns, _target
from backburner.models import tabular as model
from backburner.models._columns import Rows
from backburner.models._target import Target, Task
from backburner_autodiff._rule import Array

FEWEST = 4  # rows


class Table(NamedTuple):
    """A table made ready: its features, its target, and what to say of them."""

    rows: Rows
    y: Array
    target: Target
    encoders: list[_columns.Encoder]
    unused: tuple[str, ...]
    notes: tuple[str, ...]
    told: tuple[str, ...]


def read(
    op: str, path: str | os.PathLike[str], name: str, task: Task | None, ignore: Sequence[str], options: Any
) -> Table:
    """Read a CSV file and make it ready for training.

    Args:
        op: who asks, for messages.
        path: the file.
        name: of the column to predict.
        task: what to do; by default found from the values.
        ignore: columns to leave out.
        options: for `backburner.data.read_csv`.

    Raises:
        ArgumentError: nothing can be learned of the target.
        DataError: the file is no CSV, has no such column, or too few rows.
        OSError: it cannot be read.
    """
    names = data.csv_names(path, **options)
    missing = [column for column in (name, *ignore) if column not in names]
    if missing:
        raise model.missing_columns(op, path, missing, names)
    if name in ignore:
        raise ArgumentError(f"{op}: {name!r} is the target and cannot be ignored.")
    wanted = [column for column in names if column not in ignore]
    table = data.read_csv(path, columns=wanted, **options)
    total = len(table)
    usable = _target.usable(table[name])
    count = int(usable.sum())
    if count < FEWEST:
        rows = f"{total:,} row" + "s" * (total != 1)
        raise DataError(
            f"{op}: {path}: too few rows to learn from: of {rows} {count:,} have a {name!r}. At least {FEWEST} must."
        )
    if count < total:
        table = table.take(usable)
    found, why = _target.find_task(table[name])
    column = table[name]
    chosen = task or found
    if (
        chosen == "classification"
        and column.kind == "number"
        and len(np.unique(column.values)) <= _target.CLASSES
    ):
        spelled = data.read_csv(path, columns=[name], kinds={name: "category"}, **options)[name]
        column = _merged(spelled.take(usable))
    target = _target.fit(op, name, column, chosen)
    others = table.select([column for column in table.names if column != name])
    encoders, column_notes = _columns.fit(others)
    if not encoders:
        raise DataError(
            f"{op}: {path}: no column is left to learn {name!r} from: {'; '.join(column_notes) or 'there is no other'}."
        )
    notes = [*table.notes]
    if count < total:
        notes.append(f"left out {total - count:,} rows without a {name!r}")
    notes += column_notes
    reason = f"--task says so; {why}" if task and task != found else why
    other = "regression" if chosen == "classification" else "classification"
    hint = "" if task or table[name].kind != "number" else f"; --task {other} changes that"
    what = f"{chosen} of {name!r}" + (f" into {len(target.labels)} classes" if target.labels else "")
    told = [f"{what}: {reason}{hint}"]
    told.append(f"{count:,} rows, {len(encoders)} columns: {_listed([e.name for e in encoders])}")
    told += [f"  {note}" for note in notes]
    y = target.encode(column)
    used = {name, *(encoder.name for encoder in encoders)}
    unused = tuple(column for column in names if column not in used)
    return Table(Rows(encoders, table), y, target, encoders, unused, tuple(notes), tuple(told))


def _merged(column: data.Column) -> data.Column:
    """Return a column of spelled numbers in which those of one value have the spelling that most have."""
    counts = np.bincount(column.values, minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable")
    spelling: dict[Any, int] = {}
    for i in order.tolist():
        spelling.setdefault(_target._float(column.categories[i]), i)
    place = np.array([spelling[_target._float(text)] for text in column.categories], np.int64)
    return column._replace(values=place[column.values])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(model.shown, names[:12])) + (
        f" and {len(names) - 12:,} more" if len(names) > 12 else ""
    )
