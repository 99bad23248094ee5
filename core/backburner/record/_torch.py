"""PyTorch's files: the zip archive of since 1.6, and the file of pickles and bytes of before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from backburner.record import _objects, _pickle, _zip
from backburner.record._dtypes import Array, Malformed
from backburner.record._format import short
from backburner.record._machine import Global
from backburner.record._objects import StorageType
from backburner.record._tensors import Storage

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
KEY_LIMIT = 200  # characters of the name of a storage
PICKLE_LIMIT = 256 * 2**20  # bytes of the pickle that describes the tensors


class Checkpoint(NamedTuple):
    """The object in a file, and how its storages are found.

    Attributes:
        format: what the file is.
        root: the object, with tensors as descriptions.
        block: gives the bytes of a storage's block.
        order: the byte order of the storages.
    """

    format: str
    root: Any
    block: Callable[[Storage], Array]
    order: Literal["<", ">"]


def read_zip(data: Array, files: Mapping[str, _zip.File]) -> Checkpoint:
    """Read what ``torch.save`` writes since 1.6.

    Raises:
        Malformed: it is something else, is broken, or holds more than weights.
    """
    pickles = [name for name in files if name == "data.pkl" or name.endswith("/data.pkl")]
    if any(name == "archive_format" or name.endswith("/archive_format") for name in files):
        raise Malformed(
            "it is an archive of torch.export, a program with its weights, of which nothing was executed. "
            "Save torch.export.load(path).state_dict with torch.save"
        )
    if len(pickles) != 1:
        raise Malformed(
            "it is a zip archive with no data.pkl, or several, in it, and so no PyTorch checkpoint"
        )
    root = pickles[0].removesuffix("data.pkl")
    if f"{root}constants.pkl" in files or any(name.startswith(f"{root}code/") for name in files):
        raise Malformed(
            "it is a TorchScript archive (torch.jit.save), a program with its weights, of which nothing was "
            "executed. Save torch.jit.load(path).state_dict() with torch.save"
        )
    order = _byte_order(data, files.get(f"{root}byteorder"))
    described = files[pickles[0]]
    if described.size > PICKLE_LIMIT:
        raise Malformed(f"its data.pkl has {described.size:,} bytes, and {PICKLE_LIMIT:,} are the limit")

    def stored(key: str) -> _zip.File:
        found = files.get(f"{root}data/{key}")
        if found is None:
            raise Malformed(f"its storage {key[:80]!r} is missing")
        return found

    def persistent(token: Any) -> Storage:
        storage = _storage(token)
        need = storage.size * storage.itemsize
        if need > stored(storage.key).size:
            raise Malformed(
                f"its storage {storage.key[:80]!r} needs {short(need)} bytes and has {stored(storage.key).size:,}"
            )
        return storage

    found, _ = _pickle.load(_zip.content(data, described, pickles[0]).data, 0, _objects.find, persistent)
    inflated: dict[str, Array] = {}  # kept, as any number of tensors may be parts of one block

    def block(storage: Storage) -> Array:
        file = stored(storage.key)
        if file.method == _zip.STORED:
            return _zip.content(data, file, storage.key)
        if storage.key not in inflated:
            inflated[storage.key] = _zip.content(data, file, storage.key)
        return inflated[storage.key]

    return Checkpoint("pytorch", found, block, order)


def _byte_order(data: Array, file: _zip.File | None) -> Literal["<", ">"]:
    if file is None:  # of before 2.1
        return "<"
    order = _zip.content(data, file, "byteorder").tobytes()[:16]
    if order not in (b"little", b"big"):
        raise Malformed(f"its byte order is {order!r}, neither little nor big")
    return "<" if order == b"little" else ">"


def _storage(token: Any) -> Storage:
    """Return the storage that a persistent id names; of a legacy file's too, with the part that is meant."""
    parts: list[Any] = list(token) if type(token) is tuple else []
    if len(parts) > 1 and _is_text(parts[0]) and parts[0] == "module":
        name = parts[1].name if isinstance(parts[1], Global) else "a class"
        raise Malformed(f"it holds a whole module ({name}); nothing was executed. {_objects.REMEDY}")
    if len(parts) not in (5, 6) or not _is_text(parts[0]) or parts[0] != "storage":
        raise Malformed("its pickle refers to something that is no storage")
    _, kind, key, _, size, *view = parts
    described = isinstance(kind, StorageType) and _is_text(key) and len(key) <= KEY_LIMIT
    if not described or type(size) is not int or size < 0:
        raise Malformed("its pickle refers to a storage by something else than type, key and size")
    if not view or view[0] is None:
        return Storage(key, kind.dtype, size)
    part = view[0]
    if type(part) is not tuple or len(part) != 3 or not all(type(n) is int and n >= 0 for n in part[1:]):
        raise Malformed(
            "its pickle refers to a part of a storage by something else than key, offset and size"
        )
    _, offset, part_size = part
    if offset + part_size > size:
        raise Malformed(f"its pickle refers to a part beyond the storage {key[:80]!r}")
    return Storage(key, kind.dtype, part_size, offset)


