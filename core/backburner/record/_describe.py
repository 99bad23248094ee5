"""``describe`` and ``convert``: what is in a file of weights, and the same weights as safetensors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from backburner.errors import RecordError
from backburner.record._dtypes import Array, raw_dtype, word
from backburner.record._format import ALIASES, product
from backburner.record._mapping import Patterns, Rename, map_names, selected
from backburner.record._record import LazyArrays, Path, Record, read_for
from backburner.record._save import save_for
from backburner.record._state import float_dtypes


class TensorInfo(NamedTuple):
    """A tensor in a file.

    Attributes:
        name: its name.
        dtype: in PyTorch's word, such as ``bfloat16``.
        shape: the sizes.
        nbytes: the bytes of its elements.
        alias_of: the name of the tensor that it is tied to; empty if it is stored itself.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    alias_of: str


@dataclass(frozen=True, slots=True)
class Description:
    """What is in a file of weights.

    Attributes:
        format: as `Record.format`: ``safetensors``, ``pytorch``, ``pytorch-legacy``, ``npz`` or ``pickle``.
        files: the files: several where a checkpoint is in shards, the index first.
        size: the bytes of all files.
        tensors: in the order in which they are stored.
        metadata: the text that was saved along.
        key: which mapping of a PyTorch checkpoint the tensors are in; empty if it is the whole.
        choices: which there are to choose from.
    """

    format: str
    files: tuple[str, ...]
    size: int
    tensors: tuple[TensorInfo, ...]
    metadata: Mapping[str, str]
    key: str
    choices: tuple[str, ...]

    @property
    def num_elements(self) -> int:
        """How many numbers there are; those of tied tensors once."""
        return sum(product(tensor.shape) for tensor in self.tensors if not tensor.alias_of)

    @property
    def nbytes(self) -> int:
        """The bytes of all tensors; of tied ones once."""
        return sum(tensor.nbytes for tensor in self.tensors if not tensor.alias_of)


def describe(path: Path, *, key: str | None = None) -> Description:
    """Tell what is in a file of weights, without reading the weights (a compressed ``.npz`` is unpacked for it).

    Args:
        path: whatever `read` takes.
        key: as in `read`; where that would ask for one, all tensors are told of.

    Raises:
        RecordError: the file is something else, or broken, or holds more than weights.
        OSError: the file cannot be opened.

    Example:
        >>> import os, tempfile
        >>> import backburner as bb
        >>> path = os.path.join(tempfile.mkdtemp(), "w.safetensors")
        >>> bb.save({"weight": bb.ones((2, 3))}, path)
        >>> found = bb.record.describe(path)
        >>> found.format, found.num_elements
        ('safetensors', 6)
        >>> found.tensors
        (TensorInfo(name='weight', dtype='float32', shape=(2, 3), nbytes=24, alias_of=''),)
    """
    found = _mapped("record.describe", path, key)
    return _told(found)


def _mapped(op: str, path: Path, key: str | None) -> Record:
    try:
        return read_for(op, path, True, "raw", key=key, everything=True)
    except OSError as error:
        if error.filename is not None and not os.path.exists(error.filename):
            raise
        return read_for(op, path, False, "raw", key=key, everything=True)  # where nothing can be mapped


def _told(found: Record) -> Description:
    tensors = tuple(
        TensorInfo(
            name,
            word(found.dtypes[name]),
            shape,
            product(shape) * raw_dtype(found.dtypes[name]).itemsize,
            found.aliases.get(name, ""),
        )
        for name, shape in found.shapes.items()
    )
    size = sum(os.path.getsize(file) for file in found.files)
    return Description(found.format, found.files, size, tensors, found.metadata, found.key, found.choices)


def convert(
    source: Path,
    target: Path,
    *,
    key: str | None = None,
    prefix: str = "",
    rename: Rename | None = None,
    only: Patterns | None = None,
    ignore: Patterns | None = None,
    dtype: Any = None,
    metadata: Mapping[str, str] | None = None,
    max_shard_size: int | str | None = None,
) -> Description:
    """Write the weights of a file as safetensors, and tell what is in it.

    Each tensor keeps its dtype, bfloat16 bit for bit, unless ``dtype`` says otherwise; tied ones are stored once.

    Args:
        source: whatever `read` takes, such as a PyTorch checkpoint.
        target: the new file. Its directory exists.
        key: as in `load`.
        prefix: as in `load`.
        rename: as in `load`.
        only: as in `load`.
        ignore: as in `load`.
        dtype: as in `save`.
        metadata: text to go along; by default what ``source`` has.
        max_shard_size: as in `save`.

    Raises:
        RecordError: the source cannot be read, or holds what the format lacks.
        ArgumentError: a pattern matches nothing, or is no regular expression.
        OSError: a file cannot be opened or written.

    Example:
        >>> import os, tempfile
        >>> import numpy as np
        >>> import backburner as bb
        >>> folder = tempfile.mkdtemp()
        >>> source, target = os.path.join(folder, "w.npz"), os.path.join(folder, "w.safetensors")
        >>> np.savez(source, **{"net.weight": np.ones((2, 3), "float32")})
        >>> bb.record.convert(source, target, prefix="net.").tensors[0].name
        'weight'
    """
    op = "record.convert"
    half: Any = "raw" if dtype is None else "float32"
    found = read_for(op, source, "auto", half, key=key)
    taken, _ = map_names(op, found.arrays, prefix, rename)
    wanted = selected(op, taken.values(), only, ignore)
    names = {new: old for old, new in taken.items() if new in wanted}
    first: dict[str, str] = {}
    aliases: dict[str, str] = {}
    for new, old in names.items():
        known = first.setdefault(found.aliases.get(old, old), new)
        if known != new:
            aliases[new] = known
    kept = {new: old for new, old in names.items() if new not in aliases}

    def make(name: str) -> Array:
        return found.arrays[kept[name]]

    arrays = LazyArrays(kept, {}, make)
    if dtype is None:
        dtypes = {name: found.dtypes[old] for name, old in kept.items()}
    else:
        dtypes = float_dtypes(op, arrays, dtype)
    if metadata is not None and (not isinstance(metadata, Mapping) or ALIASES in metadata):
        raise RecordError(f"{op}: metadata is a dict of text, in which {ALIASES!r} is kept for tied weights.")
    text = dict(found.metadata if metadata is None else metadata)
    save_for(op, target, arrays, text, dtypes, aliases, max_shard_size)
    return describe(target)
