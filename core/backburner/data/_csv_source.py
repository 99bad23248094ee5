"""Where the text of a CSV file comes from: its encoding, its compression, and what is no CSV at all."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import IO, Any, cast

from backburner.errors import ArgumentError, DataError

HEAD = 4096  # bytes to tell the encoding from
Path = str | os.PathLike[str]

# What people mistake for CSV, by its first bytes.
OTHERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet (.xlsx). Unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet (.xls). Save the sheet as CSV",
    b"PAR1": "a Parquet file. Write it as CSV",
    b"ARROW1": "an Arrow file. Write it as CSV",
    b"\x93NUMPY": "a NumPy array. Use numpy.load",
    b"\x89PNG": "a PNG image",
    b"%PDF": "a PDF document",
    b"version https://git-lfs": "a Git-LFS pointer. Run: git lfs pull",
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
        if head.lstrip()[:9].lower() in (b"<!doctype", b"<html") or head.lstrip()[:5].lower() == b"<html":
            raise DataError(
                f"{self.op}: {self.name} is a web page, not the file. Was a login needed to get it?"
            )
        if encoding is not None:
            import codecs

            try:
                codecs.lookup(encoding)
            except LookupError:
                raise ArgumentError(f"{self.op}: Python knows no encoding {encoding!r}.") from None
            return encoding
        for mark, name in MARKS.items():
            if head.startswith(mark):
                return name
        if b"\0" in head:
            even, odd = head[::2].count(0), head[1::2].count(0)
            if max(even, odd) * 4 < len(head):
                raise DataError(f"{self.op}: {self.name} is no text: it has zero bytes.")
            return "utf-16-be" if even > odd else "utf-16-le"
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
            at = error.object[error.start] if isinstance(error, UnicodeDecodeError) else 0
            raise DataError(
                f"{self.op}: {self.name} is not in {self.encoding}: the byte 0x{at:02x} after line {number}."
                ' Give encoding=: it may be "cp1252".'
            ) from None
        except self._damage as error:
            raise DataError(f"{self.op}: {self.name} is a damaged gzip file: {error}.") from None
