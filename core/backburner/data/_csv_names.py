"""The names of a CSV file's columns, without reading its rows."""

from __future__ import annotations

from backburner.data._csv import _names, check_delimiter
from backburner.data._csv_rows import Layout, Rows
from backburner.data._csv_sniff import sniffed
from backburner.data._csv_source import Path, Source
from backburner.errors import DataError


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
