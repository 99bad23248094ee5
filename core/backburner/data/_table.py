"""A table: named columns of numbers, categories, dates and text, with what is missing marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from backburner.contracts import Array
from backburner.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError

Kind = Literal["number", "category", "date", "text"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Column(NamedTuple):
    """One column of a `Table`.

    Attributes:
        kind: ``"number"``, ``"category"``, ``"date"`` or ``"text"``.
        values: of a number float64, NaN where missing; of a category its place in ``categories``, int64, -1 where
            missing; of a date or a text the text as it stands in the file, of NumPy's ``StringDType``, empty
            where missing.
        missing: bool, where the file has no value.
        categories: the texts of a category in their order, each once; of another kind empty.

    Shape:
        values ``[n]``, missing ``[n]``.
    """

    kind: Kind
    values: Array
    missing: Array
    categories: tuple[str, ...] = ()

    def __repr__(self) -> str:
        few = ", ".join(repr(text) for text in self.strings()[:3].tolist())
        more = ", ..." if len(self.values) > 3 else ""
        return (
            f"Column({self.kind}, {len(self.values)} values, {int(self.missing.sum())} missing: {few}{more})"
        )

    def strings(self) -> Array:
        """Return each value as text, of ``StringDType``, empty where missing; a whole number has no point.

        Shape:
            Result ``[n]``.
        """
        if self.kind == "category":
            texts = np.array([*self.categories, ""], dtype=np.dtypes.StringDType())
            return texts[self.values]  # -1, what is missing, is the last
        if self.kind != "number":
            return self.values
        return np.array(["" if value != value else _plain(value) for value in self.values.tolist()],
                        dtype=np.dtypes.StringDType())  # fmt: skip

    def take(self, rows: Array) -> Column:
        """Return these rows of the column."""
        return self._replace(values=self.values[rows], missing=self.missing[rows])


def _plain(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else str(value)


class Table(Mapping[str, Column]):
    """Columns by name, all of one length, as `read_csv` makes them.

    It is a mapping of names to columns, but its length is the number of rows.

    Args:
        columns: each column under its name.
        rows: how many rows there are, which a table without columns has to be told.
        notes: sentences on what was not taken as it stands, such as a name that occurs twice.

    Attributes:
        notes: the sentences.

    Example:
        >>> import io
        >>> from backburner import data
        >>> table = data.read_csv(io.StringIO("size,colour\\n1.5,red\\n,blue\\n3,red\\n4,red\\n"))
        >>> len(table), table.kinds
        (4, {'size': 'number', 'colour': 'category'})
        >>> table["size"].values.tolist(), table["size"].missing.tolist()
        ([1.5, nan, 3.0, 4.0], [False, True, False, False])
        >>> table["colour"].categories, table["colour"].values.tolist()
        (('blue', 'red'), [1, 0, 1, 1])
    """

    __slots__ = ("_columns", "_rows", "notes")

    def __init__(
        self, columns: Mapping[str, Column], *, rows: int | None = None, notes: Sequence[str] = ()
    ) -> None:
        self._columns = dict(columns)
        lengths = {name: len(column.values) for name, column in self._columns.items()}
        self._rows = next(iter(lengths.values()), 0) if rows is None else rows
        if any(length != self._rows for length in lengths.values()):
            raise ShapeError(f"Table: the columns are not of one length: {lengths}.")
        self.notes = tuple(notes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple(self._columns)

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of each column."""
        return {name: column.kind for name, column in self._columns.items()}

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __getitem__(self, name: str) -> Column:
        """Return a column.

        Raises:
            IndexOutOfRange: there is none of that name; also a ``LookupError``.
            DTypeError: it is no name.
        """
        if not isinstance(name, str):
            raise DTypeError(
                f"Table: a column goes by its name, not by a {type(name).__name__}. "
                "Use select(names) for several columns, take(rows) for rows."
            )
        column = self._columns.get(name)
        if column is None:
            raise MissingColumn("Table", name, self.names)
        return column

    def get(self, name: str, default: Any = None) -> Any:
        """Return a column, or ``default`` where there is none of that name."""
        return self._columns.get(name, default)

    def select(self, names: Sequence[str]) -> Table:
        """Return a table of these columns, in this order."""
        if isinstance(names, str):
            raise ArgumentError(f"Table.select: names is the text {names!r}. Give a list of names.")
        return Table({name: self[name] for name in names}, rows=len(self), notes=self.notes)

    def take(self, rows: Array | Sequence[int]) -> Table:
        """Return a table of these rows: indices, or a bool for each row."""
        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_:
            if chosen.shape != (len(self),):
                raise ShapeError(f"Table.take: {list(chosen.shape)} bools for {len(self)} rows.")
            chosen = np.flatnonzero(chosen)
        elif not chosen.size:
            chosen = chosen.astype(np.int64)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise ArgumentError(
                f"Table.take: rows are a list of whole numbers or bools, not {chosen.dtype}{list(chosen.shape)}."
            )
        outside = chosen[(chosen < -len(self)) | (chosen >= len(self))]
        if outside.size:
            raise IndexOutOfRange(f"Table.take: row {int(outside[0])} of {len(self)} rows.")
        columns = {name: column.take(chosen) for name, column in self._columns.items()}
        return Table(columns, rows=len(chosen), notes=self.notes)

    def __eq__(self, other: object) -> bool:
        return self is other  # of arrays there is no one answer

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        columns = ", ".join(f"{name}: {kind}" for name, kind in self.kinds.items())
        return f"Table({len(self)} rows; {columns})"


class MissingColumn(IndexOutOfRange, KeyError):
    """A column was asked for that the table does not have; the message names those it has."""

    def __init__(self, op: str, name: object, names: Sequence[str]) -> None:
        import difflib

        near = difflib.get_close_matches(str(name), names, n=1)
        shown = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
        hint = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(f"{op}: there is no column {name!r}: the columns are {shown}.{hint}")

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would show the message in quotes
