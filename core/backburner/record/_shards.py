"""Checkpoints in several files: the index that says which tensor is in which, and directories that hold one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from backburner.record._dtypes import Malformed
from backburner.record._format import no_duplicates, short

INDEX = "model.safetensors.index.json"
SHARDS = 10_000
# What a directory is asked for, in this order; then for the only file of such a kind.
_USUAL = (INDEX, "pytorch_model.bin.index.json", "model.safetensors", "pytorch_model.bin", "pytorch_model.pt")
_ENDINGS = (".index.json", ".safetensors", ".pt", ".pth", ".bin", ".ckpt")


def in_directory(path: str) -> str:
    """Return the file of weights in a directory.

    Raises:
        Malformed: there is none, or it is not clear which.
    """
    names = sorted(entry.name for entry in os.scandir(path) if entry.is_file())
    for name in _USUAL:
        if name in names:
            return os.path.join(path, name)
    for ending in _ENDINGS:
        found = [name for name in names if name.endswith(ending)]
        if len(found) == 1:
            return os.path.join(path, found[0])
        if found:
            told = ", ".join(found[:8]) + (", ..." if len(found) > 8 else "")
            raise Malformed(f"it is a directory with several files of weights. Name one of {told}")
    if any(name.endswith(".distcp") for name in names):
        raise Malformed(
            "it is a checkpoint of torch.distributed in parts. Make one file of it where PyTorch is: "
            "torch.distributed.checkpoint.format_utils.dcp_to_torch_save(directory, file)"
        )
    raise Malformed("it is a directory, and no file of weights is in it")


def parse_index(text: bytes) -> dict[str, str] | None:
    """Return the file of each tensor, by name; ``None`` if the JSON is no index.

    Raises:
        Malformed: the index is broken, or names a file elsewhere than beside it.
    """
    import json

    try:
        index = json.loads(text.decode("utf-8-sig"), object_pairs_hook=no_duplicates)
    except (ValueError, RecursionError):
        raise Malformed("it is JSON text that is broken") from None
    found = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(found, dict):
        return None
    for name, file in found.items():
        if not isinstance(file, str) or not _is_plain(file):
            raise Malformed(
                f"its weight_map puts {short(repr(name))} into {short(repr(file))}, which is no file beside it"
            )
    if len(set(found.values())) > SHARDS:
        raise Malformed(f"its weight_map names more than {SHARDS:,} files")
    return found


def _is_plain(name: str) -> bool:
    """Say whether a name leads nowhere but to a file beside the index."""
    return name.isprintable() and name not in ("", ".", "..") and not set(name) & set('/\\:*?"<>|')


def check_shards(index: Mapping[str, str], found: Mapping[str, Iterable[str]]) -> None:
    """Check that each tensor is in the file that the index says, and in no other.

    Raises:
        Malformed: one is missing or comes twice.
    """
    place: dict[str, str] = {}
    for file, names in found.items():
        for name in names:
            if place.setdefault(name, file) != file:
                raise Malformed(f"tensor {short(repr(name))} is in two files, {place[name]} and {file}")
    for name, file in index.items():
        if place.get(name) != file:
            where = f"it is in {place[name]}" if name in place else "it is in none"
            raise Malformed(f"tensor {short(repr(name))} is to be in {file}, and {where}")
