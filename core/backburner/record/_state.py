"""``save``: modules and other things with named arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from backburner.errors import ArgumentError, DTypeError, RecordError
from backburner.record._dtypes import Array, Malformed
from backburner.record._format import ALIASES
from backburner.record._record import Path
from backburner.record._save import save_for


class Entry(Protocol):
    """A parameter or a buffer."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype."""
        ...

    def numpy(self) -> Array:
        """Return the contents."""
        ...

    def assign(self, array: Array, /) -> None:
        """Take a read-only array of this shape and dtype, which nobody will write to, as the contents."""
        ...


class Stateful(Protocol):
    """What `save` and `load` need of a module."""

    def named_state(self) -> Iterable[tuple[str, Entry]]:
        """Yield every parameter and buffer under every name it has: a tied one is the same object again."""
        ...


class Restorable(Protocol):
    """What has a state of its own making, such as an optimizer."""

    def state_dict(self) -> Mapping[str, Any]:
        """Return the state, arrays and numbers by name."""
        ...

    def load_state_dict(self, state: Mapping[str, Any], /) -> object:
        """Take up what ``state_dict`` returned."""
        ...


Source = Stateful | Restorable | Mapping[str, Any]


def save(
    source: Source,
    path: Path,
    metadata: Mapping[str, str] | None = None,
    *,
    dtype: Any = None,
    max_shard_size: int | str | None = None,
) -> None:
    """Save a module, an optimizer, or a dict of tensors and arrays, to a safetensors file.

    PyTorch (``safetensors.torch.load_file``) and all else that reads safetensors can open it; ``transformers`` wants
    the metadata ``{"format": "pt"}``.

    ``path`` is the old file or the whole new one, whatever happens on the way. What has several names, such
    as a tied weight, is stored once, under the first; so are several tensors over the same memory.

    Args:
        source: a module, what has a ``state_dict`` such as an optimizer, or tensors and arrays by name.
        path: the file. Its directory exists.
        metadata: text to go along.
        dtype: ``"bfloat16"`` or ``"float16"``, half the size, or ``"float32"``: what the floats are rounded to.
        max_shard_size: bytes, or text such as ``"2GB"``. Then ``path`` becomes a new directory of files no larger
            than this, if no tensor is, and an index of them, which `load` and other programs read as one.

    Raises:
        RecordError: a name or a dtype that the format lacks, or a number too large for ``dtype``.
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> import backburner as bb
        >>> from backburner import nn
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> bb.save(nn.Linear(3, 2), path, {"epoch": "7"}, dtype="bfloat16")
        >>> bb.record.read(path).dtypes
        {'bias': 'BF16', 'weight': 'BF16'}
    """
    op = "save"
    first: dict[object, str] = {}
    arrays: dict[str, Array] = {}
    aliases: dict[str, str] = {}
    try:
        for name, entry in named(source, op):
            known = first.setdefault(id(entry), name)
            if known == name:
                array = as_array(name, entry)
                known = first.setdefault(_memory(array), name)
                if known == name:
                    arrays[name] = array
                first[id(entry)] = known  # an alias of an alias would not be read again
            if known != name:
                aliases[name] = known
    except Malformed as error:
        raise RecordError(f"{op}: {error}.") from None
    if metadata is not None and not isinstance(metadata, Mapping):
        raise DTypeError(f"{op}: metadata is a dict of text, not a {type(metadata).__name__}.")
    text = dict(metadata or {})
    if ALIASES in text:
        raise RecordError(f"{op}: the metadata key {ALIASES!r} is kept for tied weights. Use another key.")
    dtypes = float_dtypes(op, arrays, dtype)
    save_for(op, path, arrays, text, dtypes, aliases, max_shard_size)


def float_dtypes(op: str, arrays: Mapping[str, Array], dtype: Any) -> dict[str, str]:
    """Return the dtype in the file of all floats, if they are to have one.

    Raises:
        ArgumentError: there is no such dtype of floats.
    """
    if dtype is None:
        return {}
    wanted = {"bfloat16": "BF16", "float16": "F16", "float32": "F32"}.get(str(dtype))
    if wanted is None:
        raise ArgumentError(f"{op}: dtype is 'float32', 'float16' or 'bfloat16', not {dtype!r:.80}.")
    return {name: wanted for name, array in arrays.items() if array.dtype.kind == "f"}


def _memory(array: Array) -> object:
    """Return what is equal for arrays that are the same memory seen in the same way."""
    if array.size == 0:
        return object()
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def named(source: Any, op: str) -> list[tuple[str, Any]]:
    """Return what a module, a mapping or a state has, by name."""
    if hasattr(source, "named_state"):
        entries = source.named_state()
    elif isinstance(source, Mapping):
        entries = source.items()
    elif hasattr(source, "state_dict"):
        entries = source.state_dict().items()
    else:
        raise RecordError(
            f"{op}: a {type(source).__name__} has no named arrays. Pass a module, an optimizer or a dict."
        )
    found: dict[str, Any] = {}
    for name, entry in entries:
        if found.setdefault(name, entry) is not entry:
            raise RecordError(f"{op}: two different arrays are called {name!r}. Rename one.")
    return list(found.items())


def as_array(name: str, value: Any) -> Array:
    """Return a tensor, an array or a number as an array."""
    if isinstance(value, np.ndarray | np.generic | bool | int | float):
        return np.asarray(value)
    to_numpy = getattr(value, "numpy", None)
    if to_numpy is None:
        raise Malformed(f"{name!r} is a {type(value).__name__}, not a tensor or an array")
    return np.asarray(to_numpy())
