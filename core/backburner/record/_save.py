"""Arrays into one file, or into a directory of several with an index; the old or the whole new, never a part."""

from __future__ import annotations

import os
from collections.abc import Mapping

from backburner.errors import ArgumentError, RecordError
from backburner.record import _files
from backburner.record._dtypes import DTYPES, Array, Malformed
from backburner.record._format import ALIASES
from backburner.record._record import Path, place, stored_as, write_for
from backburner.record._shards import INDEX

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def save_for(
    op: str,
    path: Path,
    arrays: Mapping[str, Array],
    metadata: Mapping[str, str],
    dtypes: Mapping[str, str],
    aliases: Mapping[str, str],
    max_shard_size: int | str | None,
) -> None:
    """Write arrays and what else they are called, in the name of ``op``."""
    if max_shard_size is None:
        write_for(op, path, arrays, _with_aliases(metadata, aliases), dtypes)
        return
    limit = _bytes(op, max_shard_size)
    path = place(op, path)
    try:
        sizes = {
            name: x.size * DTYPES[stored_as(name, x, dtypes.get(name))].itemsize for name, x in arrays.items()
        }
    except Malformed as error:
        raise RecordError(f"{op}: {path}: {error}.") from None
    shards: list[list[str]] = [[]]
    room = limit
    for name, size in sizes.items():
        if size > room and shards[-1]:
            shards.append([])
            room = limit
        shards[-1].append(name)
        room -= size
    names = [f"model-{i:05}-of-{len(shards):05}.safetensors" for i in range(1, len(shards) + 1)]
    if len(shards) == 1:
        names = [INDEX.removesuffix(".index.json")]
    with _files.new_directory(op, path) as directory:
        for file, part in zip(names, shards, strict=True):
            chosen = {name: arrays[name] for name in part}
            own = {alias: name for alias, name in aliases.items() if name in chosen}
            write_for(op, os.path.join(directory, file), chosen, _with_aliases(metadata, own), dtypes)
        if len(shards) > 1:
            _write_index(os.path.join(directory, INDEX), names, shards, sum(sizes.values()))


def _write_index(path: str, names: list[str], shards: list[list[str]], total: int) -> None:
    import json

    weight_map = {name: file for file, part in zip(names, shards, strict=True) for name in part}
    index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))}
    _files.replace(path, [json.dumps(index, ensure_ascii=False, indent=2).encode("utf-8")])


def _with_aliases(metadata: Mapping[str, str], aliases: Mapping[str, str]) -> Mapping[str, str]:
    if not aliases:
        return metadata
    import json

    told = json.dumps(dict(sorted(aliases.items())), ensure_ascii=False, separators=(",", ":"))
    return {**metadata, ALIASES: told}


def _bytes(op: str, size: int | str) -> int:
    """Return a number of bytes, also from text such as ``2GB`` or ``500 MiB``."""
    found: float = -1
    if isinstance(size, int) and not isinstance(size, bool):
        found = size
    elif isinstance(size, str):
        digits = size.strip().rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
        unit = size.strip()[len(digits) :].strip().upper()
        try:
            found = float(digits) * _UNITS[unit]
        except (ValueError, KeyError):
            found = -1
    if not 1 <= found < 2**63:
        raise ArgumentError(
            f"{op}: max_shard_size is a number of bytes, or text such as '2GB', not {size!r:.80}."
        )
    return int(found)
