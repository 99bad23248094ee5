"""The delimiter and the decimal mark of a CSV file, told from its first lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from backburner.data._csv_columns import POINT, WITH_COMMA, matcher, undressed
from backburner.data._csv_rows import Layout

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
        widths = [len(row) for row in _cut(lines, more, delimiter)]
        if widths and widths[0] > 1 and widths.count(widths[0]) > share * len(widths):
            best, share = delimiter, widths.count(widths[0]) / len(widths)
    return layout._replace(delimiter=best)


def decimal_mark(layout: Layout, header: bool, missing: frozenset[str]) -> str:
    """Tell whether numbers are written with a comma: a column needs it, and none a point."""
    if layout.delimiter == ",":
        return "."
    rows = _cut(*_sample(layout), layout.delimiter)[header:]
    comma = False
    for cells in zip_longest(*rows, fillvalue=""):
        present = [undressed(text) for cell in cells if (text := cell.strip()) not in missing]
        if present and all(map(matcher(WITH_COMMA), present)):
            comma = comma or any("," in text for text in present)
        elif any("." in text for text in present) and all(map(matcher(POINT), present)):
            return "."
    return "," if comma else "."
