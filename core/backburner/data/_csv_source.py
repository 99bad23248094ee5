"""The text of a CSV file, with its encoding and its compression, and the rows and lines in it."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import IO, Any, NamedTuple, cast

from backburner.errors import ArgumentError, DataError

HEAD = 4096  # bytes to tell the encoding from
Path = str | os.PathLike[str]

# What people mistake for CSV, by its first bytes.
OTHERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet (.xlsx). Unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet (.xls). Save the sheet as CSV",
    b"PAR1\x15": "a Parquet file. Write it as CSV",
    b"ARROW1\0\0": "an Arrow file. Write it as CSV",
    b"\x93NUMPY": "a NumPy array. Use numpy.load",
    b"\x89PNG": "a PNG image, no table",
    b"\xff\xd8\xff": "a JPEG image, no table",
    b"%PDF": "a PDF document. Save its table as CSV",
    b"{\\rtf": "a text document (.rtf). Save its table as CSV",
    b"BZh91AY": "compressed with bzip2. Unpack it: bunzip2",
    b"\xfd7zXZ": "compressed with xz. Unpack it: unxz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd. Unpack it: unzstd",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive. Unpack it",
    b"Rar!\x1a": "a RAR archive. Unpack it",
    b"\x89HDF": "an HDF5 file. Write its table as CSV",
    b"Obj\x01": "an Avro file. Write it as CSV",
    b"SQLite format 3": "an SQLite database. Write its table as CSV: sqlite3 -header -csv FILE 'select * from ...'",
    b"$FL2@": "an SPSS file. Write it as CSV",
    b"<stata_dta>": "a Stata file. Write it as CSV",
    b"\x00" * 12 + b"\xc2\xea\x81\x60": "a SAS file. Write it as CSV",
    b"X\n\x00\x00": "an R object (.rds). Write it as CSV: write.csv(x, file, row.names=FALSE)",
    b"RDX3\n": "an R workspace. Write its table as CSV: write.csv(x, file, row.names=FALSE)",
    b"\x7fELF": "a program, no table",
    b"version https://git-lfs": "a Git-LFS pointer. Run: git lfs pull",
}
TEXTS = {  # in lower case, behind spaces
    b"@relation": "an ARFF file. Write it as CSV: a line of names, then what follows @data",
    b"<?xml": "an XML file. Write its table as CSV",
}
# The longest first: the mark of UTF-32 begins with that of UTF-16.
MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


class Source:
    """Text that can be read from its start again and again.

    Args:
        op: who asks, for messages.
        given: a path, or an open file of bytes or text, which is read into memory.
        encoding: ``None`` is what a byte order mark says, UTF-16 where every second byte is zero, else UTF-8.
    """

    def __init__(self, op: str, given: Path | IO[Any], encoding: str | None) -> None:
        self.op = op
        self.text: str | None = None
        self.bytes: bytes | None = None
        self.path: Path = ""
        if isinstance(given, str | os.PathLike):
            self.path = given
            self.name = os.fspath(given)
            if os.path.exists(given) and not (os.path.isfile(given) or os.path.isdir(given)):
                raise DataError(
                    f"{op}: {self.name} is a pipe or a device, which can be read only once, and a table is read more "
                    "often. Save it in a file first."
                )
            if self.name == "-" and not os.path.exists(given):
                raise DataError(
                    f"{op}: - is no file, and standard input is not read. Save it in a file first."
                )
        elif callable(getattr(given, "read", None)):
            content = given.read()
            self.name = str(getattr(given, "name", "the file"))
            if isinstance(content, str):
                self.text = content
            else:
                self.bytes = bytes(content)
        else:
            raise ArgumentError(f"{op}: a path or an open file is needed, not a {type(given).__name__}.")
        self._damage: tuple[type[Exception], ...] = ()  # what a damaged compressed file raises
        self.encoding = "" if self.text is not None else self._told(encoding)

    def _binary(self) -> IO[bytes]:
        raw: IO[bytes] = open(self.path, "rb") if self.bytes is None else io.BytesIO(self.bytes)
        packed = raw.read(2) == b"\x1f\x8b"
        if not packed:
            raw.seek(0)
            return raw
        raw.close()
        import gzip
        import zlib

        self._damage = (EOFError, gzip.BadGzipFile, zlib.error)
        return cast(IO[bytes], gzip.open(self.path if self.bytes is None else io.BytesIO(self.bytes), "rb"))

    def _told(self, encoding: str | None) -> str:
        try:
            with self._binary() as file:
                head = file.read(HEAD)
        except self._damage as error:
            raise DataError(f"{self.op}: {self.name} is a damaged gzip file: {error}.") from None
        for magic, what in OTHERS.items():
            if head.startswith(magic):
                raise DataError(f"{self.op}: {self.name} is {what}.")
        if head[257:262] == b"ustar":
            raise DataError(f"{self.op}: {self.name} is a tar archive. Unpack it: tar xf")
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
        if start[:1] in (b"{", b"[") and start[1:].lstrip()[:1] in (b'"', b"{", b"[") and start.count(b":"):
            raise DataError(
                f"{self.op}: {self.name} is JSON. Write it as CSV: a line of names, then one for each row."
            )
        for words, what in TEXTS.items():
            if start.startswith(words):
                raise DataError(f"{self.op}: {self.name} is {what}.")
        if start.startswith((b"<!doctype html", b"<html", b"<table")):
            raise DataError(
                f"{self.op}: {self.name} is a web page, not the file. Was a login needed to get it?"
            )
        if encoding is not None:
            try:
                io.TextIOWrapper(io.BytesIO(), encoding=encoding)
            except (LookupError, ValueError):
                raise ArgumentError(
                    f"{self.op}: Python knows no encoding {encoding!r} of text. Common ones are utf-8, utf-16, cp1252."
                ) from None
            return encoding
        for mark, name in MARKS.items():
            if head.startswith(mark):
                return name
        if b"\0" in head:
            even, odd = head[::2].count(0), head[1::2].count(0)
            guess = "utf-16-be" if even > odd else "utf-16-le"
            text = head.decode(guess, "replace")[:-1]  # the last character may be cut in two
            if max(even, odd) * 4 < len(head) or any(
                c == "\ufffd" or (c < " " and not c.isspace()) for c in text
            ):
                raise DataError(
                    f"{self.op}: {self.name} is no text: it has zero bytes, the first at byte {head.index(0)}. Take "
                    "them out, save the table as CSV, or give the encoding if it is UTF-16."
                )
            return guess
        return "utf-8"

    def open(self) -> IO[str]:
        """Open it from its start; line ends stay as they are."""
        if self.text is not None:
            return io.StringIO(self.text, newline="")
        return io.TextIOWrapper(cast(Any, self._binary()), encoding=self.encoding, newline="")

    def lines(self, file: IO[str]) -> Iterator[str]:
        """Give the lines, which end at CR, LF or both, with their ends and without a byte order mark.

        Raises:
            DataError: the bytes are not in the encoding.
        """
        number = 0
        try:
            for number, line in enumerate(file, 1):
                yield line.removeprefix("\ufeff") if number == 1 else line
        except UnicodeError as error:
            if self.encoding.startswith(("utf-16", "utf-32")):
                raise DataError(
                    f"{self.op}: {self.name} is not in {self.encoding}, or cut off, after line {number}. Save it "
                    "again, as UTF-8, or give its encoding."
                ) from None
            at = error.object[error.start] if isinstance(error, UnicodeDecodeError) else 0
            raise DataError(
                f"{self.op}: {self.name} is not in {self.encoding}: the byte 0x{at:02x} after line {number}."
                ' Give its encoding: it may be "cp1252".'
            ) from None
        except self._damage as error:
            raise DataError(f"{self.op}: {self.name} is a damaged gzip file: {error}.") from None


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