def _is_text(value: Any) -> bool:
    return type(value) is str


def read_legacy(data: Array) -> Checkpoint | None:
    """Read what ``torch.save`` wrote before 1.6; ``None`` if the file is a pickle of something else.

    Raises:
        Malformed: it is broken, or holds more than weights.
    """
    view = data.data
    sizes: dict[str, tuple[int, int]] = {}  # of each block: its elements, and the bytes of one

    def persistent(token: Any) -> Storage:
        storage = _storage(token)
        whole = token[4], storage.itemsize
        if sizes.setdefault(storage.key, whole) != whole:
            raise Malformed(f"its pickle gives the storage {storage.key[:80]!r} two sizes")
        return storage

    def load(position: int) -> tuple[Any, int]:
        return _pickle.load(view[: position + PICKLE_LIMIT], position, _objects.find, persistent)

    magic, position = load(0)
    if type(magic) is not int or magic != MAGIC:
        return None
    protocol, position = load(position)
    if type(protocol) is not int or protocol != PROTOCOL:
        raise Malformed("it is an old PyTorch checkpoint of an unknown protocol")
    _, position = load(position)  # about the machine; storages are little-endian on every one
    root, position = load(position)
    keys, position = load(position)
    if type(keys) is not list or not all(map(_is_text, keys)) or len(set(keys)) < len(keys):
        raise Malformed("its list of storages is broken")
    blocks: dict[str, tuple[int, int]] = {}
    for key in keys:
        size, itemsize = sizes.get(key, (0, 0))
        found = int.from_bytes(view[position : position + 8], "little")
        begin, position = position + 8, position + 8 + size * itemsize
        if position > data.size:
            raise Malformed(
                f"it is truncated: {short(position - data.size)} bytes or more of its storages are missing"
            )
        if key not in sizes or found != size:
            raise Malformed(f"its storage {key[:80]!r} has {short(found)} elements, and not {short(size)}")
        blocks[key] = begin, position
    missing = sorted(sizes.keys() - blocks.keys())
    if missing:
        raise Malformed(f"its storage {missing[0][:80]!r} is missing")

    def block(storage: Storage) -> Array:
        begin, end = blocks[storage.key]
        return data[begin:end]

    return Checkpoint("pytorch-legacy", root, block, "<")


def read_pickle(data: Array) -> Checkpoint:
    """Read a pickle of NumPy arrays.

    Raises:
        Malformed: it is broken, or holds more than arrays.
    """
    if data.size > PICKLE_LIMIT:
        raise Malformed(f"it is a pickle of {data.size:,} bytes, and {PICKLE_LIMIT:,} are the limit")

    def persistent(token: Any) -> Any:
        raise Malformed("its pickle refers to something outside of it")

    def block(storage: Storage) -> Array:
        raise AssertionError("a plain pickle has no storages")

    root, _ = _pickle.load(data.data, 0, _objects.find, persistent)
    return Checkpoint("pickle", root, block, "<")
