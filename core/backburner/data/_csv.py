"""CSV files from the wild, read with NumPy and the standard library."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice, zip_longest
from typing import IO, Any, NamedTuple

from backburner.data._csv_columns import POINT, WITH_COMMA, Numbers, Reading, Texts, number
from backburner.data._csv_source import Path, Source
from backburner.data._table import KINDS, Column, Kind, MissingColumn, Table
from backburner.errors import ArgumentError, DataError

CELLS = 1 << 17  # in a block of rows: what is held as text at one time
LEAST = 64  # rows in a block, also of a table of very many columns
SAMPLE = 1 << 16  # characters that delimiter and decimal mark are told from
DELIMITERS = "\t;|,"  # in this order where several fit: commas occur in text most of all
END = "\0end\0"  # a row put behind the last: it is swallowed where a quote stays open
MISSING = ("", "NA", "N/A", "#N/A", "<NA>", "NaN", "null", "?", "-", ".")


class Layout(NamedTuple):
    """How the lines of a file make rows."""

    source: Source
    delimiter: str
    comment: str | None
    skip: int

    def fault(self, line: int, what: str) -> DataError:
        """Return the error that something is wrong in a line."""
        return DataError(f"{self.source.op}: {self.source.name}, line {line}: {what}.")


class _Rows:
    """The rows of a file, in one pass.

    Args:
        layout: of the file.
        width: columns, where that is known. Of one column an empty cell in quotes is a row; else it is a blank
            line, which is left out.
    """

    def __init__(self, layout: Layout, width: int = 0) -> None:
        import csv

        self._layout = layout
        self._one_column = width == 1
        self._block = max(LEAST, CELLS // max(width, 1))
        self._file = layout.source.open()
        self._fresh = True
        self._line = 0
        self.began = 0
        """The line in which the last row of `one_by_one` begins."""
        self._error = csv.Error
        self._limit = csv.field_size_limit()
        feed = chain(self._lines(), [END])
        self._reader = csv.reader(feed, delimiter=layout.delimiter, skipinitialspace=layout.delimiter != " ")

    def __enter__(self) -> _Rows:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _lines(self) -> Iterator[str]:
        comment, skip = self._layout.comment, self._layout.skip
        for line in self._layout.source.lines(self._file):
            self._line += 1
            if self._line <= skip or (comment and self._fresh and line.startswith(comment)):
                continue
            if self._fresh:
                self.began = self._line
                self._fresh = False
            yield line

    def one_by_one(self) -> Iterator[list[str]]:
        """Give each row, its line in ``began``."""
        while True:
            self._fresh = True
            try:
                row = next(self._reader)
            except self._error:
                raise self._too_long() from None
            if row == [END]:
                return
            if any(END in cell for cell in row):
                raise self._layout.fault(self.began, 'the quote (") that opens in this row is never closed')
            if row and not self._blank(row):
                yield row

    def blocks(self) -> Iterator[list[list[str]]]:
        """Give lists of rows."""
        slow = self.one_by_one() if self._layout.comment else None
        ended = False
        while not ended:
            try:
                block = list(islice(slow or self._reader, self._block))
            except self._error:
                raise self._too_long() from None
            ended = not block
            if block and any(END in cell for cell in block[-1]):
                if block.pop() != [END]:
                    for _ in _Rows(self._layout).one_by_one():  # once more, to say in which line
                        pass
                ended = True
            if not all(block) or any(map(self._blank, block)):
                block = [row for row in block if row and not self._blank(row)]
            if block:
                yield block

    def _blank(self, row: Sequence[str]) -> bool:
        return len(row) == 1 and not self._one_column and (not row[0] or row[0].isspace())

    def _too_long(self) -> DataError:
        told = f"a cell is longer than {self._limit} characters. Is a quote not closed?"
        return self._layout.fault(self._line, f"{told} If it is right, allow more: csv.field_size_limit(n)")


def _line_of(layout: Layout, row: int, width: int) -> int:
    """Return the line in which a row begins, by reading once more."""
    with _Rows(layout, width) as rows:
        for _ in islice(rows.one_by_one(), row + 1):
            pass
        return rows.began


def _sample(layout: Layout) -> tuple[list[str], bool]:
    """Return the first lines, and whether there are more."""
    lines: list[str] = []
    size = 0
    with layout.source.open() as file:
        for number, line in enumerate(layout.source.lines(file), 1):
            if size >= SAMPLE:
                return lines, True
            if number > layout.skip and not (layout.comment and line.startswith(layout.comment)):
                lines.append(line)
                size += len(line)
    return lines, False


def _cut(lines: Sequence[str], more: bool, delimiter: str) -> list[list[str]]:
    """Return the rows of a sample, cut by a delimiter."""
    import csv

    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != " "))
    except csv.Error:  # a cell that is too long, perhaps because the delimiter is another
        return []
    if more and len(rows) > 1:
        rows.pop()  # a cell of several lines may be cut off
    return [row for row in rows if row and row != [""]]


def _sniffed(layout: Layout) -> Layout:
    """Tell the delimiter: the one by which the most rows have as many cells as the first."""
    lines, more = _sample(layout)
    first = next((line for line in lines if line.strip()), "").rstrip("\r\n")
    if first[:4].lower() == "sep=" and len(first) == 5:  # a line that spreadsheets put in front
        before = next(i for i, line in enumerate(lines) if line.strip())
        return layout._replace(delimiter=first[4], skip=layout.skip + before + 1)
    best, share = ",", 0.0
    for delimiter in DELIMITERS:
        widths = [len(row) for row in _cut(lines, more, delimiter)]
        if widths and widths[0] > 1 and widths.count(widths[0]) > share * len(widths):
            best, share = delimiter, widths.count(widths[0]) / len(widths)
    return layout._replace(delimiter=best)


def _decimal(layout: Layout, header: bool, missing: frozenset[str]) -> str:
    """Tell whether numbers are written with a comma: a column needs it, and none a point."""
    if layout.delimiter == ",":
        return "."
    rows = _cut(*_sample(layout), layout.delimiter)[header:]
    comma = False
    for cells in zip_longest(*rows, fillvalue=""):
        present = [text for cell in cells if (text := cell.strip()) not in missing]
        if present and all(map(WITH_COMMA.fullmatch, present)):
            comma = comma or any("," in text for text in present)
        elif any("." in text for text in present) and all(map(POINT.fullmatch, present)):
            return "."
    return "," if comma else "."


def _names(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a name of its own for each column, and notes on those that had none."""
    names: list[str] = []
    notes: list[str] = []
    taken = {name.strip() for name in given}
    for i, cell in enumerate(given, 1):
        name = base = cell.strip() or f"column_{i}"
        if name in names or not cell.strip():
            tries = (f"{base}_{n}" for n in count(2))
            if name in taken:
                name = next(name for name in tries if name not in taken)
            notes.append(
                f"column {i} is named {cell.strip()!r}"
                + (" again" if cell.strip() else "")
                + f": it is read as {name!r}."
            )
            taken.add(name)
        names.append(name)
    return names, notes


