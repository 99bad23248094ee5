"""``read`` and ``write``: files and arrays by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal
from weakref import WeakValueDictionary

import numpy as np

from backburner.errors import DTypeError, RecordError
from backburner.record import _files, _format
from backburner.record._format import DTYPES, Array, Malformed, Stored

Path = str | os.PathLike[str]

ALIASES = "backburner.aliases"  # in a file's metadata: {alias: stored name}, in JSON
_HALVES = {"F16", "BF16"}


@dataclass(frozen=True, slots=True)
class Record:
    """What a file of weights holds.

    Attributes:
        arrays: read-only arrays by name, aliases included. They are views of the file's bytes, so nothing is
            copied before it is used; float16 and bfloat16 are widened to float32 at each access.
        metadata: the text that was saved along.
        dtypes: what safetensors calls the dtype in the file, such as ``BF16``, by name.
        aliases: the names of tied arrays and under which name each is stored.
    """

    arrays: Mapping[str, Array]
    metadata: Mapping[str, str]
    dtypes: Mapping[str, str]
    aliases: Mapping[str, str]


class _Arrays(Mapping[str, Array]):
    """Arrays made when they are asked for; the same object for as long as somebody holds it."""

    __slots__ = ("_aliases", "_data", "_live", "_raw", "_stored")

    def __init__(self, data: Array, stored: dict[str, Stored], aliases: dict[str, str], raw: bool) -> None:
        self._data = data
        self._stored = stored
        self._aliases = aliases
        self._raw = raw
        self._live: WeakValueDictionary[str, Array] = WeakValueDictionary()

    def __getitem__(self, name: str) -> Array:
        name = self._aliases.get(name, name)
        array = self._live.get(name)
        if array is None:
            array = self._live[name] = self._make(self._stored[name])
        return array

    def _make(self, stored: Stored) -> Array:
        array = self._data[stored.begin : stored.end].view(DTYPES[stored.dtype]).reshape(stored.shape)
        if stored.dtype == "BOOL":
            array = np.asarray(
                array.view(np.uint8) != 0
            )  # a bool of any other byte than 0 and 1 would be undefined
        elif stored.dtype in _HALVES and not self._raw:
            array = _format.widen(array) if stored.dtype == "BF16" else array.astype(np.float32)
        elif not array.flags.aligned:
            array = array.copy()
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
        array.flags.writeable = False
        return array

    def __iter__(self) -> Iterator[str]:
        yield from self._stored
        yield from self._aliases

    def __len__(self) -> int:
        return len(self._stored) + len(self._aliases)

    def __contains__(self, name: object) -> bool:
        return name in self._stored or name in self._aliases

    def __repr__(self) -> str:
        return f"<{len(self)} arrays: {', '.join(list(self)[:8])}{', ...' if len(self) > 8 else ''}>"


def read(
    path: Path, *, mmap: Literal["auto"] | bool = "auto", half: Literal["float32", "raw"] = "float32"
) -> Record:
    """Read a safetensors file.

    Args:
        path: the file.
        mmap: map the file instead of reading it; by default from 64 MiB on. Mapped weights are fetched as they
            are used and shared between processes. Say False for files on a network disk, where that is far
            slower than one read, and for files that another program rewrites in place (`save` never does).
        half: ``"raw"`` leaves float16 as it is and gives bfloat16 as its bits in uint16.

    Raises:
        RecordError: the file is something else, incomplete, or breaks the format, and what it is.
        OSError: the file cannot be opened.
    """
    return read_for("record.read", path, mmap, half)


def read_for(
    op: str, path: Path, mmap: Literal["auto"] | bool, half: Literal["float32", "raw"] = "float32"
) -> Record:
    """Do what `read` does, in the name of ``op``."""
    if half not in ("float32", "raw"):
        raise RecordError(f"{op}: half is 'float32' or 'raw', not {half!r}.")
    path = _place(op, path)
    try:
        header, data = _files.load(path, mmap)
        stored, metadata = _format.parse(header, data.size)
        aliases = _aliases(metadata.pop(ALIASES, "{}"), stored)
    except Malformed as error:
        raise RecordError(f"{op}: {path}: {error}.") from None
    dtypes = {name: tensor.dtype for name, tensor in stored.items()}
    dtypes.update({alias: dtypes[name] for alias, name in aliases.items()})
    return Record(_Arrays(data, stored, aliases, half == "raw"), metadata, dtypes, aliases)


def _place(op: str, path: Path) -> str:
    try:
        return os.fspath(path)
    except TypeError:
        raise DTypeError(f"{op}: a {type(path).__name__} is not the path of a file.") from None


def _aliases(text: str, stored: Mapping[str, Stored]) -> dict[str, str]:
    import json

    try:
        aliases = json.loads(text)
    except (ValueError, RecursionError):
        aliases = None
    if not isinstance(aliases, dict):
        raise Malformed(f"{ALIASES} in its metadata is not a JSON object")
    for alias, name in aliases.items():
        if not isinstance(name, str) or name not in stored or not _format.is_unicode(alias):
            raise Malformed(
                f"{ALIASES} in its metadata makes {alias!r} the same as {name!r}, which is not there"
            )
    # Another program may have stored such a name after all: then that copy counts.
    return {alias: name for alias, name in aliases.items() if alias not in stored}


def write(
    path: Path,
    arrays: Mapping[str, Array],
    metadata: Mapping[str, str] | None = None,
    *,
    dtypes: Mapping[str, str] | None = None,
) -> None:
    """Write arrays to a safetensors file; ``path`` is the old file or the whole new one, whatever happens.

    The same arrays and metadata give the same bytes, in whatever order.

    Args:
        path: the file. Its directory exists.
        arrays: the arrays by name, of any strides and byte order.
        metadata: text to go along.
        dtypes: ``F16`` or ``BF16`` for names that are to be stored so, rounded to nearest; a `Record`'s
            ``dtypes`` stores as the file did. Bits of bfloat16 in uint16 stay as they are.

    Raises:
        RecordError: a dtype or a name that the format lacks, or a header that no reader would take.
        OSError: the file cannot be written.
    """
    write_for("record.write", path, arrays, metadata or {}, dtypes or {})


def write_for(
    op: str, path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str], dtypes: Mapping[str, str]
) -> None:
    """Do what `write` does, in the name of ``op``."""
    path = _place(op, path)
    try:
        described = {name: (_stored_as(name, x, dtypes.get(name)), x.shape) for name, x in arrays.items()}
        head, order = _format.build(described, metadata)
        _files.replace(path, _chunks(head, order, arrays, described))
    except Malformed as error:
        raise RecordError(f"{op}: {path}: {error}.") from None


def _stored_as(name: str, array: Array, wanted: str | None) -> str:
    if not isinstance(array, np.ndarray):
        raise Malformed(f"{name!r} is a {type(array).__name__}, not an array")
    try:
        own = _format.dtype_name(array.dtype)
    except Malformed as error:
        raise Malformed(f"tensor {name!r}: {error}") from None
    if wanted is None or wanted == own:
        return own
    if wanted in _HALVES and array.dtype.kind == "f" or (wanted, own) == ("BF16", "U16"):
        return wanted
    raise Malformed(f"tensor {name!r} is {own} and cannot be stored as {wanted}")


def _chunks(
    head: bytes, order: list[str], arrays: Mapping[str, Array], described: Mapping[str, tuple[str, object]]
) -> Iterator[bytes | memoryview]:
    yield head
    for name in order:
        array, dtype = arrays[name], described[name][0]
        flat = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(-1)
        if dtype in _HALVES and flat.dtype.kind == "f":
            try:
                flat = _format.narrow(flat, dtype)
            except Malformed as error:
                raise Malformed(f"tensor {name!r}: {error}") from None
        if flat.size:
            yield flat.view(np.uint8).data
