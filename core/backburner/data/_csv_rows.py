"""The rows of a CSV file, and the lines in which they begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from backburner.data._csv_source import Source
from backburner.errors import DataError

CELLS = 1 << 17  # in a block of rows: what is held as text at one time
LEAST = 64  # rows in a block, also of a table of very many columns
BLANK = " \t\r\n\v\f\xa0\x1a"  # of a blank line; the last is what DOS put at the end of a text
END = "\0end\0"  # a row put behind the last: it is swallowed where a quote stays open


class Layout(NamedTuple):
    """How the lines of a file make rows."""

    source: Source
    delimiter: str
    comment: str | None
    skip: int

    def fault(self, line: int, what: str) -> DataError:
        """Return the error that something is wrong in a line."""
        return DataError(f"{self.source.op}: {self.source.name}, line {line}: {what}.")


class Rows:
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

    def __enter__(self) -> Rows:
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
                    for _ in Rows(self._layout).one_by_one():  # once more, to say in which line
                        pass
                ended = True
            if not all(block) or any(map(self._blank, block)):
                block = [row for row in block if row and not self._blank(row)]
            if block:
                yield block

    def _blank(self, row: Sequence[str]) -> bool:
        return len(row) == 1 and not self._one_column and not row[0].strip(BLANK)

    def _too_long(self) -> DataError:
        told = f"a cell is longer than {self._limit} characters. Is a quote not closed?"
        more = "If it is right, shorten it, or in Python allow more: csv.field_size_limit(n)"
        return self._layout.fault(self._line, f"{told} {more}")


def line_of(layout: Layout, row: int, width: int) -> int:
    """Return the line in which a row begins, by reading once more."""
    with Rows(layout, width) as rows:
        for _ in islice(rows.one_by_one(), row + 1):
            pass
        return rows.began
