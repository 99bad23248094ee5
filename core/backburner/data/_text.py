"""Lines of a text file by number."""

from __future__ import annotations

import codecs
import os
from typing import Any

import numpy as np

from backburner.contracts import Array
from backburner.data._dataset import place
from backburner.errors import ArgumentError, DataError

BLOCK = 1 << 22  # bytes that are looked through at a time; a multiple of 4, the widest unit of an encoding


class TextLines:
    """The lines of a text file, read when they are asked for.

    Only where each line begins is held, 8 bytes a line. Lines end at LF or CR LF, which do not belong to them; the
    last one may lack its end. A byte order mark at the start is left out.

    Args:
        path: of the file, which must not change while this is in use.
        encoding: as Python knows it; ``"utf-16"`` and ``"utf-32"`` go by the byte order mark.

    Raises:
        ArgumentError: Python does not know the encoding.
        DataError: when a line is asked for: it is not in the encoding, or the file has changed.

    Example:
        >>> import os, tempfile
        >>> from backburner import data
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "poem.txt")
        ...     with open(path, "w", newline="") as file:
        ...         written = file.write("to be\\r\\nor not")
        ...     lines = data.TextLines(path)
        ...     len(lines), lines[0], lines[-1]
        (2, 'to be', 'or not')
    """

    def __init__(self, path: str | os.PathLike[str], *, encoding: str = "utf-8") -> None:
        self.path = os.fspath(path)
        try:
            name = codecs.lookup(encoding).name
        except LookupError:
            raise ArgumentError(f"TextLines: Python knows no encoding {encoding!r}.") from None
        with open(self.path, "rb") as file:
            head = file.read(4)
            self._size = os.fstat(file.fileno()).st_size
            self._encoding, skip = _marked(name, head)
            self._starts = self._ends_of_lines(file, skip)

    def _ends_of_lines(self, file: Any, skip: int) -> Array:
        """Return where each line begins, and behind them where the last one ends."""
        unit = _unit(self._encoding)
        file.seek(0)
        found = [np.array([skip], np.int64)]
        position = 0
        while block := file.read(BLOCK):
            usable = len(block) - len(block) % unit.itemsize
            ends = np.flatnonzero(np.frombuffer(block[:usable], unit) == 10) + 1
            found.append(position + ends * unit.itemsize)
            position += len(block)
        if found[-1].size == 0 or found[-1][-1] != position:
            found.append(np.array([position], np.int64))  # of a last line without its end
        starts = np.concatenate(found)
        return starts[:1] if len(starts) == 2 and starts[0] == starts[1] else starts

    def __len__(self) -> int:
        return max(len(self._starts) - 1, 0)

    def __getitem__(self, index: int) -> str:
        """Return a line without its end."""
        number = place("TextLines", index, len(self))
        start, end = self._starts[number : number + 2].tolist()
        # Opened for each line, so that threads, forks and pickles need no care: some 10 us.
        with open(self.path, "rb") as file:
            if os.fstat(file.fileno()).st_size != self._size:
                raise DataError(f"TextLines: {self.path} has changed since it was opened. Open it anew.")
            file.seek(start)
            held = file.read(end - start)
        try:
            line = held.decode(self._encoding)
        except UnicodeError as error:
            raise DataError(
                f"TextLines: {self.path}, line {number + 1}: {error}. Give the encoding that it is in."
            ) from None
        return line.removesuffix("\n").removesuffix("\r")

    def __repr__(self) -> str:
        return f"TextLines({self.path!r}, {len(self)} lines)"


def _marked(name: str, head: bytes) -> tuple[str, int]:
    """Return the encoding without a byte order mark, and how many bytes that takes."""
    if name in ("utf-8", "utf-8-sig"):
        return "utf-8", 3 if head.startswith(codecs.BOM_UTF8) else 0
    for family, little, big in (
        ("utf-16", codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
        ("utf-32", codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    ):
        if name in (family, f"{family}-le", f"{family}-be"):
            order = "-be" if head.startswith(big) or name.endswith("-be") else "-le"
            marked = head.startswith(big if order == "-be" else little)
            return family + order, len(little) if marked else 0
    return name, 0


def _unit(encoding: str) -> np.dtype[Any]:
    """Return the integers that an encoding is made of."""
    width = {"utf-16": 2, "utf-32": 4}.get(encoding[:6], 1)
    return np.dtype(f"{'>' if encoding.endswith('-be') else '<'}u{width}")
