"""``read`` and ``write``: files and arrays by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal
from weakref import WeakValueDictionary

import numpy as np

from backburner.errors import ArgumentError, DTypeError, RecordError
from backburner.record import _dtypes, _files, _format
from backburner.record._dtypes import BITS, Array, Malformed

Path = str | os.PathLike[str]

NARROWED = {"F32", "F16", "BF16"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Record(Mapping[str, Array]):
    """What a file of weights holds: a mapping of read-only arrays by name.

    The arrays are views of the file's bytes, so nothing is copied before it is used. What NumPy lacks or computes
    slowly, float16, bfloat16 and the kinds of float8, is widened to float32 at each access.

    Attributes:
        arrays: the same arrays by name, aliases included.
        metadata: the text that was saved along; of a PyTorch checkpoint, the numbers and text beside the weights.
        dtypes: what safetensors calls the dtype in the file, such as ``BF16``, by name.
        aliases: the names of tied arrays and under which name each is stored.
        shapes: by name, without a look at the arrays.
        format: ``safetensors``, ``pytorch`` (the zip archive), ``pytorch-legacy``, ``npz`` or ``pickle``.
        files: the files it came from: several where a checkpoint is in shards.
        key: which mapping of a PyTorch checkpoint it is, such as ``state_dict``; empty if it is the whole.
        choices: which of them there were to choose from.
    """

    arrays: Mapping[str, Array]
    metadata: Mapping[str, str]
    dtypes: Mapping[str, str]
    aliases: Mapping[str, str]
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    format: str = "safetensors"
    files: tuple[str, ...] = ()
    key: str = ""
    choices: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def __contains__(self, name: object) -> bool:
        return name in self.arrays

    def __eq__(self, other: object) -> bool:
        return self is other  # a mapping's would compare arrays, which have no one answer

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<Record of {shown(self.arrays)}>"


def shown(arrays: Mapping[str, Any]) -> str:
    """Return how many arrays there are, and some of their names."""
    names = [name for name, _ in zip(arrays, range(9), strict=False)]
    told = ", ".join(map(_format.shown, names[:8]))
    return f"{len(arrays)} arrays: {told}{', ...' if len(names) > 8 else ''}"


class LazyArrays(Mapping[str, Array]):
    """Arrays made when they are asked for; the same object for as long as somebody holds it.

    Args:
        names: under which names there is one.
        aliases: other names of theirs.
        make: makes the array of one of ``names``.
    """

    __slots__ = ("_aliases", "_live", "_make", "_names")

    def __init__(
        self, names: Mapping[str, object], aliases: Mapping[str, str], make: Callable[[str], Array]
    ) -> None:
        self._names = names
        self._aliases = aliases
        self._make = make
        self._live: WeakValueDictionary[str, Array] = WeakValueDictionary()

    def __getitem__(self, name: str) -> Array:
        name = self._aliases.get(name, name)
        array = self._live.get(name)
        if array is None:
            if name not in self._names:
                raise KeyError(name)
            array = self._live[name] = self._make(name)
        return array

    def __iter__(self) -> Iterator[str]:
        yield from self._names
        yield from self._aliases

    def __len__(self) -> int:
        return len(self._names) + len(self._aliases)

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in self._aliases

    def __repr__(self) -> str:
        return f"<{shown(self)}>"


def read(
    path: Path,
    *,
    key: str | None = None,
    mmap: Literal["auto"] | bool = "auto",
    half: Literal["float32", "raw"] = "float32",
) -> Record:
    """Read a file of weights: what it is, its content tells, never its name.

    Safetensors files; PyTorch checkpoints, the zip archives of today and the files of before 1.6; NumPy's
    ``.npz``; pickles of NumPy arrays; and checkpoints in several files, by their ``*.index.json`` or by the directory
    they are in.

    Nothing in a file is executed: pickles go through an interpreter of our own that knows what weights are made of
    and refuses, by name, all else.

    Args:
        path: the file, or a directory with one in it.
        key: which mapping of a PyTorch checkpoint is meant, such as ``"model_ema"``; a path has dots, ``""`` is
            the whole. By default the one under a usual name, such as ``state_dict``; where there are several the
            error lists them.
        mmap: map the file instead of reading it; by default from 64 MiB on. Mapped weights are fetched as they
            are used and shared between processes. Say False for files on a network disk, where that is far
            slower than one read, and for files that another program rewrites in place (`save` never does).
        half: ``"raw"`` leaves float16 as it is and gives bfloat16 and float8 as their bits in uint16 and uint8.

    Raises:
        RecordError: the file is something else, incomplete, or breaks the format, or holds more than weights; and
            what it is.
        OSError: the file cannot be opened.

    Example:
        >>> import os, tempfile
        >>> import backburner as bb
        >>> path = os.path.join(tempfile.mkdtemp(), "weights.safetensors")
        >>> bb.save({"weight": bb.ones((2, 3)), "bias": bb.zeros((2,))}, path)
        >>> weights = bb.record.read(path)
        >>> weights["weight"].shape, list(weights)
        ((2, 3), ['bias', 'weight'])
    """
    return read_for("record.read", path, mmap, half, key=key)


def read_for(
    op: str,
    path: Path,
    mmap: Literal["auto"] | bool,
    half: Literal["float32", "raw"] = "float32",
    *,
    key: str | None = None,
    everything: bool = False,
) -> Record:
    """Do what `read` does, in the name of ``op``; ``everything`` where a key is missing takes all there is."""
    from backburner.record import _open

    if half not in ("float32", "raw"):
        raise RecordError(f"{op}: half is 'float32' or 'raw', not {half!r}.")
    if key is not None and not isinstance(key, str):
        raise RecordError(f"{op}: key is text, not {key!r:.80}.")
    if mmap not in ("auto", True, False):
        raise RecordError(f"{op}: mmap is 'auto', True or False, not {mmap!r:.80}.")
    path = place(op, path)
    try:
        return _open.record(path, mmap, half == "raw", key, everything)
    except Malformed as error:
        raise RecordError(f"{op}: {path}: {error}.") from None
    except MemoryError:
        raise RecordError(f"{op}: {path}: it takes more memory to read than there is.") from None


def place(op: str, path: Path) -> str:
    """Return a path as text.

    Raises:
        DTypeError: it is no path.
        ArgumentError: no file can be called so.
    """
    try:
        with suppress(UnicodeError):  # half a surrogate pair
            found = os.fsdecode(path)
            if b"\0" not in os.fsencode(found):
                return found
    except TypeError:
        raise DTypeError(f"{op}: a {type(path).__name__} is not the path of a file.") from None
    raise ArgumentError(f"{op}: {path!r:.200} has characters that no file can be called by.")


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
        dtypes: ``F32``, ``F16`` or ``BF16`` for names that are to be stored so, rounded to nearest; a `Record`'s
            ``dtypes`` stores as the file did. Bits of bfloat16 in uint16, and of float8 in uint8, stay as they are;
            float8 is written from bits alone.

    Raises:
        RecordError: a dtype or a name that the format lacks, or a header that no reader would take.
        OSError: the file cannot be written.
    """
    write_for("record.write", path, arrays, metadata or {}, dtypes or {})


