"""The directory of a zip archive, and its files as bytes, without extracting anything.

Only what a directory may claim is checked here: where each file lies, that none overlaps another, and that no
name comes twice. Names are never used as paths.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from backburner.record._dtypes import Array, Malformed

STORED, DEFLATED = 0, 8
FILES = 500_000  # in one archive
INFLATED = 256 * 2**20  # bytes that compressed files may have, or
INFLATION = 20  # times the size of the archive
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_LOCAL = struct.Struct("<4s5H3I2H")
_END = struct.Struct("<4s4H2IH")
_END64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR = struct.Struct("<4sIQI")


class File(NamedTuple):
    """Where a file lies in the archive: ``packed`` bytes from ``begin`` on, ``size`` when unpacked."""

    method: int
    begin: int
    packed: int
    size: int
    crc: int


def directory(data: Array) -> dict[str, File]:
    """Return the files of the archive by name.

    Raises:
        Malformed: it is truncated, or breaks the format, or unpacks to far more than it is.
    """
    count, size, begin = _end(data)
    if count > FILES or begin + size > data.size or count * _CENTRAL.size > size:
        raise Malformed("its directory of files is broken")
    table = data.data[begin : begin + size]
    found: dict[str, File] = {}
    position = 0
    for _ in range(count):
        name, file, position = _entry(data, table, position)
        if name in found:
            raise Malformed(f"it has two files called {name[:80]!r}")
        found[name] = file
    end = 0
    for file in sorted(found.values(), key=lambda file: file.begin):
        if file.begin < end:
            raise Malformed("files in it overlap. It is broken, or made to do harm")
        end = file.begin + file.packed
    inflated = sum(file.size for file in found.values() if file.method == DEFLATED)
    if inflated > max(INFLATED, INFLATION * data.size):
        raise Malformed(
            f"it unpacks to {inflated:,} bytes from {data.size:,}. It is broken, or made to do harm"
        )
    return found


def _end(data: Array) -> tuple[int, int, int]:
    """Return how many files there are, and the size and place of the directory."""
    tail_begin = max(0, data.size - 65_557)  # the longest comment and the record before it
    tail = data[tail_begin:].tobytes()
    place = tail.rfind(b"PK\5\6")
    if place < 0 or len(tail) - place < _END.size:
        raise Malformed("it is truncated: the directory at the end of the zip archive is missing")
    _, disk, first, _, count, size, begin, _ = _END.unpack_from(tail, place)
    locator = tail_begin + place - _LOCATOR.size
    if locator >= 0 and data[locator : locator + 4].tobytes() == b"PK\6\7":
        _, disk, place64, _ = _LOCATOR.unpack_from(data.data, locator)
        if place64 > data.size - _END64.size or data[place64 : place64 + 4].tobytes() != b"PK\6\6":
            raise Malformed("its directory of files is broken")
        _, _, _, _, disk, first, _, count, size, begin = _END64.unpack_from(data.data, place64)
    if disk or first:
        raise Malformed("it is a part of a zip archive in several files")
    return count, size, begin


def _entry(data: Array, table: memoryview, position: int) -> tuple[str, File, int]:
    if position + _CENTRAL.size > len(table):
        raise Malformed("its directory of files is broken")
    signature, _, _, flags, method, _, _, crc, packed, size, *lengths, _, _, _, begin = _CENTRAL.unpack_from(
        table, position
    )
    start = position + _CENTRAL.size
    ends = [start]
    for length in lengths:  # of the name, the extra fields, the comment
        ends.append(ends[-1] + length)
    if signature != b"PK\1\2" or ends[-1] > len(table):
        raise Malformed("its directory of files is broken")
    try:
        name = bytes(table[start : ends[1]]).decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("a name in it is not UTF-8") from None
    size, packed, begin = _wide(table[ends[1] : ends[2]], [size, packed, begin])
    if flags & 1:
        raise Malformed(f"its file {name[:80]!r} is encrypted")
    if method not in (STORED, DEFLATED) or method == STORED and size != packed:
        raise Malformed(f"its file {name[:80]!r} is compressed in a way unknown here ({method})")
    if begin + _LOCAL.size > data.size or data[begin : begin + 4].tobytes() != b"PK\3\4":
        raise Malformed(f"its file {name[:80]!r} is not where the directory says")
    *_, name_length, extra_length = _LOCAL.unpack_from(data.data, begin)
    begin += _LOCAL.size + name_length + extra_length
    if begin + packed > data.size:
        raise Malformed(f"its file {name[:80]!r} is truncated")
    return name, File(method, begin, packed, size, crc), ends[-1]


def _wide(extra: memoryview, values: list[int]) -> list[int]:
    """Return sizes and place, from the zip64 field where they do not fit 32 bits."""
    if 0xFFFFFFFF not in values:
        return values
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        if kind == 1:
            field = extra[4 : 4 + length]
            fields = list(struct.unpack_from(f"<{len(field) // 8}Q", field))
            return [fields.pop(0) if x == 0xFFFFFFFF and fields else x for x in values]
        extra = extra[4 + length :]
    return values


def content(data: Array, file: File, name: str) -> Array:
    """Return the bytes of a file, a view where it is not compressed.

    Raises:
        Malformed: the compressed bytes are broken.
    """
    packed = data[file.begin : file.begin + file.packed]
    if file.method == STORED:
        return packed
    import zlib

    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        found = np.frombuffer(unpacker.decompress(packed.data, file.size + 1), np.uint8)
    except zlib.error:
        found = np.zeros(0, np.uint8)
    if found.size != file.size or zlib.crc32(found.data) != file.crc:
        raise Malformed(f"its file {name[:80]!r} is broken: it does not unpack to what the archive says")
    return found