def read_csv(
    path: Path | IO[Any],
    *,
    delimiter: str | None = None,
    header: bool | Sequence[str] = True,
    columns: Collection[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    missing: Iterable[str] = MISSING,
    decimal: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    skip_lines: int = 0,
    max_categories: int = 1000,
) -> Table:
    """Read a CSV file into a `Table`, telling the kind of each column from all of its cells.

    A column is of the kind ``"number"`` if every cell is one (also ``1e5``, ``inf``, ``"1,234.5"``); texts are of
    the kind ``"date"`` if every one is, such as ``2024-01-31 12:00`` or ``31.1.2024``; ``"category"`` if each occurs
    twice on average (or there are at most two) and there are at most ``max_categories``; else ``"text"``. What
    begins with a zero (``007``) and whole numbers that float64 would round are ids, not numbers. Spaces around a
    cell do not count.

    Cells in quotes may hold delimiters, line ends and doubled quotes; lines end at LF, CR LF or CR; blank lines are
    left out; gzip is unpacked. A file is read in blocks: what is held beside the result is a few MB. Where a column
    turns out late to be no number the file is read a second time.

    Args:
        path: a path, or an open file of bytes or text, which is read into memory.
        delimiter: one character; ``None`` tells ``,``, ``;``, ``|`` and the tab apart.
        header: whether the first row has the names; a list gives the names of a file without them. Without
            names columns are called ``column_1`` and so on, as are those with an empty name; the second of one
            name is called ``name_2``. ``Table.notes`` says so.
        columns: read these alone.
        kinds: the kinds of columns where they are known. A cell of a ``"number"`` that is none is an error.
        missing: texts that stand for no value, also in lower and upper case.
        decimal: ``"."`` or ``","``; ``None`` tells them apart where the delimiter is not the comma.
        encoding: ``None`` is UTF-8, or UTF-16 or UTF-32 where the file shows it.
        comment: lines that begin with this are left out.
        skip_lines: so many lines are left out at the start.
        max_categories: see above.

    Returns:
        The table.

    Raises:
        DataError: the file is no CSV, is in another encoding, has rows of several lengths (which line is told), an
            open quote, or a cell that is not of the kind it was told to be.
        ArgumentError: an option makes no sense, or a column is not in the file.

    Example:
        >>> import io
        >>> from backburner import data
        >>> table = data.read_csv(io.StringIO('name;price\\n"Smith; John";1,5\\nn/a;2,25\\n'))
        >>> table["price"].values.tolist(), table["name"].strings().tolist()
        ([1.5, 2.25], ['Smith; John', ''])
    """
    if delimiter is not None and (
        not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'
    ):
        raise ArgumentError(f"read_csv: the delimiter is one character, not {delimiter!r}.")
    if decimal not in (None, ".", ","):
        raise ArgumentError(f"read_csv: decimal is '.' or ',', not {decimal!r}.")
    if decimal is not None and decimal == delimiter == ",":
        raise ArgumentError("read_csv: the comma cannot be both delimiter and decimal mark.")
    for name, value in {"skip_lines": skip_lines, "max_categories": max_categories}.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ArgumentError(f"read_csv: {name} is a number of at least 0, not {value!r}.")
    if isinstance(missing, str) or isinstance(columns, str):
        raise ArgumentError("read_csv: missing and columns are lists of texts, not one text.")
    words = frozenset(form for word in missing for form in (word, word.lower(), word.upper()))
    layout = Layout(Source("read_csv", path, encoding), delimiter or ",", comment or None, skip_lines)
    if delimiter is None:
        layout = _sniffed(layout)
    with _Rows(layout) as rows:
        first = next(rows.one_by_one(), None)
    if first is None and isinstance(header, bool):
        raise DataError(f"read_csv: {layout.source.name} has no rows.")
    named = header is True
    if isinstance(header, bool):
        given = list(first or ()) if named else [""] * len(first or ())
    else:
        given = list(header)
    names, notes = _names(given)
    notes = notes if header is not False else []
    if named and len(names) > 1 and all(map(_is_number, names)):
        notes.append("the names of all columns are numbers. If the file has no names, give header=False.")
    wanted = list(names) if columns is None else [name for name in names if name in set(columns)]
    for name in [*(columns or ()), *(kinds or ())]:
        if name not in names:
            raise MissingColumn("read_csv", name, names)
    for name, kind in (kinds or {}).items():
        if kind not in KINDS:
            raise ArgumentError(f"read_csv: the kind of {name!r} is one of {', '.join(KINDS)}, not {kind!r}.")
    mark = decimal or _decimal(layout, named, words)
    reading = Reading(words, mark, max_categories)
    found, total = _columns(layout, names, named, wanted, kinds or {}, reading)
    return Table({name: found[name] for name in wanted}, rows=total, notes=notes)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _columns(
    layout: Layout,
    names: Sequence[str],
    named: bool,
    wanted: Sequence[str],
    kinds: Mapping[str, Kind],
    reading: Reading,
) -> tuple[dict[str, Column], int]:
    """Read the columns, and once more those that turn out late to be no numbers."""
    told = reading._replace(told=True)
    builders: dict[str, Numbers | Texts] = {}
    for name in wanted:
        kind = kinds.get(name)
        builders[name] = (
            Numbers(told if kind else reading) if kind in (None, "number") else Texts(reading, kind)
        )
    again = _pass(layout, names, named, builders, kinds)
    found = {name: builder.finish() for name, builder in builders.items() if name not in again.late}
    if again.late:
        builders = {name: Texts(reading, None) for name in again.late}
        if _pass(layout, names, named, builders, kinds).rows != again.rows:
            raise DataError(f"read_csv: {layout.source.name} has changed while it was read. Try again.")
        found |= {name: builder.finish() for name, builder in builders.items()}
    return found, again.rows


class _Pass(NamedTuple):
    """What one pass over a file found: its rows, and the columns that were no numbers in a later block."""

    rows: int
    late: list[str]


def _pass(
    layout: Layout,
    names: Sequence[str],
    named: bool,
    builders: dict[str, Numbers | Texts],
    kinds: Mapping[str, Kind],
) -> _Pass:
    width = len(names)
    total = 0
    late: list[str] = []
    places = [(name, i) for i, name in enumerate(names) if name in builders]
    with _Rows(layout, width) as rows:
        if named:
            next(rows.one_by_one())
        for block in rows.blocks():
            if set(map(len, block)) != {width}:
                i = next(i for i, row in enumerate(block) if len(row) != width)
                line = _line_of(layout, total + i + named, width)
                raise layout.fault(
                    line,
                    f"{len(block[i])} cells where there are {width} columns. Mend the line, or give another "
                    f"delimiter than {layout.delimiter!r}",
                )
            cells = list(zip(*block, strict=True))
            for name, i in places:
                if name in late or builders[name].add(cells[i]):
                    continue
                if name in kinds:
                    row = next(
                        row for row, cell in enumerate(cells[i]) if not _fits(cell, builders[name].reading)
                    )
                    line = _line_of(layout, total + row + named, width)
                    raise layout.fault(
                        line, f"the column {name!r} is told to be numbers, and {cells[i][row]!r} is none"
                    )
                if total:
                    late.append(name)
                else:
                    builders[name] = Texts(builders[name].reading, None)
                    builders[name].add(cells[i])
            total += len(block)
    return _Pass(total, late)


def _fits(cell: str, reading: Reading) -> bool:
    try:
        number(cell, reading)
    except ValueError:
        return False
    return True