def write_for(
    op: str, path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str], dtypes: Mapping[str, str]
) -> None:
    """Do what `write` does, in the name of ``op``."""
    path = place(op, path)
    try:
        described = {name: (stored_as(name, x, dtypes.get(name)), x.shape) for name, x in arrays.items()}
        head, order = _format.build(described, metadata)
        _files.replace(path, _chunks(head, order, arrays, described))
    except Malformed as error:
        raise RecordError(f"{op}: {path}: {error}.") from None


def stored_as(name: str, array: Array, wanted: str | None) -> str:
    """Return the dtype under which an array is to be stored.

    Raises:
        Malformed: the format lacks its dtype, or has no way from it to ``wanted``.
    """
    if not isinstance(array, np.ndarray):
        raise Malformed(f"{name!r} is a {type(array).__name__}, not an array")
    try:
        own = _dtypes.dtype_name(array.dtype)
    except Malformed as error:
        raise Malformed(f"tensor {name!r}: {error}") from None
    if wanted is None or wanted == own:
        return own
    if wanted in NARROWED and array.dtype.kind == "f" or BITS.get(wanted) == own:
        return wanted
    raise Malformed(f"tensor {name!r} is {own} and cannot be stored as {wanted}")


def _chunks(
    head: bytes, order: list[str], arrays: Mapping[str, Array], described: Mapping[str, tuple[str, object]]
) -> Iterator[bytes | memoryview]:
    yield head
    for name in order:
        array, dtype = arrays[name], described[name][0]
        flat = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(-1)
        if dtype in NARROWED and flat.dtype.kind == "f" and flat.dtype != _dtypes.DTYPES[dtype]:
            try:
                flat = _dtypes.narrow(flat, dtype)
            except Malformed as error:
                raise Malformed(f"tensor {name!r}: {error}") from None
        if flat.size:
            yield flat.view(np.uint8).data
