"""Which format a file is in, and the record that it makes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal

from backburner.errors import RecordError
from backburner.record import _dtypes, _files, _format, _numpy, _shards, _torch, _tree, _zip
from backburner.record._dtypes import Array, Malformed
from backburner.record._format import ALIASES, Stored, is_pickle, is_safetensors
from backburner.record._record import LazyArrays, Record
from backburner.record._tensors import Tensor

Mmap = Literal["auto"] | bool


def record(path: str, mmap: Mmap, raw: bool, key: str | None, everything: bool) -> Record:
    """Read a file, or the one in a directory, or those that an index names.

    Raises:
        Malformed: it is none of weights, or broken.
    """
    if os.path.isdir(path):
        path = _shards.in_directory(path)
    head = _files.peek(path)
    if not is_safetensors(head) and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        index = _shards.parse_index(_text(path))
        if index is not None:
            return _sharded(path, index, mmap, raw, key)
    return _single(path, head, mmap, raw, key, everything)


def _text(path: str) -> bytes:
    if os.path.getsize(path) > _format.HEADER_LIMIT:
        raise Malformed("it is JSON text, and too long for an index")
    return _files.whole(path, False).tobytes()


def _single(path: str, head: bytes, mmap: Mmap, raw: bool, key: str | None, everything: bool) -> Record:
    if is_safetensors(head):
        return _safetensors(path, mmap, raw, key)
    if head[:4] == b"PK\3\4":
        data = _files.whole(path, mmap)
        files = _zip.directory(data)
        if files and all(name.endswith(".npy") for name in files):
            _no_key(key)
            tensors, orders = _numpy.read_npz(data, files)
            return _described("npz", path, _tree.Weights(tensors, {}, orders, {}, "", ()), None, raw)
        return _checkpoint(path, _torch.read_zip(data, files), raw, key, everything)
    if is_pickle(head):
        data = _files.whole(path, mmap)
        found = _torch.read_legacy(data) or _torch.read_pickle(data)
        return _checkpoint(path, found, raw, key, everything)
    return _safetensors(path, mmap, raw, key)


def _no_key(key: str | None) -> None:
    if key:
        raise Malformed(
            f"it has no mapping at key={_format.quoted(key[:80])}: only PyTorch's checkpoints have several. Leave key out"
        )


def _safetensors(path: str, mmap: Mmap, raw: bool, key: str | None) -> Record:
    header, data = _files.load(path, mmap)  # which tells what the file is if it is something else
    _no_key(key)
    stored, metadata = _format.parse(header, data.size)
    aliases = _aliases(metadata.pop(ALIASES, "{}"), stored)

    def make(name: str) -> Array:
        dtype, shape, begin, end = stored[name]
        return _dtypes.decode(data[begin:end].view(_dtypes.DTYPES[dtype]).reshape(shape), dtype, raw)

    return _made("safetensors", path, stored, aliases, make, metadata)


def _checkpoint(path: str, found: _torch.Checkpoint, raw: bool, key: str | None, everything: bool) -> Record:
    return _described(found.format, path, _tree.weights(found.root, key, everything), found, raw)


def _described(
    format: str, path: str, weights: _tree.Weights, checkpoint: _torch.Checkpoint | None, raw: bool
) -> Record:
    tensors, orders = weights.tensors, weights.orders

    def make(name: str) -> Array:
        tensor = tensors[name]
        block = tensor.storage.data
        if block is None:
            assert checkpoint is not None
            try:
                block = checkpoint.block(tensor.storage)
            except Malformed as error:  # what is compressed is unpacked only now
                raise RecordError(f"record: {path}: tensor {_format.quoted(name)}: {error}.") from None
        order = orders.get(name) or (checkpoint.order if checkpoint else "<")
        return _dtypes.decode(tensor.make(block, order), tensor.dtype, raw)

    return _made(format, path, tensors, weights.aliases, make, weights.metadata, weights.key, weights.choices)


def _made(
    format: str,
    path: str,
    described: Mapping[str, Stored] | Mapping[str, Tensor],
    aliases: Mapping[str, str],
    make: Callable[[str], Array],
    metadata: Mapping[str, str],
    key: str = "",
    choices: tuple[str, ...] = (),
) -> Record:
    dtypes = {name: tensor.dtype for name, tensor in described.items()}
    dtypes.update({alias: dtypes[name] for alias, name in aliases.items()})
    shapes = {name: tensor.shape for name, tensor in described.items()}
    shapes.update({alias: shapes[name] for alias, name in aliases.items()})
    arrays = LazyArrays(described, aliases, make)
    return Record(arrays, metadata, dtypes, aliases, shapes, format, (path,), key, choices)


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
                f"{ALIASES} in its metadata makes {_format.quoted(alias)} the same as {_format.quoted(name)}, which is not there"
            )
    # Another program may have stored such a name after all: then that copy counts.
    return {alias: name for alias, name in aliases.items() if alias not in stored}


def _sharded(path: str, index: Mapping[str, str], mmap: Mmap, raw: bool, key: str | None) -> Record:
    directory = os.path.dirname(path)
    names = sorted(set(index.values()))
    gone = [name for name in names if not os.path.exists(os.path.join(directory, name))]
    if gone:
        told = ", ".join(map(_format.shown, gone[:8])) + (", ..." if len(gone) > 8 else "")
        raise Malformed(f"it needs {len(names)} files beside it, of which {len(gone)} are missing ({told})")
    shards: dict[str, Record] = {}
    for name in names:
        shard = os.path.join(directory, name)
        try:
            shards[name] = _single(shard, _files.peek(shard), mmap, raw, key, False)
        except Malformed as error:
            raise Malformed(f"{name}: {error}") from None
    _shards.check_shards(index, shards)
    home = {name: shard for shard in shards.values() for name in shard if name not in shard.aliases}
    aliases: dict[str, Any] = {}
    metadata: dict[str, str] = {}
    dtypes: dict[str, str] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for part in shards.values():
        aliases |= part.aliases
        for name, text in part.metadata.items():
            metadata.setdefault(name, text)
        dtypes |= part.dtypes
        shapes |= part.shapes
    arrays = LazyArrays(home, aliases, lambda name: home[name].arrays[name])
    format = next(iter(shards.values())).format if shards else "safetensors"
    files = (path, *(os.path.join(directory, name) for name in names))
    return Record(arrays, metadata, dtypes, aliases, shapes, format, files, key or "")
