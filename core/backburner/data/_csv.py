"""CSV files from the wild, read with NumPy and the standard library."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count, zip_longest
from typing import IO, Any, NamedTuple

from backburner.data._csv_columns import (
    POINT,
    WITH_COMMA,
    Numbers,
    Reading,
    Texts,
    matcher,
    number,
    undressed,
)
from backburner.data._csv_source import Layout, Path, Rows, Source, line_of
from backburner.data._table import KINDS, Column, Kind, MissingColumn, Table
from backburner.errors import ArgumentError, DataError

SAMPLE = 1 << 16  # characters
DELIMITERS = "\t;|,"  # in this order where several fit: commas occur in text most of all


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


def _split_rows(lines: Sequence[str], more: bool, delimiter: str) -> list[list[str]]:
    """Return the rows of a sample, cut by a delimiter."""
    import csv

    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != " "))
    except csv.Error:  # a cell that is too long, perhaps because the delimiter is another
        return []
    if more and len(rows) > 1:
        rows.pop()  # a cell of several lines may be cut off
    return [row for row in rows if row and row != [""]]


def sniffed(layout: Layout) -> Layout:
    """Tell the delimiter: the one by which the most rows have as many cells as the first."""
    lines, more = _sample(layout)
    first = next((line for line in lines if line.strip()), "").rstrip("\r\n")
    first = first.strip('"')
    # A line that spreadsheets put in front, with delimiters behind where something saved the file once more.
    if first[:4].lower() == "sep=" and len(first) > 4 and not first[4:].strip(first[4]):
        before = next(i for i, line in enumerate(lines) if line.strip())
        return layout._replace(delimiter=first[4], skip=layout.skip + before + 1)
    best, share = ",", 0.0
    for delimiter in DELIMITERS:
        widths = [len(row) for row in _split_rows(lines, more, delimiter)]
        if widths and widths[0] > 1 and widths.count(widths[0]) > share * len(widths):
            best, share = delimiter, widths.count(widths[0]) / len(widths)
    return layout._replace(delimiter=best)


def decimal_mark(layout: Layout, header: bool, missing: frozenset[str]) -> str:
    """Tell whether numbers are written with a comma: a column needs it, and none a point."""
    if layout.delimiter == ",":
        return "."
    rows = _split_rows(*_sample(layout), layout.delimiter)[header:]
    comma = False
    for cells in zip_longest(*rows, fillvalue=""):
        present = [undressed(text) for cell in cells if (text := cell.strip()) not in missing]
        if present and all(map(matcher(WITH_COMMA), present)):
            comma = comma or any("," in text for text in present)
        elif any("." in text for text in present) and all(map(matcher(POINT), present)):
            return "."
    return "," if comma else "."


MISSING = (
    *("", "NA", "N/A", "n.a.", "#N/A", "<NA>", "NaN", "NaT", "null", "(null)", "\\N", "?", "-", "--", "."),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"),
)
UNSET = frozenset({"None", "none", "NONE"})  # of numbers no value, but of texts perhaps a category


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


def check_delimiter(delimiter: Any) -> None:
    """Refuse what cannot be between cells."""
    if delimiter is None:
        return
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise ArgumentError(f"read_csv: the delimiter is one character, not {delimiter!r}.")
    if delimiter in '"\r\n':
        raise ArgumentError(
            f"read_csv: the delimiter is no quote and no line end, as {delimiter!r} is. Give another."
        )


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

    A column is of the kind ``"number"`` if every cell is one (also ``1e5``, ``inf``, ``"1,234.5"``, ``12 %``,
    ``$1 234``, ``(300)``, which is -300); texts are of the kind ``"date"`` if every one is, such as ``2024-01-31 12:00`` or ``31.1.2024``; ``"category"`` if each occurs
    twice on average (or there are at most two) and there are at most ``max_categories``; else ``"text"``. What
    begins with a zero (``007``) and whole numbers that float64 would round are ids, not numbers. Spaces around a
    cell do not count.

    Cells in quotes may hold delimiters, line ends and doubled quotes; lines end at LF, CR LF or CR; blank lines are
    left out, and so are empty cells behind the last column; gzip is unpacked. A file is read in blocks: what is held
    beside the result is a few MB. Where a column turns out late to be no number the file is read a second time.

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
    check_delimiter(delimiter)
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
        layout = sniffed(layout)
    with Rows(layout) as rows:
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
    if named and len(names) > 1 and 2 * sum(map(_is_number, names)) >= len(names):
        notes.append(
            f"names of columns, such as {next(filter(_is_number, names))!r}, are numbers. If the file has no names, "
            "put a line with them at its top, or in Python give header=False."
        )
    wanted = list(names) if columns is None else [name for name in names if name in set(columns)]
    for name in [*(columns or ()), *(kinds or ())]:
        if name not in names:
            raise MissingColumn("read_csv", name, names)
    for name, kind in (kinds or {}).items():
        if kind not in KINDS:
            raise ArgumentError(f"read_csv: the kind of {name!r} is one of {', '.join(KINDS)}, not {kind!r}.")
    mark = decimal or decimal_mark(layout, named, words)
    reading = Reading(words, mark, max_categories, unset=UNSET if missing is MISSING else frozenset())
    found, total = _columns(layout, names, named, wanted, kinds or {}, reading, notes)
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
    notes: list[str],
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
    notes += again.notes
    if again.late:
        builders = {name: Texts(reading, None) for name in again.late}
        if _pass(layout, names, named, builders, kinds).rows != again.rows:
            raise DataError(f"read_csv: {layout.source.name} has changed while it was read. Try again.")
        found |= {name: builder.finish() for name, builder in builders.items()}
    return found, again.rows


class _Pass(NamedTuple):
    """What one pass over a file found: its rows, the columns that were no numbers in a later block, and notes."""

    rows: int
    late: list[str]
    notes: list[str]


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
    notes: list[str] = []
    places = [(name, i) for i, name in enumerate(names) if name in builders]
    with Rows(layout, width) as rows:
        if named:
            next(rows.one_by_one())
        for block in rows.blocks():
            if set(map(len, block)) != {width}:
                block = [row if any(map(str.strip, row[width:])) else row[:width] for row in block]
            if set(map(len, block)) != {width}:
                i = next(i for i, row in enumerate(block) if len(row) != width)
                what = (
                    f"{len(block[i])} cells where there are {width} columns. Mend the line, or give another "
                )
                what += f"delimiter than {layout.delimiter!r}"
                if named and total + i == 0:
                    what = f"{len(block[i])} cells below {width} names. Give every row a cell for each name. If the names "
                    what += "stand in a later line, delete those above it, or in Python give skip_lines="
                raise layout.fault(line_of(layout, total + i + named, width), what)
            cells = list(zip(*block, strict=True))
            for name, i in places:
                if name in late or builders[name].add(cells[i]):
                    continue
                if name in kinds:
                    row = next(
                        row for row, cell in enumerate(cells[i]) if not _fits(cell, builders[name].reading)
                    )
                    line = line_of(layout, total + row + named, width)
                    raise layout.fault(
                        line,
                        f"the column {name!r} is told to be numbers, and {_cut(cells[i][row])} is none. "
                        "Mend that cell, or leave it empty",
                    )
                odd = _odd(cells[i], builders[name].reading)
                if odd is not None:
                    notes.append(
                        f"column {name!r} is not read as numbers, which most of its cells are, because of {_cut(odd)}. "
                        "If that stands for no value, empty those cells, or in Python add it to missing=."
                    )
                if total:
                    late.append(name)
                else:
                    builders[name] = Texts(builders[name].reading, None)
                    builders[name].add(cells[i])
            total += len(block)
    return _Pass(total, late, notes)


def _cut(text: str) -> str:
    """Return a cell for a message, in quotes and of one line."""
    return repr(text if len(text) <= 60 else text[:60] + "...")


def _fits(cell: str, reading: Reading) -> bool:
    try:
        number(cell, reading)
    except ValueError:
        return False
    return True


def _odd(cells: Sequence[str], reading: Reading) -> str | None:
    """Return a cell that is no number, where ten times as many are."""
    told = reading._replace(told=True)
    present = [cell for cell in cells if cell.strip() not in reading.missing]
    odd = [cell for cell in present if not _fits(cell, told)]
    return odd[0] if odd and len(present) > 10 * len(odd) else None


def csv_names(path: Path, *, delimiter: str | None = None, encoding: str | None = None) -> tuple[str, ...]:
    """Return the names that `read_csv` gives the columns of a file whose first row has them.

    Args:
        path: the file.
        delimiter: as for `read_csv`.
        encoding: as for `read_csv`.

    Raises:
        ArgumentError: the delimiter or the encoding makes no sense.
        DataError: the file is no CSV, or is empty.
        OSError: it cannot be read.

    Example:
        >>> import io
        >>> from backburner import data
        >>> data.csv_names(io.StringIO("size;price\\n1,5;2\\n"))
        ('size', 'price')
    """
    check_delimiter(delimiter)
    layout = Layout(Source("read_csv", path, encoding), delimiter or ",", None, 0)
    if delimiter is None:
        layout = sniffed(layout)
    with Rows(layout) as rows:
        first = next(rows.one_by_one(), None)
    if first is None:
        raise DataError(f"read_csv: {layout.source.name} has no rows.")
    return tuple(_names(first)[0])
